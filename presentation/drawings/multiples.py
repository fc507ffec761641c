"""A small multiple: one part of the data on the axis that all parts share, and models beneath people."""

from collections.abc import Sequence
from dataclasses import dataclass

from presentation.drawings.ladder import stacked
from presentation.drawings.scales import Say, Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import Dot, Drawing, Line, Mark, Text, rounded

WIDTH, EDGE = 220.0, 10.0
PEOPLE, MODELS = 14.0, 20.0  # pixels of height: people's interval, and all levels of models together
RADIUS, LEVELS = 2.6, 3
NAMED = 5  # values at the axis, at most


@dataclass(frozen=True)
class Beside:
    """A model in this part."""

    value: float
    told: str


@dataclass(frozen=True)
class Part:
    """Average of a part with its interval, and models beneath; `top`, picked by these scores, has none."""

    value: float
    low: float | None
    high: float | None
    told: str
    top: float | None = None
    top_told: str = ""
    models: Sequence[Beside] = ()

    @property
    def reach(self) -> list[float]:
        others = (self.low, self.high, self.top)
        own = [self.value, *(other for other in others if other is not None)]
        return own + [model.value for model in self.models]


def shared_scale(parts: list[Part], whole: float | None) -> Scale:
    """The axis of all parts together."""
    values = [value for part in parts for value in part.reach]
    if whole is not None:
        values.append(whole)
    return scale_of(values, EDGE, WIDTH - EDGE)


def multiple(part: Part, scale: Scale, say: Say, whole: float | None = None) -> Drawing:
    """The part alone; a line stands where the whole is, and the axis names a few values."""
    base = PEOPLE + 10 + (MODELS if part.models else 8)
    marks: list[Mark] = [Line(EDGE, base, WIDTH - EDGE, base, "axis")]
    if whole is not None:
        marks.append(Line(scale.at(whole), 2, scale.at(whole), base, "zero"))
    # Models lie beneath people, stacked where they are close; more than there are levels lie on each other.
    places = [scale.at(model.value) for model in part.models]
    height = MODELS - 2 * RADIUS - 2
    for model, x, level in zip(part.models, places, stacked(places, 2 * RADIUS), strict=True):
        y = base - RADIUS - 2 - (level % LEVELS) * height / (LEVELS - 1)
        marks.append(Dot(x, rounded(y), RADIUS, "model many", told=model.told))
    if part.low is not None and part.high is not None:
        marks.append(Line(scale.at(part.low), PEOPLE, scale.at(part.high), PEOPLE, "ci average"))
    if part.top is not None:
        marks.append(Dot(scale.at(part.top), PEOPLE, 4, "topmark hollow", told=part.top_told))
    marks.append(Dot(scale.at(part.value), PEOPLE, 5, "average", told=part.told))
    named = ticks(scale, NAMED)
    decimals = places_of(named)
    marks += [Text(scale.at(value), base + 14, say(value, decimals), anchor="middle") for value in named]
    return Drawing(WIDTH, base + 18, tuple(marks))
