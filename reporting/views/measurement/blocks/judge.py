"""What theta owes to the judge: confidence, failures, single verdicts, other judges."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _, ngettext

from judging.views.reason_texts import REASON_TEXTS
from presentation.catalogue import QL_ABILITY, SCORED_ANSWERS
from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.shapes import Drawing
from presentation.measures import group_name, percent_cell, value_cell, value_with_interval
from presentation.numbers import Text, counted, decimals, percent
from presentation.tables import Term
from reporting.views.measurement import parts
from reporting.views.measurement.blocks.dif import prompt_name
from scoring.models import MeasureRow
from scoring.selectors.judges import NOT_JUDGED
from scoring.selectors.measures import BlockMeasures

BINS = tuple(edge / 20 for edge in range(20))  # [0, 0.05), … ; exactly 1 by itself
REASONS = {**REASON_TEXTS, NOT_JUDGED: _("The judge has not come to this answer, or not to its last text.")}


def finding(block: BlockMeasures) -> Text:
    """Whether the judge's confidence moves Average, and how many answers it left without a verdict."""
    unscored = block.get("judge.unscored")
    change = next(
        (row for row in block.named("theta.change", group="average") if row.value is not None), None
    )
    if unscored is None or unscored.value is None:
        return ""
    facts = {"unscored": counted(unscored.details["unscored"]), "share": percent_cell(unscored)}
    if change is None:
        return parts.bold(
            _("The judge left <strong>{unscored} answers ({share})</strong> without a verdict."), **facts
        )
    return parts.bold(
        _(
            "With other scores of the same answers Average would change by <strong>{change}</strong>; the "
            "judge left {unscored} answers ({share}) without a verdict."
        ),
        change=value_cell(change),
        **facts,
    )


def summary(block: BlockMeasures) -> Iterator[Text]:
    unscored, flips = block.get("judge.unscored"), block.get("theta.flips", "average")
    yield _(
        "The score of a criterion is multiplied with the judge's confidence, and the logit is steep near "
        "1: a confidence of 0.95 instead of 1.00 on every criterion that is met can cost more than a "
        "logit. Ability on the QL scale (theta_QL) depends much less on it."
    )
    yield _("Answers without a valid verdict: %(count)s (%(share)s); they are missing, not zero.") % {
        "count": counted(unscored.details["unscored"] if unscored else None),
        "share": percent_cell(unscored),
    }
    if flips is not None:
        yield _(
            "As a reference: if %(share)s %% of the answers with full credit deserved none, the pooled "
            "ability of Average would change by %(change)s, ability on the QL scale (theta_QL) by "
            "%(quasi)s."
        ) % {
            "share": decimals(100 * flips.details["share"], 1),
            "change": value_cell(flips),
            "quasi": value_cell(block.get("theta.flips.ql", "average")),
        }


def confidences(block: BlockMeasures) -> list[tuple[str, int]]:
    return [(name, number) for name, number in _bins_of(block.get("judge.confidence")) if number]


def _share_of_verdicts(block: BlockMeasures, line: tuple[str, int]) -> str:
    return percent(line[1] / sum(number for _name, number in confidences(block)))


def _confidence_notes(block: BlockMeasures) -> Iterator[Text]:
    yield _("Mean %(mean)s; exactly 1 in %(share)s of the verdicts.") % {
        "mean": value_cell(block.get("judge.confidence"), 3),
        "share": percent_cell(block.get("judge.certain")),
    }


def _bins_of(row: parts.Row) -> list[tuple[str, int]]:
    """Verdicts by confidence in steps of 0.05; exactly 1 has a place of its own."""
    counts = [(float(value), int(number)) for value, number in (row.details["counts"] if row else ())]
    named = []
    for low in BINS:
        inside = sum(number for value, number in counts if low <= value < low + 0.05 - 1e-9 and value < 1)
        named.append((f"{decimals(low, 2)} – {decimals(low + 0.05, 2)}", inside))
    return [*named, (decimals(1, 2), sum(number for value, number in counts if value >= 1))]


def unscored_reasons(block: BlockMeasures) -> list[tuple[str, int]]:
    row = block.get("judge.unscored")
    return list(row.details["reasons"].items()) if row else []


def _group_and_scores(_block: BlockMeasures, row: MeasureRow) -> str:
    kind, _colon, name = (row.subset or "scores:judge").partition(":")
    name, again, _rest = name.partition("/reselected")
    scores: Text = _("as judged") if name == "judge" else _("every confidence taken as 1")
    if kind == "judge":
        scores = _("judge %(name)s") % {"name": name}
    if again:
        scores = _("%(scores)s, Top chosen anew") % {"scores": scores}
    return f"{group_name(row.group)}: {scores}"


