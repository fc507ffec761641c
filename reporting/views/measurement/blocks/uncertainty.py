"""How sure theta is: each standard error, variance components, and a figure of the intervals."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from presentation.figures import Point, Style
from presentation.measures import estimator_name, few_clusters_sentences
from presentation.numbers import Text, counted, decimals
from presentation.tables import ABSENT, Exact
from psychometrics.inference.estimates import FEW_BATCHES, Reason
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

THETAS = ("uncertainty.theta.pool", "uncertainty.theta.prompt", "uncertainty.theta.ql")
TARGETS: Mapping[str, Text] = {
    "paper": _("comparison with published intervals"),
    "T1": _("other people, the same questions"),
    "T2": _("other people, other questions like these"),
}
# What each error allows for, in the words of the page.
SOURCES: Mapping[str, Text] = {
    "se.analytic": _("Each answer by itself, as published"),
    "se.participant": _("Which people took part"),
    "se.participant_boot": _("Which people took part, drawn again"),
    "se.batch": _("Which people and questions, by question set"),
    "se.twoway": _("Which people and which questions"),
    "se.mixed": _("People, questions and answers, added up"),
    "se.jackknife_participant": _("Which people took part, each left out in turn"),
    "se.jackknife_batch": _("Which question sets, each left out in turn"),
    "se.jackknife_twoway": _("Which questions, left out in turn, and people"),
}
SENTENCES: Mapping[str, Text] = {
    "se.analytic": _(
        "Error as published (se.analytic): the published error. It takes all answers as independent and "
        "its scatter from models with five epochs. For people it is too small: it serves comparison with "
        "published intervals."
    ),
    "se.participant": _(
        "Error by people (se.participant): answers of one person belong together. It serves other people "
        "on this bank."
    ),
    "se.participant_boot": _(
        "Error by people, drawn again (se.participant_boot): the same by drawing people again, as a check "
        "of error by people (se.participant)."
    ),
    "se.batch": _(
        "Error by question sets (se.batch): people and questions of one question set belong together. It "
        "serves questions like these, where every question is in one question set only."
    ),
    "se.twoway": _(
        "Error by people and questions (se.twoway): answers of one person and answers to one question "
        "belong together. It serves questions like these where questions occur in several question sets; "
        "else it stands beside error by question sets (se.batch)."
    ),
    "se.mixed": _(
        "Error by components (se.mixed): what the variance components below imply. Components that came "
        "out negative are put to zero, and the table says so."
    ),
    "se.jackknife_participant": _(
        "Error leaving out people (se.jackknife_participant): each person left out in turn. For ability "
        "by question means (theta.prompt) it is too wide where a question has few answers, as the logit "
        "jumps near 0 and 1; nested studies use error leaving out question sets (se.jackknife_batch)."
    ),
    "se.jackknife_batch": _(
        "Error leaving out question sets (se.jackknife_batch): each question set left out in turn (nested "
        "studies). For ability by question means (theta.prompt) it is also the one to use for other "
        "people on the same questions, where it can only be too wide."
    ),
    "se.jackknife_twoway": _(
        "Error leaving out questions (se.jackknife_twoway): questions left out in turn, and what people "
        "add to it (crossed studies)."
    ),
}
REASONS: Mapping[str, Text] = {
    Reason.ONE_CLUSTER.value: _("refused: it needs two or more people, questions and question sets"),
    Reason.OTHER_DESIGN.value: _("refused: questions occur in several question sets"),
    Reason.NO_SPREAD.value: _("no interval: the groups do not differ at all"),
    Reason.NO_VARIATION.value: _("no interval: the bank does not determine it"),
    Reason.TOO_FEW_PAIRS.value: _("no person or no question has two answers"),
    Reason.NO_FINITE_SOLUTION.value: _("all scores are 0, or all are 1"),
    Reason.TOO_FEW_PEOPLE.value: _("Top would be everybody, or there are too few people"),
}
PLAIN = Style()
average_thetas = parts.named(*THETAS, group="average")


def finding(block: BlockMeasures) -> Text:
    """How far Average may be off, and whose choice that is mostly a matter of."""
    errors = _serving(block)
    widest = errors.get(widest_error(errors))
    if widest is None or widest.low is None or widest.high is None:
        return ""
    facts = {
        "value": decimals(widest.value),
        "half": decimals((widest.high - widest.low) / 2),
        "low": decimals(widest.low),
        "high": decimals(widest.high),
    }
    text = _(
        "Average is <strong>{value}, give or take {half}</strong> ({low} to {high}): so far it would move "
        "with other people and other questions like these."
    )
    if widest_error(errors) == "T1":
        text = _(
            "Average is <strong>{value}, give or take {half}</strong> ({low} to {high}): so far it would "
            "move with other people on the same questions."
        )
    return parts.bold(text, **facts)


def _serving(block: BlockMeasures) -> dict[str, MeasureRow]:
    """The errors of Average's ability that serve something, by what they serve."""
    rows = (row for row in sources(block) if row.details.get("serves"))
    return {row.details["target"]: row for row in rows if row.se is not None}


def widest_error(errors: Mapping[str, MeasureRow]) -> str:
    """Other people and questions, unless chance made that narrower than other people alone."""
    return "T1" if "T2" not in errors or "at_least" in errors["T2"].details else "T2"


