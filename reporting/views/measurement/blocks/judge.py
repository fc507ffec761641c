"""What theta owes to the judge as a page: confidence, failures, single verdicts, other judges."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_lazy

from judging.views.reason_texts import REASON_TEXTS
from presentation.measures import BY_PEOPLE, group_name, percent_cell, value_cell, value_with_interval
from presentation.numbers import counted, decimals
from presentation.tables import Table
from reporting.views.agreement.figure import POINTS, empty_figure
from reporting.views.measurement.blocks.dif import prompt_name
from reporting.views.measurement.blocks.fit import detail_cell
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.judge_effects import NOT_JUDGED
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = tuple(edge / 20 for edge in range(20))  # [0, 0.05), … ; exactly 1 by itself


def summary(found: BlockMeasures) -> Sequence[str]:
    unscored, flips = found.get("judge.unscored"), found.get("theta.flips", "average")
    sentences = [
        _(
            "The score of a criterion is multiplied with the judge's confidence, and the logit is steep "
            "near 1: a confidence of 0.95 instead of 1.00 on every criterion that is met can cost more "
            "than a logit. theta_QL depends much less on it."
        ),
        _("Answers without a valid verdict: %(count)s (%(share)s); they are missing, not zero.")
        % {
            "count": counted(unscored.details["unscored"] if unscored else None),
            "share": percent_cell(unscored),
        },
    ]
    if flips is not None:
        sentences.append(
            _(
                "As a reference: if %(share)s %% of the answers with full credit deserved none, the pooled "
                "theta of Average would change by %(change)s, theta_QL by %(quasi)s."
            )
            % {
                "share": decimals(100 * flips.details["share"], 1),
                "change": value_cell(flips),
                "quasi": value_cell(found.get("theta.flips.ql", "average")),
            }
        )
    return sentences


def tables(found: BlockMeasures) -> Sequence[Table]:
    shown = (
        confidence_table(found),
        reason_table(found),
        theta_table(found),
        change_table(found),
        answer_table(found, "influence.answer", _("The ten answers without which theta changes most")),
        answer_table(found, "influence.other", _("The ten answers whose other score changes theta most")),
    )
    return [table for table in shown if table.rows]


def confidence_table(found: BlockMeasures) -> Table:
    row = found.get("judge.confidence")
    binned = bins_of(row)
    total = sum(count for _name, count in binned)
    return Table(
        caption=_("The judge's confidence in its verdicts"),
        head=(_("Confidence"), _("Verdicts"), _("Share")),
        rows=[
            (name, counted(count), f"{decimals(100 * count / total, 1)} %") for name, count in binned if count
        ],
        notes=(
            _("Mean %(mean)s; exactly 1 in %(share)s of the verdicts.")
            % {"mean": value_cell(row, 3), "share": percent_cell(found.get("judge.certain"))},
        ),
    )


def bins_of(row: MeasureRow | None) -> list[tuple[str, int]]:
    """Verdicts by confidence in steps of 0.05; exactly 1 has a place of its own."""
    counts = [(float(value), int(number)) for value, number in (row.details["counts"] if row else ())]
    named = []
    for low in BINS:
        inside = sum(number for value, number in counts if low <= value < low + 0.05 - 1e-9 and value < 1)
        named.append((f"{decimals(low, 2)} – {decimals(low + 0.05, 2)}", inside))
    return [*named, (decimals(1, 2), sum(number for value, number in counts if value >= 1))]


def reason_table(found: BlockMeasures) -> Table:
    row = found.get("judge.unscored")
    reasons = row.details["reasons"] if row else {}
    names = {**REASON_TEXTS, NOT_JUDGED: _("The judge has not come to this answer, or not to its last text.")}
    return Table(
        caption=_("Answers without a valid verdict"),
        head=(_("Reason"), _("Answers")),
        rows=[(str(names.get(reason, reason)), counted(count)) for reason, count in reasons.items()],
    )


def theta_table(found: BlockMeasures) -> Table:
    return Table(
        caption=_("Theta under other scores of the same answers (95 % interval)"),
        head=(
            _("Group and scores"),
            _("Pooled"),
            _("theta_QL"),
            _("By prompt means, as published"),
            _("Pairs"),
        ),
        rows=[
            (
                group_and_scores(row),
                value_with_interval(row),
                value_with_interval(found.get("judge.theta.ql", row.group, row.subset)),
                value_cell(found.get("judge.theta.prompt", row.group, row.subset)),
                counted(row.n),
            )
            for row in found.named("judge.theta.pool")
        ],
        notes=(str(BY_PEOPLE),),
    )


def change_table(found: BlockMeasures) -> Table:
    return Table(
        caption=_("What other scores change theta by (95 % interval)"),
        head=(
            _("Group and scores"),
            _("Pooled"),
            _("theta_QL"),
            _("Pairs"),
        ),
        rows=[
            (
                group_and_scores(row),
                value_with_interval(row),
                value_with_interval(found.get("theta.change.ql", row.group, row.subset)),
                counted(row.n),
            )
            for row in found.named("theta.change")
        ],
        notes=(
            _(
                "Changes compare the same answers of the same people under both scores. Another judge is "
                "taken on the same item bank, which was calibrated under one judge: a change of theta may "
                "be a change of scale."
            ),
        ),
    )


def group_and_scores(row: MeasureRow) -> str:
    return f"{group_name(row.group)}: {scores_name(row.subset or 'scores:judge')}"


def scores_name(subset: str) -> str:
    kind, _colon, name = subset.partition(":")
    name, again, _rest = name.partition("/reselected")
    if kind == "judge":
        text = _("judge %(name)s") % {"name": name}
    else:
        text = _("as judged") if name == "judge" else _("every confidence taken as 1")
    return _("%(scores)s, Top chosen anew") % {"scores": text} if again else text


def answer_table(found: BlockMeasures, name: str, caption: str) -> Table:
    rows = list(found.named(name))
    quasi = {place_of(row): row for row in found.named(f"{name}.ql")}
    private = sum(not row.details["public"] for row in rows)
    note = _(
        "%(private)s of these %(all)s answers are on private prompts; a report and an export leave them out."
    )
    return Table(
        caption=caption,
        head=(
            _("Person"),
            _("Prompt"),
            _("Group and scores"),
            _("Score"),
            _("Change of pooled theta"),
            _("Change of theta_QL"),
        ),
        rows=[
            (
                row.participant,
                prompt_name(found, row),
                group_and_scores(row),
                detail_cell(row, "p", 2) + other_cell(row),
                value_cell(row, 3),
                value_cell(quasi.get(place_of(row)), 3),
            )
            for row in rows
        ],
        notes=[note % {"private": counted(private), "all": counted(len(rows))}] if private else (),
        about_people=True,
    )


def place_of(row: MeasureRow) -> tuple[str, ...]:
    """Which answer a row is about, of whom and under which scores."""
    return row.group, row.subset, row.participant, row.prompt_id


def other_cell(row: MeasureRow) -> str:
    return f" → {detail_cell(row, 'p_other', 2)}" if "p_other" in row.details else ""


def confidence_figure(found: BlockMeasures) -> "Figure | None":
    """How often each confidence occurs; on a logarithmic axis, as nearly all of them are 1."""
    binned = bins_of(found.get("judge.confidence"))
    if not sum(count for _name, count in binned):
        return None
    figure, axes = empty_figure((8.0, 3.8))
    places = [low + 0.025 for low in BINS] + [1.025]
    axes.bar(places, [count for _name, count in binned], width=0.046, color=POINTS)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda count, _place: counted(round(count)))
    axes.set_ylim(bottom=0.7)
    axes.set_xticks(
        [0, 0.2, 0.4, 0.6, 0.8, 1.025],
        ["0", *(decimals(tick, 1) for tick in (0.2, 0.4, 0.6, 0.8)), _("exactly 1")],
    )
    axes.set_xlabel(_("the judge's confidence"))
    axes.set_ylabel(_("verdicts (logarithmic)"))
    axes.grid(axis="y", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


PAGE = BlockPage(
    title=gettext_lazy("Judge effects"),
    summary=summary,
    tables=tables,
    figures={
        "confidence": FigureSpec(
            draw=confidence_figure,
            alt=gettext_lazy("Number of verdicts by the judge's confidence, in steps of 0.05."),
            caption=gettext_lazy("The judge's confidence in its verdicts; exactly 1 stands by itself."),
        )
    },
)
