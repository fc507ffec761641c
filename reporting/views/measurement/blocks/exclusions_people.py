"""Tables of the exclusions page that are about single people: the ledger, and the reviewers' agreement."""

from django.utils.translation import gettext as _

from presentation.columns import ABSENT
from presentation.exclusions import rule_name
from presentation.measures import interval_cell, percent_cell, value_or_reason
from presentation.numbers import counted, decimals
from presentation.tables import Table
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

LEDGER_SHOWN = 100


def ledger_table(found: BlockMeasures) -> Table:
    ledger = sorted(found.named("exclusion.rules"), key=lambda row: (-(row.value or 0), row.participant))
    rows = [ledger_row(row) for row in ledger[:LEDGER_SHOWN]]
    head = (
        _("Person"), _("Excluded"), _("Rules"), _("Off-task"), _("Answered"), _("Median words"),
        _("Seconds per answer"), _("Reviewers"),
    )  # fmt: skip
    rest = len(ledger) - len(rows)
    notes = [_("Words are counted in the first 200 characters of an answer: no rule asks for more.")]
    if rest:
        notes.append(_("%(number)d more are in the export.") % {"number": rest})
    caption = _("Whom rules leave out that look at no score")
    return Table(caption, head, rows, notes, about_people=True)


def ledger_row(row: MeasureRow) -> list[str]:
    facts = row.details["facts"]
    shares = [
        ABSENT if facts[name] is None else f"{decimals(100 * facts[name], 0)} %"
        for name in ("off_task_share", "answered_share")
    ]
    names = [rule_name(key) for key in row.details["rules"]]
    return [
        row.participant, _("yes") if row.details["excluded"] else _("no"), "; ".join(names) or ABSENT,
        *shares, decimals(facts["median_words"], 0), decimals(facts["seconds_per_answer"], 0),
        counted(row.details["raters"]),
    ]  # fmt: skip


def raters_table(found: BlockMeasures) -> Table:
    names = {
        "screening.rated_twice": _("Share of people with two reviewers"),
        "screening.kappa": _("Cohen's κ of the first two"),
        "screening.ac1": _("Gwet's AC1 of the first two"),
    }
    rows = []
    for row in found.named(*names):
        share = row.name == "screening.rated_twice" and row.value is not None
        value = percent_cell(row, 0) if share else value_or_reason(row)
        rows.append([names[row.name], value, interval_cell(row), counted(row.n)])
    note = _(
        "At least one in five flagged people should have two reviewers. The second could read what the first "
        "decided, so that this agreement is an upper bound of that of reviewers who decide alone."
    )
    head = (_("Number"), _("Value"), _("95 % interval"), _("People"))
    return Table(_("Agreement of reviewers"), head, rows, (note,))
