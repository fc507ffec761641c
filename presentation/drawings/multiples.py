"""A small multiple: one part of the data on the axis that all parts share."""

from dataclasses import dataclass

from presentation.drawings.scales import Say, Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import Dot, Drawing, Line, Mark, Text

WIDTH, HEIGHT, EDGE = 220.0, 52.0, 10.0
NAMED = 3  # values at the axis, at most


@dataclass(frozen=True)
class Part:
    """Average of a part with its interval; `top`, picked by these same scores, has none."""

    value: float
    low: float | None
    high: float | None
    told: str
    top: float | None = None
    top_told: str = ""

    @property
    def reach(self) -> list[float]:
        others = (self.low, self.high, self.top)
        return [self.value, *(one for one in others if one is not None)]


def shared_scale(parts: list[Part], whole: float | None) -> Scale:
    """The axis of all parts together."""
    values = [value for part in parts for value in part.reach]
    if whole is not None:
        values.append(whole)
    return scale_of(values, EDGE, WIDTH - EDGE)


def multiple(part: Part, scale: Scale, say: Say, whole: float | None = None) -> Drawing:
    """The part alone; a line stands where the whole is, and the axis names a few values."""
    y = 16.0
    marks: list[Mark] = [Line(EDGE, 34, WIDTH - EDGE, 34, "axis")]
    if whole is not None:
        marks.append(Line(scale.at(whole), 4, scale.at(whole), 34, "zero"))
    if part.low is not None and part.high is not None:
        marks.append(Line(scale.at(part.low), y, scale.at(part.high), y, "ci average"))
    if part.top is not None:
        marks.append(Dot(scale.at(part.top), y, 4, "topmark hollow", told=part.top_told))
    marks.append(Dot(scale.at(part.value), y, 5, "average", told=part.told))
    named = ticks(scale, NAMED)
    places = places_of(named)
    marks += [Text(scale.at(value), 48, say(value, places), anchor="middle") for value in named]
    return Drawing(WIDTH, HEIGHT, tuple(marks))
