"""Curves, clouds of points and bars over two axes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from presentation.drawings.scales import Say, Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import (
    Box,
    Dot,
    Drawing,
    Key,
    Line,
    Mark,
    Path,
    Shape,
    Text,
    axis_name,
    keys_below,
    rounded,
    text_width,
)

HEIGHT = 300.0  # of the part inside the axes
FOOT = 44.0


@dataclass(frozen=True)
class Place:
    """A point of a series: of a curve perhaps with the interval around it, of a cloud with a size of its own;
    of a bar `y` is where it ends and `low` where it begins.
    """

    x: float
    y: float
    told: str = ""
    low: float | None = None
    high: float | None = None
    r: float = 4.0


@dataclass(frozen=True)
class Series:
    """Places that are drawn alike. Bars are `width` wide, in units of x."""

    kind: Literal["curve", "dots", "bars"]
    places: Sequence[Place]
    look: str
    shape: Shape = "circle"
    width: float = 1.0


@dataclass(frozen=True)
class Axis:
    """What an axis shows. `named` are the values it names, with their texts; without them it finds some."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    named: Sequence[tuple[float, str]] | None = None


@dataclass(frozen=True)
class Across:
    """A line over the whole width at a value of y."""

    y: float
    look: str


def chart(
    series: Sequence[Series],
    x_axis: Axis,
    y_axis: Axis,
    say: Say,
    *,
    width: float,
    keys: Sequence[Key] = (),
    across: Sequence[Across] = (),
    height: float = HEIGHT,
) -> Drawing | None:
    """Every series on the same axes, `height` inside them; None where no series has a place."""
    places = [place for drawn in series for place in drawn.places]
    if not places:
        return None
    top = 22.0  # for the name of the axis that goes up
    legend, end = keys_below(keys, width, top + height + FOOT)
    ends = [value for place in places for value in (place.low, place.high) if value is not None]
    ys = [*(place.y for place in places), *ends, *(line.y for line in across)]
    y = _scale(y_axis, ys, top + height, top)
    up = _named(y_axis, y, say, 6 if height == HEIGHT else 3)
    left = max((text_width(text) for _value, text in up), default=0) + 12
    half = max((drawn.width / 2 for drawn in series if drawn.kind == "bars"), default=0.0)
    xs = [value for place in places for value in (place.x - half, place.x + half)]
    x = _scale(x_axis, xs, left, width - 6)
    marks: list[Mark] = [*legend, *_frame(x, y, up, _named(x_axis, x, say, 8 if width > 500 else 4))]
    marks += [
        Text(0, top - 10, axis_name(y_axis.label, width)),
        Text(
            rounded((left + width) / 2),
            top + height + 38,
            axis_name(x_axis.label, width - left),
            "",
            "middle",
        ),
        *(Line(left, y.at(line.y), width - 6, y.at(line.y), line.look) for line in across),
    ]
    marks += [mark for drawn in series for mark in _drawn(drawn, x, y)]
    return Drawing(width, end, tuple(marks))


def _scale(axis: Axis, values: Sequence[float], start: float, end: float) -> Scale:
    around = scale_of(values, start, end, log=axis.log)
    low = around.low if axis.low is None else axis.low
    return Scale(low, around.high if axis.high is None else axis.high, start, end, axis.log)


def _named(axis: Axis, scale: Scale, say: Say, wanted: int) -> list[tuple[float, str]]:
    if axis.named is not None:
        return [(value, text) for value, text in axis.named if scale.low <= value <= scale.high]
    named = ticks(scale, wanted)
    if axis.log:
        return [(value, say(value, max(0, places_of([0.0, value])))) for value in named]
    places = places_of(named)
    return [(value, say(value, places)) for value in named]


def _frame(
    x: Scale, y: Scale, up: Sequence[tuple[float, str]], along: Sequence[tuple[float, str]]
) -> Iterator[Mark]:
    for value, text in up:
        yield Line(x.start, y.at(value), x.end, y.at(value), "axis")
        yield Text(x.start - 8, y.at(value) + 4, text, anchor="end")
    for value, text in along:
        yield Text(x.at(value), y.start + 18, text, anchor="middle")
    yield Line(x.start, y.start, x.end, y.start, "zero")


def _drawn(series: Series, x: Scale, y: Scale) -> Iterator[Mark]:
    if series.kind == "bars":
        for bar in series.places:
            left, right = x.at(bar.x - series.width / 2), x.at(bar.x + series.width / 2)
            low, high = y.within(bar.low if bar.low is not None else y.low), y.at(bar.y)
            gap = min(2.0, (right - left) / 5)
            wide, tall = rounded(right - left - gap), rounded(low - high)
            yield Box(rounded(left + gap / 2), high, wide, tall, series.look, bar.told)
        return
    if series.kind == "curve":
        around = [place for place in series.places if place.low is not None and place.high is not None]
        if len(around) > 1:
            above = [(x.at(place.x), y.within(place.high or 0.0)) for place in around]
            below = [(x.at(place.x), y.within(place.low or 0.0)) for place in reversed(around)]
            yield Path((*above, *below), f"area {series.look}", closed=True)
        if len(series.places) > 1:
            path = tuple((x.at(place.x), y.within(place.y)) for place in series.places)
            yield Path(path, f"curve {series.look}")
    for dot in series.places:
        if series.kind == "dots" or dot.told:
            yield Dot(x.at(dot.x), y.at(dot.y), dot.r, series.look, series.shape, dot.told)
