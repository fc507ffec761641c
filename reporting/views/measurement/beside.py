"""What stands beside the published Average and Top: theta_QL, and Top without the luck of the choice.

And ability by category, as the page and the report draw it.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from django.utils.translation import gettext as _

from presentation.catalogue import SCORED_ANSWERS
from presentation.drawings.intervals import Behind
from presentation.drawings.shapes import Drawing
from presentation.figures import STYLES, Point, estimates_plot
from presentation.measures import group_name, interval_or_reason, se_cell, value_cell
from presentation.numbers import counted
from presentation.tables import Table, Term, table_of
from psychometrics.inference.estimates import Reason
from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.reports import Report
from scoring.models import MeasureRow


class Rows(Protocol):
    """Stored measures by name, group and subset."""

    def get(self, name: str, group: str = "", subset: str = "") -> MeasureRow | None: ...


def beside_table(report: Report, top: Rows | None) -> Table | None:
    """The table for a set of results, of `top` once it is measured; None where nothing is on a scale."""
    rows: list[tuple[str, MeasureRow | None]] = [
        (_("%(group)s, ability on the QL scale") % {"group": group_name(row.group)}, _theta_ql(row))
        for row in report.overall
    ]
    if top is not None:
        rows += [
            (
                _("Top by other answers than it was chosen by (top.crossfit5)"),
                top.get("top.crossfit5", "top"),
            ),
            (_("Top shrunk towards the mean (top.eb)"), top.get("top.eb", "top")),
            (_("Top if all people were equally able (top.null)"), top.get("top.null", "top")),
        ]
    caption = _(
        "Beside it: on the scale that does not depend on the answers per question, and Top "
        "without the luck of the choice."
    )
    note = _(
        "Ability on the QL scale (theta_QL) has a scale of its own, close to that of ability; its "
        "interval is of the same kind as that of ability (theta.pool). That of Top by luck alone "
        "(top.null) is the spread of luck alone."
    )
    return _beside(caption, rows, note)


def beside_categories(report: Report) -> Table | None:
    """theta_QL of every category; None likewise."""
    rows = [(f"{report.category(row)}: {group_name(row.group)}", _theta_ql(row)) for row in report.categories]
    note = _(
        "Ability on the QL scale (theta_QL) has a scale of its own, close to that of ability; its "
        "interval is of the same kind as that of ability (theta.pool)."
    )
    return _beside(_("Beside it: ability on the QL scale of each category."), rows, note)


def _theta_ql(row: GroupNumbers) -> MeasureRow:
    """The stored estimate as a row of the measurement is shown; its interval where it is of this version."""
    if row.reason_pool == Reason.EARLIER_VERSION:
        return MeasureRow(value=row.theta_ql, reason=row.reason_ql or row.reason_pool, n=row.pairs)
    return MeasureRow(
        value=row.theta_ql,
        se=row.se_ql,
        low=row.ci_low_ql,
        high=row.ci_high_ql,
        reason=row.reason_ql,
        n=row.pairs,
    )


def _beside(caption: str, rows: Sequence[tuple[str, MeasureRow | None]], note: str) -> Table | None:
    """The rows that have a value, or that no finite one exists for; None where there are none."""
    kept = [
        (name, row)
        for name, row in rows
        if row is not None and (row.value is not None or row.reason == Reason.NO_FINITE_SOLUTION)
    ]
    if not kept:
        return None
    return table_of(
        caption,
        kept,
        (
            (_("Estimate"), lambda line: line[0]),
            (Term(_("Ability"), _("Theta")), lambda line: value_cell(line[1])),
            (_("SE"), lambda line: se_cell(line[1])),
            (_("95 % interval"), lambda line: interval_or_reason(line[1])),
            (SCORED_ANSWERS, lambda line: counted(line[1].n)),
        ),
        [note],
    )


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
