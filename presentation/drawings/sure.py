"""How sure a number is, in the height of a line of text: its dot and its interval on the axis it shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from presentation.drawings.scales import Scale, scale_of
from presentation.drawings.shapes import Dot, Drawing, Line, Mark

WIDTH, HEIGHT, EDGE, RADIUS = 88.0, 14.0, 5.0, 4.0


@dataclass(frozen=True)
class Reach:
    """A number with the ends of its interval; `look` is whose it is."""

    value: float
    low: float
    high: float
    look: str = "average"


def shared_axis(reaches: Sequence[Reach]) -> Scale:
    """The axis on which all of them lie."""
    return scale_of(
        [end for reach in reaches for end in (reach.value, reach.low, reach.high)], EDGE, WIDTH - EDGE
    )


def sure(reach: Reach, scale: Scale) -> Drawing:
    """The number alone. A line stands at nought where the axis holds it."""
    y = HEIGHT / 2
    marks: list[Mark] = [Line(EDGE, y, WIDTH - EDGE, y, "axis")]
    if scale.low < 0 < scale.high:
        marks.append(Line(scale.at(0), 0, scale.at(0), HEIGHT, "zero"))
    marks.append(Line(scale.at(reach.low), y, scale.at(reach.high), y, f"ci {reach.look}"))
    marks.append(Dot(scale.at(reach.value), y, RADIUS, reach.look))
    return Drawing(WIDTH, HEIGHT, tuple(marks))
