"""The ladder: models as stacked dots on one axis, and people above them with how sure their place is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from presentation.drawings.scales import Say, Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import Box, Dot, Drawing, Line, Mark, Text, kept_inside, rounded, text_width

EDGE = 14  # pixels left free at either side
ROW = 44  # pixels for one group of people
RADIUS, APART = 5.0, 1.5
LABEL_GAP = 10


@dataclass(frozen=True)
class Rung:
    """A model. `near`: people cannot be told apart from it; `modelled`: nothing of it was scored here."""

    name: str
    value: float
    told: str
    near: bool = False
    modelled: bool = False


@dataclass(frozen=True)
class People:
    """A group of people, with the interval that serves if it has one; `band`: what luck alone would give."""

    name: str
    value: float
    told: str
    look: str
    low: float | None = None
    high: float | None = None
    picked: bool = False
    band: tuple[float, float] | None = None
    band_told: str = ""

    @property
    def reach(self) -> list[float]:
        ends = [self.low, self.high, *(self.band or ())]
        return [self.value, *(end for end in ends if end is not None)]


@dataclass(frozen=True)
class Words:
    """What stands at the axis."""

    across: str
    weaker: str
    stronger: str


def ladder(
    rungs: Sequence[Rung], people: Sequence[People], words: Words, say: Say, *, width: float
) -> Drawing | None:
    """Groups of people from the top down in their order, then models; None where there is nothing."""
    values = [rung.value for rung in rungs] + [value for group in people for value in group.reach]
    if not values:
        return None
    scale = scale_of(values, EDGE, width - EDGE)
    levels = stacked([scale.at(rung.value) for rung in rungs])
    stack = (max(levels, default=-1) + 1) * (2 * RADIUS + APART)
    labels = 20.0 if rungs else 0.0
    base = len(people) * ROW + labels + stack + 12
    dots = [
        Dot(
            scale.at(rung.value),
            rounded(base - 10 - level * (2 * RADIUS + APART)),
            RADIUS,
            "model modelled" if rung.modelled else "model near" if rung.near else "model",
            told=rung.told,
        )
        for rung, level in zip(rungs, levels, strict=True)
    ]
    marks: list[Mark] = [*_axis(scale, words, say, base, width)]
    marks += [mark for place, group in enumerate(people) for mark in _group(group, place, scale, width, base)]
    marks += [*dots, *_model_names(rungs, dots, people, width)]
    return Drawing(width, base + 42, tuple(marks))


def stacked(places: Sequence[float], apart: float = 2 * RADIUS + APART) -> list[int]:
    """On which level each dot lies so that none covers another, the lowest that is free; left ones first.

    Dots of one level are so many pixels apart.
    """
    taken: list[float] = []  # where the last dot of each level lies
    levels = [0] * len(places)
    for index in sorted(range(len(places)), key=lambda one: places[one]):
        free = (level for level, last in enumerate(taken) if places[index] - last >= apart)
        level = next(free, len(taken))
        taken[level : level + 1] = [places[index]]
        levels[index] = level
    return levels


def _axis(scale: Scale, words: Words, say: Say, base: float, width: float) -> Iterator[Mark]:
    named = ticks(scale, 7 if width > 500 else 4)
    places = places_of(named)
    for value in named:
        yield Line(scale.at(value), 0, scale.at(value), base, "axis")
        yield Text(scale.at(value), base + 16, say(value, places), anchor="middle")
    yield Line(0, base, width, base, "zero")
    yield Text(0, base + 36, f"← {words.weaker}")
    yield Text(width, base + 36, f"{words.stronger} →", anchor="end")
    if text_width(words.across) < width - 2 * text_width(words.stronger) - 60:
        yield Text(width / 2, base + 36, words.across, anchor="middle")


def _group(group: People, place: int, scale: Scale, width: float, base: float) -> Iterator[Mark]:
    y = place * ROW + 30.0
    x = scale.at(group.value)
    if group.band:
        low, high = map(scale.at, group.band)
        yield Box(low, y - 11, rounded(high - low), 22, "band", told=group.band_told, corner=4)
    if not group.picked:
        yield Line(x, y, x, base, f"guide {group.look}")
    if group.low is not None and group.high is not None:
        yield Line(scale.at(group.low), y, scale.at(group.high), y, f"ci {group.look}")
    look = f"{group.look} hollow" if group.picked else group.look
    yield Dot(x, y, 6.0 if group.picked else 7.0, look, told=group.told)
    yield Text(kept_inside(x, group.name, width), y - 14, group.name, f"{group.look}-name", "middle")


def _model_names(
    rungs: Sequence[Rung], dots: Sequence[Dot], people: Sequence[People], width: float
) -> Iterator[Mark]:
    """Names of the strongest, the weakest and the one nearest to the last group, where they have room."""
    if not rungs:
        return
    order = sorted(range(len(rungs)), key=lambda index: rungs[index].value)
    wanted = [order[-1], order[0]]
    if people:
        wanted.append(min(order, key=lambda index: abs(rungs[index].value - people[-1].value)))
    taken: list[tuple[float, float]] = []
    for index in dict.fromkeys(wanted):
        name, dot = rungs[index].name, dots[index]
        x = kept_inside(dot.x, name, width)
        span = (x - text_width(name) / 2 - LABEL_GAP, x + text_width(name) / 2 + LABEL_GAP)
        if all(span[1] <= low or span[0] >= high for low, high in taken):
            taken.append(span)
            top = min(other.y for other in dots if span[0] <= other.x <= span[1])
            yield Text(x, rounded(top - 10), name, "name", "middle")
