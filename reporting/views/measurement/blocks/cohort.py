"""Average and Top by each estimator of theta, and how much people differ."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _, ngettext

from presentation.catalogue import ABILITY, code_label, meaning_of
from presentation.figures import STYLES, Point
from presentation.measures import estimator_name, interval_cell, reason_cell, value_cell, value_cells
from presentation.numbers import Text, decimals, numbered, span
from presentation.tables import ABSENT
from psychometrics.inference.estimates import Reason
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

THETAS = ("theta.pool", "theta.ql", "theta.prompt")
PEOPLE = (
    "tau", "residual_sd", "person.se", "person.reliability", "person.effective_length", "person.swing",
)  # fmt: skip
REASONS: Mapping[str, Text] = {
    Reason.SELECTED.value: _("none: chosen by these scores"),
    Reason.LESS_THAN_CHANCE.value: _("none: people differ less than chance alone would give"),
    Reason.NO_FINITE_SOLUTION.value: _("all scores are 0, or all are 1"),
    Reason.NO_PAIRS.value: _("nothing is scored here"),
    Reason.TOO_FEW_PAIRS.value: _("too few answers per person"),
}


def finding(block: BlockMeasures) -> Text:
    """Whether people differ in ability, beyond what their answers scatter by."""
    tau = block.get("tau")
    if not lines(block):
        return _("No question has item parameters, so how far people differ in ability is not measured.")
    if tau is None or tau.value is None:
        return ""
    if tau.low is None or tau.low <= 0:
        return parts.bold(
            _(
                "Whether people differ in ability <strong>cannot be told from chance</strong> here: each "
                "answered too few questions."
            )
        )
    return parts.bold(
        _(
            "People <strong>differ in ability</strong>: two in three lie within {spread} of the average "
            "({low} to {high}), and no single person's place is told."
        ),
        spread=value_cell(tau), low=decimals(tau.low), high=decimals(tau.high),
    )  # fmt: skip


def summary(block: BlockMeasures) -> Iterator[Text]:
    raw = block.get("raw_mean", "average")
    if raw is not None:
        people, answers, prompts = (number or 0 for number in (raw.people, raw.n, raw.prompts))
        counts = (
            (people, ngettext("%(number)d counted person,", "%(number)d counted people,", people)),
            (answers, ngettext("%(number)d scored answer", "%(number)d scored answers", answers)),
            (prompts, ngettext("to %(number)d question.", "to %(number)d questions.", prompts)),
        )
        yield " ".join(numbered(words, {"number": number}) for number, words in counts)
    # Both estimators of the paper, why they are not the same number, and which to compare by.
    averaged, pooled, k = (block.get(name, "average") for name in ("theta.prompt", "theta.pool", "k_bar"))
    if averaged is not None and pooled is not None and k is not None and averaged.value is not None:
        yield _(
            "Average is %(pool)s by single answers and %(prompt)s by question means (%(k)s answers per "
            "question). Averaging before the logit pulls ability towards the middle, more so over different "
            "people than over epochs of one model: compare with models by ability (theta.pool) or ability on "
            "the QL scale (theta_QL) (%(ql)s)."
        ) % {
            **value_cells(prompt=averaged, pool=pooled, ql=block.get("theta.ql", "average")),
            "k": value_cell(k, 1),
        }
    yield from _people_sentences(block)


def _people_sentences(block: BlockMeasures) -> Iterator[Text]:
    """How far people differ, and how little that says of any one of them."""
    tau = block.get("tau")
    if tau is not None and tau.value is not None:
        if tau.low is None:
            facts = {"tau": value_cell(tau), "why": reason_cell(tau.reason, REASONS)}
            yield _("People differ by an SD of %(tau)s logits (%(why)s).") % facts
        else:
            text = _(
                "Ability differs between people with an SD of %(tau)s logits (95 %% interval %(interval)s)."
            )
            yield text % {"tau": value_cell(tau), "interval": interval_cell(tau)}
        yield _(
            "What people of one question set have in common is part of this spread: where sets differ, it "
            "can be above 0 without people who differ within them."
        )
    length, swing, error = (block.get(f"person.{name}") for name in ("effective_length", "swing", "se"))
    if length is None or swing is None:
        return
    sentences = [
        _(
            "Single people cannot be ranked: information is concentrated in few questions, so that a "
            "person's ability rests on what equals %(length)s answers, and one score going from 0 to 1 "
            "moves it by %(swing)s logits at the median and by up to %(largest)s."
        ) % {
            "length": value_cell(length, 1), "swing": value_cell(swing),
            "largest": decimals(swing.details["largest"]),
        },
        *([_("Its standard error is %(se)s.") % {"se": value_cell(error)}] if error else []),
        _("No single person's ability is shown."),
    ]  # fmt: skip
    yield " ".join(map(str, sentences))


def _thetas_notes(block: BlockMeasures) -> list[Text]:
    chosen = _("Top was chosen by these scores (in-sample): its numbers hold luck that does not come again.")
    if parts.is_logistic(block):
        scale = _(
            "Ability on the QL scale (theta_QL): the maximum likelihood of the logistic 2PL, on the "
            "scale of the item bank."
        )
        return [scale, chosen]
    others = _("The page Top has estimates that allow for it, the page Uncertainty every standard error.")
    return [*(f"{estimator_name(name)}: {meaning_of(name)}." for name in THETAS), f"{chosen} {others}"]


def lines(block: BlockMeasures) -> list[MeasureRow]:
    """Group by group, though its numbers are of two blocks; none where nothing is on the scale."""
    rows = parts.on_the_scale(block.named(*THETAS))
    return sorted(rows, key=lambda row: (row.group, THETAS.index(row.name)))


def points(block: BlockMeasures) -> Iterator[Point]:
    """Top without intervals, as it was chosen by the outcome."""
    rows = sorted(block.named(*THETAS), key=lambda row: THETAS.index(row.name))
    return (Point(estimator_name(row.name), STYLES[row.group], row) for row in rows)


def error_of(_block: BlockMeasures, row: MeasureRow) -> str:
    return code_label(row.details.get("error", ABSENT)) if row.low is not None else ABSENT


PAGE = parts.BlockPage(
    _("Average and people"),
    finding,
    summary,
    (
        parts.Plot(
            name="thetas",
            title=_("Average and Top by each way to compute ability"),
            alt=_("Ability of Average and Top by each estimator; the table has the numbers."),
            caption=_("Average and Top as picked by each estimator of ability."),
            draw=parts.intervals(points, _("ability in logits, Average with its 95 % interval")),
        ),
        parts.MeasureTable(
            _("Ability of both groups by each estimator, in logits"),
            lines,
            (
                (_("Estimator"), lambda _block, row: estimator_name(row.name)),
                parts.GROUP,
                (ABILITY, parts.value(here=REASONS)),
                (_("SE"), parts.se(3)),
                (_("95 % interval"), parts.interval(here=REASONS)),
                (_("error by"), error_of),
            ),
            _thetas_notes,
        ),
        parts.MeasureTable(
            _("What the groups rest on"),
            parts.in_order("raw_mean"),
            (
                parts.GROUP,
                (_("people"), parts.count("people")),
                (_("scored answers"), parts.count("n")),
                (_("questions"), parts.count("prompts")),
                (_("answers per question"), parts.beside("k_bar")),
                (_("mean score"), parts.value(3)),
                (_("95 % interval"), parts.interval(3, REASONS)),
            ),
        ),
        parts.MeasureTable(
            _("How much people differ, and how little the answers of one person say"),
            parts.named(*PEOPLE),
            (
                (_("Measure"), parts.label),
                (_("value or median"), parts.value(here=REASONS)),
                (_("95 % interval"), lambda _block, row: interval_cell(row) if row.name == "tau" else ABSENT),
                (
                    _("80 % of people or answers"),
                    lambda _block, row: span(row.details.get("p10"), row.details.get("p90")),
                ),
            ),
            _(
                "tau by Paule and Mandel with its Q-profile interval; s1 is of these people's own "
                "answers. Among equally able people the interval leaves out 0 in about one study in "
                "twenty."
            ),
        ),
    ),
)
