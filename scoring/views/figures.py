"""Figures as SVG files; the page shows the same numbers in a table."""

import math
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_lazy

from scoring.models import Estimate, ResultGroup
from scoring.selectors.reports import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Blue and orange differ in lightness as well, and each group has its own marker.
STYLES = {
    ResultGroup.AVERAGE: (gettext_lazy("Average"), "o", "#0b5a6b", -0.16),
    ResultGroup.TOP: (gettext_lazy("Top (in-sample)"), "s", "#b3541e", 0.16),
}
INK = "#1d2226"


def ability_figure(report: Report) -> bytes:
    """The chart as an SVG file."""
    image = BytesIO()
    ability_chart(report).savefig(image, format="svg", metadata={"Date": None})
    return image.getvalue()


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


def draw_group(axes: "Axes", group: ResultGroup, rows: Sequence[Estimate], categories: Sequence[str]) -> None:
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


def half_width(row: Estimate) -> float:
    """Of the first interval; NaN, which is not drawn, where there is none."""
    if row.theta_pool is None or row.ci_high_pool is None:
        return math.nan
    return row.ci_high_pool - row.theta_pool
