"""Ability of both groups over all prompts and by category, as a figure."""

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext as _

from presentation.figures import INK, STYLES, Point, interval_plot
from reporting.selectors.reports import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Pooled(NamedTuple):
    """theta.pool with its first interval."""

    value: float | None
    low: float | None
    high: float | None


def ability_chart(report: Report) -> "Figure | None":
    """theta.pool with the interval that stands first: all prompts together, then by category."""
    rows = [*report.overall, *sorted(report.categories, key=lambda row: row.category)]
    points = [
        Point(
            row.category or _("All prompts"),
            STYLES[row.group],
            Pooled(row.theta_pool, row.ci_low_pool, row.ci_high_pool),
        )
        for row in rows
    ]
    return interval_plot(points, _("theta.pool in logits, Average with its 95 % interval"), below_the_first)


def below_the_first(axes: "Axes") -> None:
    axes.axhline(0.5, color=INK, linewidth=0.6)