def _answer_table(name: str, caption: Text) -> parts.MeasureTable[MeasureRow]:
    """Single answers that theta hangs on."""

    def quasi(block: BlockMeasures, row: MeasureRow) -> str:
        return value_cell(block.beside(row, f"{name}.ql"), 3)

    def notes(block: BlockMeasures) -> Iterator[Text]:
        public = [row.details["public"] for row in block.named(name)]
        if not all(public):
            yield ngettext(
                "%(private)s of %(all)s answer here is on a private question; a report and an export "
                "leave it out.",
                "%(private)s of these %(all)s answers are on private questions; a report and an export "
                "leave them out.",
                len(public),
            ) % {"private": counted(public.count(False)), "all": counted(len(public))}

    return parts.MeasureTable(
        caption,
        parts.named(name),
        (
            (_("Person"), lambda _block, row: row.participant),
            (_("Question"), prompt_name),
            (_("Group and scores"), _group_and_scores),
            (_("Score"), _scores_cell),
            (Term(_("Change of pooled ability"), _("Change of pooled theta")), parts.value(3)),
            (Term(_("Change of ability on the QL scale"), _("Change of theta_QL")), quasi),
        ),
        notes,
        about_people=True,
        view="answers",
    )


def _scores_cell(block: BlockMeasures, row: MeasureRow) -> str:
    other = f" → {parts.detail('p_other')(block, row)}" if "p_other" in row.details else ""
    return parts.detail("p")(block, row) + other


def _draw_confidence(block: BlockMeasures, width: float) -> Drawing | None:
    """How often each confidence occurs; on a logarithmic axis, as nearly all of them are 1."""
    binned = _bins_of(block.get("judge.confidence"))
    if not sum(number for _name, number in binned):
        return None
    middles = [low + 0.025 for low in BINS] + [1.025]
    places = [
        Place(middle, number, f"{name}: {counted(number)}")
        for middle, (name, number) in zip(middles, binned, strict=True)
        if number
    ]
    most = max(number for _name, number in binned)
    named = [(tick, decimals(tick, 1)) for tick in (0.0, 0.2, 0.4, 0.6, 0.8)]
    return chart(
        [Series("bars", places, "average", width=0.046)],
        Axis(str(_("the judge's confidence")), -0.01, 1.08, named=[*named, (1.025, str(_("exactly 1")))]),
        Axis(
            str(_("verdicts (logarithmic)")), 0.7, 1.3 * most, log=True,
            named=[(10**power, counted(10**power)) for power in range(8)],
        ),
        decimals,
        width=width,
    )  # fmt: skip


PAGE = parts.BlockPage(
    _("Judge effects"),
    finding,
    summary,
    (
        parts.Plot(
            name="confidence",
            title=_("How confident the judge was"),
            alt=_("Number of verdicts by the judge's confidence, in steps of 0.05."),
            caption=_("The judge's confidence in its verdicts; exactly 1 stands by itself."),
            draw=_draw_confidence,
            view="confidence",
        ),
        parts.MeasureTable(
            _("The judge's confidence in its verdicts"),
            confidences,
            (
                (_("Confidence"), lambda _block, line: line[0]),
                (_("Verdicts"), lambda _block, line: counted(line[1])),
                (_("Share"), _share_of_verdicts),
            ),
            _confidence_notes,
            view="confidence",
        ),
        parts.MeasureTable(
            _("Answers without a valid verdict"),
            unscored_reasons,
            (
                (_("Reason"), lambda _block, line: REASONS.get(line[0], line[0])),
                (_("Answers"), lambda _block, line: counted(line[1])),
            ),
            view="confidence",
        ),
        parts.MeasureTable(
            _("Ability under other scores of the same answers (95 % interval)"),
            parts.named("judge.theta.pool"),
            (
                (_("Group and scores"), _group_and_scores),
                (_("Pooled"), parts.row_cell(value_with_interval)),
                (
                    QL_ABILITY,
                    parts.beside("judge.theta.ql", parts.row_cell(value_with_interval)),
                ),
                (_("By question means, as published"), parts.beside("judge.theta.prompt")),
                (SCORED_ANSWERS, parts.count("n")),
            ),
            view="other",
        ),
        parts.MeasureTable(
            _("What other scores change ability by (95 % interval)"),
            parts.named("theta.change"),
            (
                (_("Group and scores"), _group_and_scores),
                (_("Pooled"), parts.row_cell(value_with_interval)),
                (
                    QL_ABILITY,
                    parts.beside("theta.change.ql", parts.row_cell(value_with_interval)),
                ),
                (SCORED_ANSWERS, parts.count("n")),
            ),
            _(
                "Changes compare the same answers of the same people under both scores. Another judge is "
                "taken on the same item bank, which was calibrated under one judge: a change of ability "
                "may be a change of scale."
            ),
            view="other",
        ),
        _answer_table("influence.answer", _("The ten answers without which ability changes most")),
        _answer_table("influence.other", _("The ten answers whose other score changes ability most")),
    ),
    {"confidence": _("Confidence"), "other": _("Other scores"), "answers": _("Single answers")},
)
