"""Values with their intervals, a line for each name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from presentation.drawings.scales import Say, Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import (
    Box,
    Dot,
    Drawing,
    Key,
    Line,
    Mark,
    Shape,
    Text,
    axis_name,
    fitting,
    folded,
    kept_inside,
    keys_below,
    rounded,
    text_width,
)

ROW, EDGE = 34.0, 10.0
CLOSE, MANY = 24.0, 12  # how high a row is where there are more of them
NAMES_SHARE = 0.34  # of the width, at most


@dataclass(frozen=True)
class Estimate:
    """A value on the line of this name. `shift` moves it within the line, in lines. `modelled` is a range
    without a point's weight. `written` is the value in words, at the end of its line.
    """

    line: str
    value: float
    look: str
    told: str
    low: float | None = None
    high: float | None = None
    shape: Shape = "circle"
    shift: float = 0.0
    modelled: bool = False
    written: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        if self.low is None or self.high is None:
            return self.value, self.value
        return self.low, self.high


@dataclass(frozen=True)
class Behind:
    """What lies behind the lines: bands from one value to another, and lines at values, each with a look."""

    bands: Sequence[tuple[float, float, str]] = ()
    guides: Sequence[tuple[float, str]] = ()
    limits: tuple[float, float] | None = None
    below_first: bool = False  # a line between the first and all others


def interval_plot(
    estimates: Sequence[Estimate],
    across: str,
    say: Say,
    *,
    width: float,
    keys: Sequence[Key] = (),
    behind: Behind = Behind(),
) -> Drawing | None:
    """One line a name from the top down, in their order; None where there are none."""
    if not estimates:
        return None
    names = list(dict.fromkeys(estimate.line for estimate in estimates))
    wide = width > 500
    top, room = 4.0, max(text_width(estimate.written) for estimate in estimates)
    margin = min(max(map(text_width, names)) + 16, NAMES_SHARE * width) if wide else 0.0
    lines = {name: folded(name, margin - 6) if wide else [fitting(name, width - room - 8)] for name in names}
    close = len(names) > MANY and max(map(len, lines.values())) == 1
    row = (CLOSE if close else ROW) if wide else ROW + 14  # on a phone names stand above their lines
    scale = _scale(estimates, behind, EDGE + margin, width - EDGE - (room + 8 if wide and room else 0))
    bottom = top + row * len(names) + 8
    legend, end = keys_below(keys, width, bottom + 44)
    marks: list[Mark] = [*legend, *_behind(behind, scale, top, bottom)]
    marks += _axis(scale, across, say, top, bottom, width)
    shared = len(estimates) > len(names)
    for place, name in enumerate(names):
        y = top + row * (place + 0.5) + (0 if wide else 8)
        own = [estimate for estimate in estimates if estimate.line == name]
        written = next((estimate.written for estimate in own if estimate.written), "")
        marks.append(Line(scale.start, y, scale.end, y, "axis"))
        if wide:
            first = y + 4 - 7 * (len(lines[name]) - 1)
            marks += [
                Text(margin - 6, first + 14 * number, text, "name", "end")
                for number, text in enumerate(lines[name])
            ]
        else:
            marks.append(Text(0, y - 12, lines[name][0], "name"))
        if written:
            marks.append(Text(width, y + (4 if wide else -12), written, anchor="end"))
        if place == 0 and behind.below_first and len(names) > 1:
            marks.append(Line(0, top + row, width, top + row, "zero"))
        marks += [
            mark
            for estimate in own
            for mark in _estimate(estimate, y + shared * estimate.shift * min(row, ROW), scale)
        ]
    return Drawing(width, end, tuple(marks))


def _scale(estimates: Sequence[Estimate], behind: Behind, start: float, end: float) -> Scale:
    if behind.limits:
        return Scale(*behind.limits, start, end)
    values = [value for estimate in estimates for value in (estimate.value, *estimate.ends)]
    values += [value for low, high, _look in behind.bands for value in (low, high)]
    values += [value for value, _look in behind.guides]
    return scale_of(values, start, end)


def _behind(behind: Behind, scale: Scale, top: float, bottom: float) -> Iterator[Mark]:
    for low, high, look in behind.bands:
        x = scale.within(low)
        yield Box(x, top, rounded(scale.within(high) - x), bottom - top, look)
    for value, look in behind.guides:
        yield Line(scale.at(value), top, scale.at(value), bottom, look)


def _axis(scale: Scale, across: str, say: Say, top: float, bottom: float, width: float) -> Iterator[Mark]:
    named = ticks(scale, 7 if scale.end - scale.start > 400 else 4)
    places = places_of(named)
    for value in named:
        yield Line(scale.at(value), top, scale.at(value), bottom, "axis")
        yield Text(scale.at(value), bottom + 16, say(value, places), anchor="middle")
    yield Line(scale.start, bottom, scale.end, bottom, "zero")
    name = axis_name(across, width)
    middle = kept_inside((scale.start + scale.end) / 2, name, width)
    yield Text(middle, bottom + 36, name, anchor="middle")


def _estimate(estimate: Estimate, y: float, scale: Scale) -> Iterator[Mark]:
    low, high = map(scale.within, estimate.ends)
    y = rounded(y)
    if estimate.modelled:
        wide, x = max(rounded(high - low), 2), scale.within(estimate.value)
        yield Box(low, y - 5, wide, 10, f"{estimate.look} modelled", told=estimate.told)
        yield Line(x, y - 5, x, y + 5, f"ci {estimate.look}")
        return
    if high > low:
        yield Line(low, y, high, y, f"ci {estimate.look}")
    yield Dot(scale.within(estimate.value), y, 5.5, estimate.look, estimate.shape, estimate.told)
