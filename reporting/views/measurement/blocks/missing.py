"""Missing answers: places by outcome, theta under each assumption, odds of leaving, where in the batch."""

from collections.abc import Callable, Iterator, Mapping

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _, ngettext

from presentation import measures
from presentation.catalogue import label_of
from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.shapes import Drawing, Key
from presentation.figures import STYLES
from presentation.numbers import Text, counted, decimals, percent
from presentation.tables import Named, Term
from psychometrics.data.places import ABSENT, Outcome
from psychometrics.inference.estimates import Reason
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

THETAS = ("missing.theta.pool", "missing.theta.prompt", "missing.theta.ql")
MIN_SHOWN = 0.001  # smaller probabilities are not told apart
OUTCOMES = (
    Outcome.SCORED, Outcome.UNSCORED, Outcome.SKIPPED, Outcome.NOT_REACHED, Outcome.NOT_SUBMITTED,
)  # fmt: skip
ASSUMPTIONS: Mapping[str, Text] = {
    "as-missing": _("left out, as in the headline"),
    "as-zero": _("skipped and not reached ones score 0; Top chosen again"),
    "as-zero:same-people": _("skipped and not reached ones score 0; the same Top"),
    "floor:0.8": _("Top among people who answered 80 % or more"),
    "bound:low": _("lower bound: every gap scores 0"),
    "bound:high": _("upper bound: every gap scores 1"),
    "delta:0": _("gaps as the person is expected to score"),
    "delta:1": _("gaps 1 logit worse than expected"),
    "delta:2": _("gaps 2 logits worse than expected"),
    "delta:4": _("gaps 4 logits worse than expected"),
}
TERMS: Mapping[str, Text] = {
    "b": _("difficulty of the question, per logit"),
    "position": _("position in the question set, per place"),
}
REASONS: Mapping[str, Text] = {
    Reason.SEPARATED.value: _("no finite odds ratio: it tells all absent answers from the others"),
    Reason.NO_VARIATION.value: _("not estimable: nothing varies, or terms cannot be told apart"),
    Reason.TOO_FEW_PEOPLE.value: _("Top would be everybody, or there are too few people"),
    Reason.TOO_FEW_PAIRS.value: _("no person or no question has two answers"),
}
LOOKS = {Outcome.SKIPPED: "bar-2", Outcome.NOT_REACHED: "bar-1", Outcome.NOT_SUBMITTED: "bar-3"}


def finding(block: BlockMeasures) -> Text:
    """How much is missing, and between which ends Average lies whatever that would have been."""
    scored = block.get(f"share.{Outcome.SCORED}", "average")
    if scored is None or scored.value is None:
        return ""
    share = percent(1 - scored.value)
    for name in ("missing.theta.pool", "missing.theta.ql"):
        low, high = (block.get(name, "average", f"bound:{end}") for end in ("low", "high"))
        if low is not None and high is not None and low.value is not None and high.value is not None:
            return parts.bold(
                _(
                    "<strong>{share} of the expected answers</strong> have no score; whatever they would "
                    "have been, Average lies between {low} and {high}."
                ),
                share=share, low=decimals(low.value), high=decimals(high.value),
            )  # fmt: skip
    return parts.bold(_("<strong>{share} of the expected answers</strong> have no score."), share=share)


def summary(block: BlockMeasures) -> Iterator[Text]:
    for group in parts.GROUPS:
        yield _shares_sentence(block, group)
    test = block.get("absence.test", "top")
    if test is not None and test.value is not None:
        yield _(
            "If absences were independent of each other, Top would leave as many places as it does, or more, "
            "with probability %(p)s at the people's share (one-sided binomial). A raw mean over answered "
            "questions rewards skipping."
        ) % {"p": decimals(test.value, 3) if test.value >= MIN_SHOWN else _("below 0.001")}
    # What the gaps could do to Average, by single answers and by theta_QL.
    for name in ("missing.theta.pool", "missing.theta.ql"):
        subsets = ("as-missing", "as-zero", "bound:low", "bound:high")
        rows = [block.get(name, "average", subset) for subset in subsets]
        if any(row is None or row.value is None for row in rows):
            continue
        missing, zero, low, high = map(measures.value_cell, rows)
        yield _(
            "Average, %(name)s: %(missing)s with missing answers left out, %(zero)s with skipped and not "
            "reached answers as zero; whatever the gaps would have scored, it lies between %(low)s and "
            "%(high)s."
        ) % {
            "name": measures.estimator_name(name), "missing": missing, "zero": zero, "low": low, "high": high,
        }  # fmt: skip