def summary(block: BlockMeasures) -> Iterator[Text]:
    yield design_sentence(block)
    errors = _serving(block)
    # The three errors of theta.pool that matter, side by side.
    if {"paper", "T1", "T2"} <= errors.keys():
        sentence = _(
            "Average, ability (theta.pool) = %(theta)s: standard error %(t2)s for other people and questions "
            "like these, %(t1)s for other people on these questions, %(paper)s as published."
        ) % {
            "theta": decimals(errors["T1"].value),
            "paper": decimals(errors["paper"].se, 3), "t1": decimals(errors["T1"].se, 3),
            "t2": decimals(errors["T2"].se, 3),
        }  # fmt: skip
        if "at_least" in errors["T2"].details:
            sentence += " " + _(
                "Here the interval for other people and questions came out narrower than that for other "
                "people alone, which only chance can do: the wider one stands everywhere."
            )
        yield sentence
    yield from few_clusters_sentences(row for row in block.rows if row.details.get("few_clusters"))
    yield from (SENTENCES[name] for name in dict.fromkeys(row.subset for row in average_thetas(block)))


def design_sentence(block: BlockMeasures) -> Text:
    design = block.get("design.batches")
    if design is None or not design.details["nested"]:
        return _(
            "Questions occur in several question sets: error by people and questions (se.twoway), by "
            "people and questions at once, serves conclusions about questions like these; question sets "
            "are not independent of each other, so error by question sets (se.batch) is refused."
        )
    batches = design.value or 0
    text = (
        _(
            "Every question occurs in one question set only, but there are few question sets "
            "(%(batches)s): error by question sets (se.batch) serves conclusions about questions like "
            "these, and its interval is wide; error by people and questions (se.twoway), by people and "
            "questions at once, is right only where question sets do not differ otherwise."
        )
        if batches < FEW_BATCHES
        else _(
            "Every question occurs in one question set only (%(batches)s question sets): people and "
            "questions both lie within question sets, and error by question sets (se.batch) serves "
            "conclusions about questions like these."
        )
    )
    return text % {"batches": counted(round(batches))}


def _source(_block: BlockMeasures, row: MeasureRow) -> Text:
    """In plain words; the exact names are in its tooltip."""
    ability = row.name.removeprefix("uncertainty.").replace("theta.ql", "theta_QL")
    return Exact(str(SOURCES.get(row.subset, row.subset)), f"{ability}, {row.subset}")


def sources(block: BlockMeasures) -> list[MeasureRow]:
    """Those of the leading ability, the widest interval first; few groups widen one beyond its error."""
    name = "uncertainty.theta.ql" if parts.is_logistic(block) else "uncertainty.theta.pool"
    rows = block.named(name, group="average")
    return sorted(rows, key=lambda row: (row.low is None, (row.low or 0.0) - (row.high or 0.0)))


def target(_block: BlockMeasures, row: MeasureRow) -> Text:
    """What the error serves; its short name is in a tooltip."""
    code = str(row.details.get("target", ""))
    text = TARGETS.get(code, ABSENT)
    if wider := row.details.get("at_least"):
        facts = {"target": text, "wider": SOURCES.get(wider, wider)}
        text = _("%(target)s (by chance too narrow: use “%(wider)s”)") % facts
    elif row.details.get("serves") and code != "paper":
        text = _("%(target)s (use this)") % {"target": text}
    return Exact(str(text), code) if code.startswith("T") else text


def points(block: BlockMeasures) -> Iterator[Point]:
    """One line per source of chance that has an interval."""
    rows = (row for row in sources(block) if row.low is not None)
    return (Point(str(_source(block, row)), PLAIN, row) for row in rows)


def _columns(first: tuple[Text, Any], *exact: tuple[Text, parts.Column]) -> tuple[tuple[Text, Any], ...]:
    return (
        first,
        (_("Average"), parts.value()),
        (_("95 % interval"), parts.interval(here=REASONS)),
        (_("serves"), target),
        *exact,
    )


PAGE = parts.BlockPage(
    _("Uncertainty"),
    finding,
    summary,
    (
        parts.Plot(
            name="intervals",
            title=_("How far Average would move with what chance chose"),
            alt=_("Intervals of Average by source of chance; the table has the numbers."),
            caption=_(
                "The same Average with its 95 % interval under each source of chance, the widest first."
            ),
            draw=parts.intervals(points, _("ability in logits with its 95 % interval")),
            view="sources",
        ),
        parts.MeasureTable(
            _("Sources of chance"),
            sources,
            _columns((_("Source"), _source)),
            view="sources",
        ),
        parts.MeasureTable(
            _("Every way to compute ability, with every error"),
            average_thetas,
            _columns(
                (
                    _("Ability and source"),
                    lambda block, row: f"{estimator_name(row.name)}: {_source(block, row)}",
                ),
                (_("SE"), parts.se(3)),
                (_("groups"), parts.count("clusters")),
                (_("df"), parts.detail("df", 1)),
            ),
            _(
                "Groups are what is taken as independent; few of them make an interval a matter of chance "
                "itself."
            ),
            view="every",
        ),
        parts.MeasureTable(
            _("How much people, questions and single answers scatter"),
            parts.named("mixed.sd_people", "mixed.sd_prompts", "mixed.sd_answers", group="average"),
            (
                (_("Component"), parts.label),
                (_("SD"), parts.value(here=REASONS)),
                (_("negative, put to 0"), parts.yes_or_no("truncated")),
            ),
            view="every",
        ),
    ),
    {"sources": _("Sources of chance"), "every": _("Every error")},
)
