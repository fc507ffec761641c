"""Values by part around a circle. The centre is no zero."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from presentation.drawings.scales import Say, Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import Dot, Drawing, Key, Mark, Path, Shape, Text, keys_above, rounded

RADIUS = 130.0
ROOM = 34.0  # around the circle, for names
ROUND = 48  # corners of a circle


@dataclass(frozen=True)
class Around:
    """A group's values by the name of the part; a part without one leaves a gap, never a zero."""

    values: Mapping[str, float]
    told: Mapping[str, str]
    look: str
    shape: Shape = "circle"


def radar(
    names: Sequence[str], groups: Sequence[Around], say: Say, *, width: float, keys: Sequence[Key] = ()
) -> Drawing | None:
    """None with fewer than three parts, which are no circle."""
    values = [value for group in groups for value in group.values.values()]
    if len(names) < 3 or not values:
        return None
    head, top = keys_above(keys, width)
    scale = scale_of([*values, min(values) - 0.25 * (max(values) - min(values) or 1)], 0, RADIUS)
    centre = rounded(width / 2), top + ROOM + RADIUS
    angles = {name: 2 * math.pi * place / len(names) for place, name in enumerate(names)}
    marks: list[Mark] = [*head, *_rings(scale, centre, say), *_names(angles, centre)]
    marks += [mark for group in groups for mark in _group(group, angles, scale, centre)]
    return Drawing(width, top + 2 * (ROOM + RADIUS), tuple(marks))


def _at(angle: float, radius: float, centre: tuple[float, float]) -> tuple[float, float]:
    """From the top, clockwise."""
    return rounded(centre[0] + radius * math.sin(angle)), rounded(centre[1] - radius * math.cos(angle))


def _rings(scale: Scale, centre: tuple[float, float], say: Say) -> Iterator[Mark]:
    named = ticks(scale, 4)
    places = places_of(named)
    for value in named:
        ring = tuple(_at(2 * math.pi * one / ROUND, scale.at(value), centre) for one in range(ROUND))
        yield Path(ring, "ring", closed=True)
        yield Text(centre[0] + 4, centre[1] - scale.at(value) - 3, say(value, places))


def _names(angles: Mapping[str, float], centre: tuple[float, float]) -> Iterator[Mark]:
    for name, angle in angles.items():
        yield Path((centre, _at(angle, RADIUS, centre)), "ring")
        x, y = _at(angle, RADIUS + 14, centre)
        side = math.sin(angle)
        yield Text(x, y + 4, name, "name", "middle" if abs(side) < 0.2 else "start" if side > 0 else "end")


def _group(
    group: Around, angles: Mapping[str, float], scale: Scale, centre: tuple[float, float]
) -> Iterator[Mark]:
    places = {
        name: _at(angle, scale.at(group.values[name]), centre)
        for name, angle in angles.items()
        if name in group.values
    }
    if len(places) == len(angles):
        yield Path(tuple(places.values()), f"curve {group.look}", closed=True)
    else:
        order = list(angles)
        for one, two in zip(order, [*order[1:], order[0]], strict=True):
            if one in places and two in places:
                yield Path((places[one], places[two]), f"curve {group.look}")
    for name, (x, y) in places.items():
        yield Dot(x, y, 4, group.look, group.shape, group.told[name])
