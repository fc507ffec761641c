"""Ability over all questions and by category, as the report draws it."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from presentation.drawings.intervals import Behind
from presentation.drawings.shapes import Drawing
from presentation.figures import STYLES, Point, estimates_plot
from reporting.selectors.reports import Report


class Pooled(NamedTuple):
    """theta.pool with its first interval."""

    value: float | None
    low: float | None
    high: float | None


def ability_chart(report: Report, width: float) -> Drawing | None:
    """theta.pool with the interval that stands first: all prompts together, then by category."""
    rows = [*report.overall, *sorted(report.categories, key=lambda row: row.category)]
    points = [
        Point(
            report.category(row) or _("All questions"),
            STYLES[row.group],
            Pooled(row.theta_pool, row.ci_low_pool, row.ci_high_pool),
        )
        for row in rows
    ]
    across = _("ability (theta.pool) in logits, Average with its 95 % interval")
    return estimates_plot(points, across, width, Behind(below_first=True))
