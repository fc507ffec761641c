"""Measures as drawings, in one look. Whoever shows a figure shows the same numbers in a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_lazy

from presentation.drawings.intervals import Behind, Estimate, interval_plot
from presentation.drawings.shapes import Drawing, Key, Shape
from presentation.measures import Ends
from presentation.numbers import Text, decimals, span


@dataclass(frozen=True)
class Style:
    """How measures of one kind are drawn: shapes tell them apart without colour, too.

    A style without a label is not in the legend: its lines are named. `shift` moves marks, in lines, where
    several share a line. A `modelled` one is a range without a point's weight.
    """

    label: Text = ""
    shape: Shape = "circle"
    look: str = "average"
    shift: float = 0.0
    modelled: bool = False


STYLES: Mapping[str, Style] = {
    "average": Style(gettext_lazy("Average"), "circle", "average", -0.16),
    "top": Style(gettext_lazy("Top (picked by these same scores)"), "square", "topmark", 0.16),
}
PLAIN = Behind()


@dataclass(frozen=True)
class Point:
    """A measure on the line of this name."""

    line: str
    style: Style
    row: Ends

    @property
    def told(self) -> str:
        """What is said of it, in words and numbers."""
        name = ", ".join(filter(None, (self.line, str(self.style.label))))
        return with_ends(name, self.row)


def with_ends(name: str, row: Ends) -> str:
    """A name with a value and, where there is one, its interval."""
    value = decimals(row.value)
    if row.low is None or row.high is None:
        return f"{name}: {value}"
    return _("%(name)s: %(value)s, 95 %% interval %(ends)s") % {
        "name": name,
        "value": value,
        "ends": span(row.low, row.high),
    }


def estimates_plot(
    points: Iterable[Point],
    across: Text,
    width: float,
    behind: Behind = PLAIN,
    keys: Sequence[Key] = (),
    places: int = 2,
) -> Drawing | None:
    """Values with their intervals, one line per name from top to bottom; None where there are none.

    Rows without a value are left out. The first of a line is written at its end, with so many decimals.
    """
    with_value = [point for point in points if point.row.value is not None]
    first = {point.line: point for point in reversed(with_value)}
    estimates = []
    for point in with_value:
        row, style, written = point.row, point.style, ""
        if first[point.line] is point:
            written = decimals(row.value, places)
            if row.low is not None and row.high is not None:
                written = f"{written} ({span(row.low, row.high, places)})"
        estimate = Estimate(
            point.line, row.value or 0.0, style.look, point.told, row.low, row.high,
            style.shape, style.shift, style.modelled, written,
        )  # fmt: skip
        estimates.append(estimate)
    styles = dict.fromkeys(point.style for point in with_value)
    return interval_plot(
        estimates, str(across), decimals, width=width, keys=[*keys_of(styles), *keys], behind=behind
    )


def keys_of(styles: Iterable[Style]) -> list[Key]:
    """What the styles mean, of those that have a name."""
    return [
        Key(str(style.label), f"{style.look} modelled" if style.modelled else style.look, style.shape)
        for style in styles
        if style.label
    ]
