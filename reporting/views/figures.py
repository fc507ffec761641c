"""Figures as SVG files; the page shows the same numbers in a table."""

import math
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from django.utils.formats import get_format
from django.utils.translation import gettext as _, gettext_lazy

from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.reports import Report
from scoring.models import ResultGroup

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

# Blue and orange differ in lightness as well, and each group has its own marker.
STYLES = {
    ResultGroup.AVERAGE: (gettext_lazy("Average"), "o", "#0b5a6b", -0.16),
    ResultGroup.TOP: (gettext_lazy("Top (in-sample)"), "s", "#b3541e", 0.16),
}
INK = "#1d2226"
ENDS_OF_BARS = ("|", "_")  # markers at the ends of error bars, which are no points


def with_scope(figure: "Figure", words: str) -> "Figure":
    """The figure with the prompts it rests on at its foot."""
    if words:
        figure.supxlabel(words, x=0.99, horizontalalignment="right", fontsize="small", color=INK)
    return figure


def as_svg(figure: "Figure") -> bytes:
    image = BytesIO()
    in_readers_numbers(figure).savefig(image, format="svg", metadata={"Date": None})
    return image.getvalue()


def in_readers_numbers(figure: "Figure") -> "Figure":
    """The figure with the decimal mark of the reader's language on its axes."""
    from matplotlib.ticker import ScalarFormatter, StrMethodFormatter

    mark = get_format("DECIMAL_SEPARATOR")

    class Formatter(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(".", mark)

    class Patterned(StrMethodFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(".", mark)

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, StrMethodFormatter):
                axis.set_major_formatter(Patterned(formatter.fmt))
            elif isinstance(formatter, ScalarFormatter):
                axis.set_major_formatter(Formatter())
    return figure


def has_several_points(report: Report) -> bool:
    """Whether there is anything to compare in the chart: a single point says no more than its number."""
    return sum(row.theta_pool is not None for row in (*report.overall, *report.categories)) > 1


def shows_several_points(figure: "Figure") -> bool:
    """The same of a figure that is drawn: points of lines and clouds, bars, and cells of grids."""
    return sum(map(points_in, figure.axes)) > 1


def points_in(axes: "Axes") -> int:
    """Points of lines and clouds, bars, cells of a grid; ends of error bars and lines across are none."""
    from matplotlib.collections import PathCollection
    from matplotlib.patches import Rectangle

    def lies_in_data(transform: "Transform") -> bool:
        return all(transform.contains_branch_seperately(axes.transData))

    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    number = sum(
        bool(bar.get_width() and bar.get_height()) and lies_in_data(bar.get_data_transform()) for bar in bars
    )
    for line in axes.lines:
        if lies_in_data(line.get_transform()) and line.get_marker() not in ENDS_OF_BARS:
            places = np.asarray(line.get_xydata(), dtype=np.float64)
            number += int(np.isfinite(places).all(axis=1).sum())
    for one in axes.collections:
        grid = one.get_array()
        if grid is not None:
            number += int(np.ma.count(grid))
        elif isinstance(one, PathCollection):
            number += len(np.asarray(one.get_offsets()))
    return number


def ability_chart(report: Report) -> "Figure":
    """theta.pool with the interval that stands first: all prompts together, then by category."""
    # Importing matplotlib takes half a second, which no command and no other page should pay.
    from matplotlib.figure import Figure

    categories = ["", *sorted({estimate.category for estimate in report.categories})]
    figure = Figure(figsize=(8.0, 1.4 + 0.45 * len(categories)), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for group in STYLES:
        rows = [row for row in (*report.overall, *report.categories) if row.group == group]
        draw_group(axes, group, rows, categories)
    names = [category or _("All prompts") for category in categories]
    axes.set_yticks(range(len(categories)), names, parse_math=False)
    axes.set_ylim(len(categories) - 0.5, -0.5)
    axes.axhline(0.5, color=INK, linewidth=0.6)
    axes.grid(axis="x", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel(_("theta.pool in logits, Average with its 95 % interval"))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    figure.legend(loc="outside upper left", ncols=len(STYLES), frameon=False)
    return figure


def draw_group(
    axes: "Axes", group: ResultGroup, rows: Sequence[GroupNumbers], categories: Sequence[str]
) -> None:
    label, marker, colour, shift = STYLES[group]
    known = [
        (row.theta_pool, half_width(row), categories.index(row.category) + shift)
        for row in rows
        if row.theta_pool is not None
    ]
    axes.errorbar(
        [theta for theta, _, _ in known],
        [place for _, _, place in known],
        xerr=[half for _, half, _ in known],
        fmt=marker,
        color=colour,
        markersize=6,
        capsize=3,
        label=str(label),
    )


def half_width(row: GroupNumbers) -> float:
    """Of the first interval; NaN, which is not drawn, where there is none."""
    if row.theta_pool is None or row.ci_high_pool is None:
        return math.nan
    return row.ci_high_pool - row.theta_pool
