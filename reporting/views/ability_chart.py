"""Ability of both groups over all prompts and by category, as a figure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from presentation.figures import INK, STYLES, Point, interval_plot
from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.reports import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Pooled:
    """theta.pool of a stored estimate with its first interval."""

    row: GroupNumbers

    @property
    def value(self) -> float | None:
        return self.row.theta_pool

    @property
    def low(self) -> float | None:
        return self.row.ci_low_pool

    @property
    def high(self) -> float | None:
        return self.row.ci_high_pool

    @property
    def se(self) -> float | None:
        return self.row.se_pool

    @property
    def reason(self) -> str:
        return self.row.reason_pool

    @property
    def clusters(self) -> int | None:
        return self.row.clusters


def ability_chart(report: Report) -> "Figure | None":
    """theta.pool with the interval that stands first: all prompts together, then by category."""
    rows = [*report.overall, *sorted(report.categories, key=lambda row: row.category)]
    points = [Point(row.category or _("All prompts"), STYLES[row.group], Pooled(row)) for row in rows]
    return interval_plot(points, _("theta.pool in logits, Average with its 95 % interval"), below_the_first)


def below_the_first(axes: "Axes") -> None:
    axes.axhline(0.5, color=INK, linewidth=0.6)
