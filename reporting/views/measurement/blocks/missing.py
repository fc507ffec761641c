"""Missing answers in sentences, tables, and a figure of where in the batch they are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from django.utils.translation import gettext as _, gettext_lazy

from presentation.absence import why_absent
from presentation.measures import (
    estimator_name,
    group_name,
    interval_cell,
    percent_cell,
    value_cell,
    value_with_interval,
)
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from psychometrics.data.cohort import Outcome
from psychometrics.inference.estimates import Reason
from psychometrics.missing.outcomes import ABSENT
from reporting.views.agreement.figure import empty_figure
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUPS = ("average", "top")
THETAS = ("missing.theta.pool", "missing.theta.prompt", "missing.theta.ql")
MIN_SHOWN = 0.001  # smaller probabilities are not told apart
OUTCOMES: Mapping[str, Text] = {
    Outcome.SCORED: gettext_lazy("scored"),
    Outcome.UNSCORED: gettext_lazy("answered, no valid verdict (technical)"),
    Outcome.SKIPPED: gettext_lazy("skipped: seen and left or made empty"),
    Outcome.NOT_REACHED: gettext_lazy("not reached: never shown"),
    Outcome.NOT_SUBMITTED: gettext_lazy("written, not handed in, and so not counted"),
}
ASSUMPTIONS: Mapping[str, Text] = {
    "as-missing": gettext_lazy("as missing: left out (headline)"),
    "as-zero": gettext_lazy("as zero: skipped and not reached score 0; Top chosen again"),
    "as-zero:same-people": gettext_lazy("as zero, Top not chosen again"),
    "floor:0.8": gettext_lazy("Top among people who answered 80 % or more"),
    "bound:low": gettext_lazy("lower bound: every gap scores 0"),
    "bound:high": gettext_lazy("upper bound: every gap scores 1"),
    "delta:0": gettext_lazy("gaps as the person is expected to score (delta 0)"),
    "delta:1": gettext_lazy("1 logit worse (delta 1)"),
    "delta:2": gettext_lazy("2 logits worse (delta 2)"),
    "delta:4": gettext_lazy("4 logits worse (delta 4)"),
}
TERMS: Mapping[str, Text] = {
    "b": gettext_lazy("difficulty b, per logit"),
    "position": gettext_lazy("position in the batch, per place"),
}
WHY_HERE: Mapping[str, Text] = {
    Reason.SEPARATED.value: gettext_lazy("no finite odds ratio: it tells all absent answers from the others"),
    Reason.NO_VARIATION.value: gettext_lazy("not estimable: nothing varies, or terms cannot be told apart"),
    Reason.TOO_FEW_PEOPLE.value: gettext_lazy("fewer people than Top needs"),
    Reason.TOO_FEW_PAIRS.value: gettext_lazy("no person or no prompt has two answers"),
}
COLOURS = {Outcome.SKIPPED: "#b3541e", Outcome.NOT_REACHED: "#0b5a6b", Outcome.NOT_SUBMITTED: "#8a8f94"}
HATCHES = {Outcome.SKIPPED: "", Outcome.NOT_REACHED: "//", Outcome.NOT_SUBMITTED: ".."}


def summary(found: BlockMeasures) -> list[str]:
    said = [shares_sentence(found, group) for group in GROUPS]
    said += [test_sentence(found), *theta_sentences(found)]
    return [sentence for sentence in said if sentence]


def shares_sentence(found: BlockMeasures, group: str) -> str:
    rows = {outcome: found.get(f"share.{outcome}", group) for outcome in Outcome}
    scored = rows[Outcome.SCORED]
    if scored is None or scored.value is None:
        return ""
    absent = sum(count_of(rows[outcome]) for outcome in ABSENT)
    return _(
        "%(group)s: the people gave no answer that counts at %(absent)s of %(places)s places (%(share)s %%); "
        "%(unscored)s more answers have no valid verdict. None of these is a zero in theta."
    ) % {
        "group": group_name(group), "absent": counted(absent), "places": counted(scored.n),
        "share": decimals(100 * absent / (scored.n or 1), 1),
        "unscored": counted(count_of(rows[Outcome.UNSCORED])),
    }  # fmt: skip


def test_sentence(found: BlockMeasures) -> str:
    row = found.get("absence.test", "top")
    if row is None or row.value is None:
        return ""
    return _(
        "If absences were independent of each other, Top would leave as many places as it does, or more, "
        "with probability %(p)s at the cohort's share (one-sided binomial). A raw mean over answered "
        "prompts rewards skipping."
    ) % {"p": decimals(row.value, 3) if row.value >= MIN_SHOWN else _("below 0.001")}


def theta_sentences(found: BlockMeasures) -> Iterator[str]:
    """What the gaps could do to Average, by single answers and by theta_QL."""
    for name in ("missing.theta.pool", "missing.theta.ql"):
        subsets = ("as-missing", "as-zero", "bound:low", "bound:high")
        rows = [found.get(name, "average", subset) for subset in subsets]
        if any(row is None or row.value is None for row in rows):
            continue
        missing, zero, low, high = map(value_cell, rows)
        yield _(
            "Average, %(name)s: %(missing)s with missing answers left out, %(zero)s with skipped and not "
            "reached answers as zero; whatever the gaps would have scored, it lies between %(low)s and "
            "%(high)s."
        ) % {
            "name": estimator_name(name), "missing": missing, "zero": zero, "low": low, "high": high,
        }  # fmt: skip


def count_of(row: MeasureRow | None) -> int:
    return int(row.details["count"]) if row is not None else 0


def tables(found: BlockMeasures) -> Sequence[Table]:
    if found.state != "computed":
        return ()
    thetas = (thetas_table(found, group) for group in GROUPS)
    made = (reasons_table(found), *thetas, model_table(found), places_table(found))
    return [table for table in made if table.rows]


def reasons_table(found: BlockMeasures) -> Table:
    rows = []
    for outcome, text in OUTCOMES.items():
        own = [found.get(f"share.{outcome}", group) for group in GROUPS]
        cells = [cell for row in own for cell in (counted(count_of(row)), percent_cell(row))]
        rows.append([str(text), *cells])
    return Table(
        caption=_("Places by what became of them"),
        head=(_("Outcome"), *(f"{group_name(group)}, {what}" for group in GROUPS for what in ("n", "%"))),
        rows=rows,
    )


def thetas_table(found: BlockMeasures, group: str) -> Table:
    rows = []
    for subset, text in ASSUMPTIONS.items():
        own = [found.get(name, group, subset) for name in THETAS]
        if any(row is not None for row in own):
            rows.append([str(text), *(theta_cell(row) for row in own)])
    return Table(
        caption=_("%(group)s under each assumption about missing answers, in logits")
        % {"group": group_name(group)},
        head=(_("Assumption"), *map(estimator_name, THETAS)),
        rows=rows,
        notes=theta_notes() if group == "average" else top_notes(found),
    )


def theta_cell(row: MeasureRow | None) -> str:
    if row is None or row.value is None:
        return reason_text(row.reason) if row is not None else value_cell(row)
    return value_with_interval(row)


def theta_notes() -> list[str]:
    return [
        _(
            "Intervals of theta.pool and theta_QL are by people (T1). Bounds and deltas take every place "
            "without a score, whatever the reason, and have no interval: they are assumptions. For delta the "
            "person's theta is shrunken by the variance components of the whole cohort, "
            "y = a (theta − b) − delta."
        ),
        _(
            "theta_QL takes gaps at p = 0 and p = 1 for its bounds, and for delta at "
            "p = logistic(a (theta − b) − delta) with the person's own shrunken theta_QL: at delta 0 a gap "
            "is what theta_QL expects."
        ),
    ]


def top_notes(found: BlockMeasures) -> list[str]:
    """How many of Top remain where it is chosen again."""
    zero, floor = (found.get("missing.theta.pool", "top", name) for name in ("as-zero", "floor:0.8"))
    if zero is None or floor is None or not zero.details.get("of"):
        return []
    return [
        _(
            "Of the %(size)s people of Top, %(zero)s are in Top with zeros and %(floor)s in Top among "
            "the %(eligible)s people who answered 80 %% or more."
        )
        % {
            "size": zero.details["of"],
            "zero": zero.details["same_people"],
            "floor": floor.details["same_people"],
            "eligible": floor.details["eligible"],
        }
    ]


def reason_text(reason: str) -> str:
    return str(WHY_HERE.get(reason) or why_absent(reason))


def model_table(found: BlockMeasures) -> Table:
    rows = [
        [
            term_text(row),
            value_cell(row, 3) if row.value is not None else reason_text(row.reason),
            interval_cell(row, 3),
            counted(row.n),
            counted(row.clusters),
        ]
        for row in found.named("missing.odds_ratio")
    ]
    return Table(
        caption=_("Odds of leaving a place: logistic regression, errors clustered by person"),
        head=(_("Term"), _("odds ratio"), _("95 % interval"), _("places"), _("people")),
        rows=rows,
        notes=[_("Above 1: more often left. Answers without a valid verdict count as given.")],
    )


def term_text(row: MeasureRow) -> str:
    if row.subset in TERMS:
        return str(TERMS[row.subset])
    compared = {"name": row.subset.partition(":")[2], "other": row.details.get("compared_with", "")}
    return _("modality %(name)s against %(other)s") % compared


def places_table(found: BlockMeasures) -> Table:
    rows = [
        [
            place_text(row.subset),
            counted(row.n),
            percent_cell(row),
            *(counted(row.details[outcome]) for outcome in (*ABSENT, Outcome.UNSCORED)),
        ]
        for row in found.named("share.absent")
    ]
    return Table(
        caption=_("Absent answers by position and modality"),
        head=(
            _("Where"), _("places"), _("absent"), _("skipped"), _("not reached"), _("not submitted"),
            _("unscored"),
        ),
        rows=rows,
    )  # fmt: skip


def place_text(subset: str) -> str:
    kind, _colon, name = subset.partition(":")
    named = {"position": _("position %(name)s"), "modality": _("modality %(name)s")}
    return named[kind] % {"name": name}


def positions(found: BlockMeasures) -> Iterator[MeasureRow]:
    return (row for row in found.named("share.absent") if row.subset.startswith("position:"))


def positions_figure(found: BlockMeasures) -> "Figure | None":
    """Bars of the share absent at each position, by reason."""
    rows = sorted(positions(found), key=lambda row: int(row.subset.partition(":")[2]))
    if not rows:
        return None
    figure, axes = empty_figure((8.0, 4.0))
    places = np.array([int(row.subset.partition(":")[2]) for row in rows])
    total = np.array([row.n or 1 for row in rows], dtype=np.float64)
    below = np.zeros(len(rows))
    for outcome in ABSENT:
        share = 100 * np.array([row.details[outcome] for row in rows]) / total
        axes.bar(
            places, share, bottom=below, color=COLOURS[outcome], hatch=HATCHES[outcome], edgecolor="white",
            label=str(OUTCOMES[outcome]),
        )  # fmt: skip
        below += share
    axes.set_xlabel(_("position in the batch"))
    axes.set_ylabel(_("absent answers, %"))
    axes.grid(axis="y", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xticks(places[:: max(1, len(places) // 20)])
    figure.legend(loc="outside upper left", ncols=1, frameon=False)
    return figure


FIGURES: Mapping[str, FigureSpec] = {
    "positions": FigureSpec(
        draw=positions_figure,
        alt=gettext_lazy("Share of absent answers at each position, by reason; the table has the numbers."),
        caption=gettext_lazy(
            "Where in the batch answers are absent, and why. Rising to the right: time ran out."
        ),
    )
}

PAGE = BlockPage(title=gettext_lazy("Missing answers"), summary=summary, tables=tables, figures=FIGURES)