def _shares_sentence(block: BlockMeasures, group: str) -> Text:
    rows = {outcome: block.get(f"share.{outcome}", group) for outcome in Outcome}
    scored = rows[Outcome.SCORED]
    if scored is None or scored.value is None:
        return ""
    absent = sum(_count_of(rows[outcome]) for outcome in ABSENT)
    return _(
        "%(group)s: places where the people gave no answer that counts: %(absent)s of %(places)s "
        "(%(share)s %%); other answers without a valid verdict: %(unscored)s. None of these is a zero in "
        "ability."
    ) % {
        "group": measures.group_name(group), "absent": counted(absent), "places": counted(scored.n),
        "share": decimals(100 * absent / (scored.n or 1), 1),
        "unscored": counted(_count_of(rows[Outcome.UNSCORED])),
    }  # fmt: skip


def _count_of(row: parts.Row) -> int:
    return int(row.details["count"]) if row is not None else 0


def _outcome_columns(group: str) -> list[tuple[Text, Callable[[BlockMeasures, str], str]]]:
    """How many places of a group have an outcome, and which share of all."""

    def share(block: BlockMeasures, outcome: str) -> parts.Row:
        return block.get(f"share.{outcome}", group)

    name = STYLES[group].label
    return [
        (format_lazy("{}, n", name), lambda block, outcome: counted(_count_of(share(block, outcome)))),
        (format_lazy("{}, %", name), lambda block, outcome: measures.percent_cell(share(block, outcome))),
    ]


def _theta_table(group: str) -> parts.MeasureTable[str]:
    """Each theta of a group under every assumption that was computed."""

    def assumptions(block: BlockMeasures) -> Iterator[str]:
        stored = {row.subset for row in parts.on_the_scale(block.named(*THETAS, group=group))}
        return (name for name in ASSUMPTIONS if name in stored)

    def column(theta: str) -> tuple[Text, Callable[[BlockMeasures, str], Text]]:
        def cell(block: BlockMeasures, name: str) -> Text:
            row = block.get(theta, group, name)
            if row is None or row.value is not None:
                return measures.value_with_interval(row)
            return measures.reason_cell(row.reason, REASONS)

        return measures.estimator_name(theta), cell

    return parts.MeasureTable(
        lambda _block: (
            _("%(group)s under each assumption about missing answers, in logits")
            % {"group": measures.group_name(group)}
        ),
        assumptions,
        ((_("Assumption"), lambda _block, name: Named(str(ASSUMPTIONS[name]), name)), *map(column, THETAS)),
        THETA_NOTES if group == "average" else _top_notes,
        view="ability",
    )


THETA_NOTES = [  # the formulas are in docs/measurement/missing.md
    _(
        "Where a gap is given a score, every place without one is taken, whatever the reason; these rows "
        "have no interval: they are assumptions."
    ),
    _(
        "What a person is expected to score follows from their ability, drawn towards the mean of "
        "everybody, and from the question's difficulty: then that an answer is missing says nothing about "
        "it."
    ),
]


def _top_notes(block: BlockMeasures) -> list[Text]:
    """How many of Top remain where it is chosen again."""
    zero, floor = (block.get("missing.theta.pool", "top", name) for name in ("as-zero", "floor:0.8"))
    if zero is None or floor is None or not zero.details.get("of"):
        return []
    sentence = ngettext(
        "Of the one person of Top, in Top with zeros: %(zero)s; in Top among those who answered 80 %% or "
        "more (%(eligible)s): %(floor)s.",
        "Of the %(size)s people of Top, in Top with zeros: %(zero)s; in Top among those who answered 80 %% "
        "or more (%(eligible)s): %(floor)s.",
        zero.details["of"],
    )
    facts = {
        "size": zero.details["of"], "zero": zero.details["same_people"],
        "floor": floor.details["same_people"],
        "eligible": floor.details["eligible"],
    }  # fmt: skip
    return [sentence % {name: counted(number) for name, number in facts.items()}]


