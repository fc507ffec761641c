"""A row of numbers as one line, for drawing beside words that say the same."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, EDGE = 600.0, 60.0, 3.0


@dataclass(frozen=True)
class Sparkline:
    """Points of an SVG polyline in a box of WIDTH by HEIGHT, and the highest value."""

    points: str
    most: float


def sparkline(values: Sequence[float]) -> Sparkline:
    """The values from left to right; a line along the foot where all are zero, nothing for fewer than two."""
    most = max(values, default=0.0)
    if len(values) < 2:
        return Sparkline("", most)
    step, scale = WIDTH / (len(values) - 1), (HEIGHT - 2 * EDGE) / (most or 1)
    points = (f"{place * step:.1f},{HEIGHT - EDGE - value * scale:.1f}" for place, value in enumerate(values))
    return Sparkline(" ".join(points), most)