def _term_text(_block: BlockMeasures, row: MeasureRow) -> Text:
    if row.subset in TERMS:
        return TERMS[row.subset]
    compared = {"name": row.subset.partition(":")[2], "other": row.details.get("compared_with", "")}
    return _("modality %(name)s against %(other)s") % compared


def _place_text(_block: BlockMeasures, row: MeasureRow) -> Text:
    kind, _colon, name = row.subset.partition(":")
    text = {"position": _("position %(name)s"), "modality": _("modality %(name)s")}[kind]
    return text % {"name": name}


def _draw_positions(block: BlockMeasures, width: float) -> Drawing | None:
    """Bars of the share absent at each position, by reason."""
    of_positions = (row for row in block.named("share.absent") if row.subset.startswith("position:"))
    rows = sorted((int(row.subset.partition(":")[2]), row) for row in of_positions)
    if not rows:
        return None
    below = dict.fromkeys((place for place, _row in rows), 0.0)
    series = []
    for outcome, look in LOOKS.items():
        places = []
        for place, row in rows:
            share = 100 * row.details[outcome] / (row.n or 1)
            if share:
                text = _("%(where)s, %(outcome)s: %(share)s %%") % {
                    "where": _place_text(block, row), "outcome": label_of(f"share.{outcome}"),
                    "share": decimals(share, 1),
                }  # fmt: skip
                places.append(Place(place, below[place] + share, str(text), below[place]))
            below[place] += share
        series.append(Series("bars", places, look, width=0.8))
    step = max(1, len(rows) // 20)
    named = [(float(place), str(place)) for place, _row in rows[::step]]
    first, last = rows[0][0], rows[-1][0]
    return chart(
        series,
        Axis(str(_("position in the question set")), first - 0.6, last + 0.6, named=named),
        Axis(str(_("absent answers, %")), 0.0, max(below.values()) * 1.05 or 1.0),
        decimals,
        width=width,
        keys=[Key(label_of(f"share.{outcome}"), look, "band") for outcome, look in LOOKS.items()],
    )


PAGE = parts.BlockPage(
    _("Missing answers"),
    finding,
    summary,
    (
        parts.Plot(
            name="positions",
            title=_("Where in the question set answers are missing"),
            alt=_("Share of absent answers at each position, by reason; the table has the numbers."),
            caption=_(
                "Where in the question set answers are absent, and why. Rising to the right: time ran out."
            ),
            draw=_draw_positions,
            view="where",
        ),
        parts.MeasureTable(
            _("Places by what became of them"),
            lambda _block: OUTCOMES,
            (
                (_("Outcome"), lambda _block, outcome: label_of(f"share.{outcome}")),
                *(column for group in parts.GROUPS for column in _outcome_columns(group)),
            ),
            view="where",
        ),
        *map(_theta_table, parts.GROUPS),
        parts.MeasureTable(
            _("Odds of leaving a place: logistic regression, errors clustered by person"),
            parts.named("missing.odds_ratio"),
            (
                (_("Term"), _term_text),
                (_("odds ratio"), parts.value(3, REASONS)),
                (_("95 % interval"), parts.interval(3)),
                (_("places"), parts.count("n")),
                (_("people"), parts.count("clusters")),
            ),
            [_("Above 1: more often left. Answers without a valid verdict count as given.")],
            view="odds",
        ),
        parts.MeasureTable(
            _("Absent answers by position and modality"),
            parts.named("share.absent"),
            (
                (_("Where"), _place_text),
                (_("places"), parts.count("n")),
                (_("absent"), parts.row_cell(measures.percent_cell)),
                (_("skipped"), parts.counted_detail(Outcome.SKIPPED)),
                (_("not reached"), parts.counted_detail(Outcome.NOT_REACHED)),
                (_("not submitted"), parts.counted_detail(Outcome.NOT_SUBMITTED)),
                (Term(_("judge failed"), _("unscored")), parts.counted_detail(Outcome.UNSCORED)),
            ),
            view="where",
        ),
    ),
    {
        "where": _("How many and where"),
        "ability": _("What they could change"),
        "odds": _("Who leaves what out"),
    },
)
