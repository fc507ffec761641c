"""The models beside the cohort."""

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext_lazy as _, ngettext

from presentation.agreement import judges_sentence
from presentation.catalogue import ABILITY, QL_ABILITY
from presentation.figures import Point, Style
from presentation.first_intervals import COMPARE
from presentation.measures import COMMON, group_name, interval_cell, value_cell
from presentation.numbers import Text, counted, decimals, numbered, span_or_one
from presentation.tables import ABSENT, Term, led
from psychometrics.inference.estimates import FEW_CLUSTERS
from reporting.views.headline.standing import people_together, standing_sentence
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

MAX_DRAWN = 80  # lines of the figure; more cannot be read, and the table has them all
COHORT = {"average": Style(), "top": Style(shape="square", look="topmark hollow")}
MODEL, MODELLED = Style(shape="diamond", look="model"), Style(look="model", modelled=True)
VERDICTS = {
    "above": Term(_("stronger"), _("above")),
    "below": Term(_("weaker"), _("below")),
    "not_distinguishable": Term(_("cannot be told apart"), _("not distinguishable")),
}
DESIGNS = {
    "batch": _(
        "Errors of differences are clustered by question set: other people and other questions like "
        "these. Their intervals are never narrower than those by people alone."
    ),
    "twoway": _(
        "Errors of differences are clustered by people and questions: other people and other questions "
        "like these. Their intervals are never narrower than those by people alone."
    ),
    "participant": _(
        "There is one question set, so errors of differences are clustered by people: other people, but "
        "these questions and these responses of the models."
    ),
}


def finding(block: BlockMeasures) -> Text:
    """How many models people are stronger than, weaker than and cannot be told apart from."""
    scale = "difference.ql" if parts.is_logistic(block) else "difference.pool"
    verdicts = [
        (str(row.details["model"]), str(row.details["verdict"]))
        for row in block.named(scale, group="average")
        if row.details.get("verdict") and row.details.get("model")
    ]
    return standing_sentence(verdicts, people_together(block.has_arms)) if verdicts else ""


def summary(block: BlockMeasures) -> Iterator[Text]:
    """What the comparison is, and how it was made here."""
    yield _(
        "People answer a question once, models several times, and the logit is taken after averaging: "
        "single responses score further from the middle. So each model is scored again here on the "
        "questions that the people answered, as often as the people answered them, and at the people's "
        "number of responses per question."
    )
    yield COMPARE
    if scored := list(block.named("theta.epochs")):
        yield judges_sentence([row.details for row in scored])
    average = block.get("models.theta.pool", "average")
    if average is not None:
        # What the errors of the differences take as independent, and whether that is enough of it.
        meaning = DESIGNS.get(average.details.get("design", ""), "")
        if average.clusters is None or average.clusters >= FEW_CLUSTERS:
            yield meaning
        else:
            few = ngettext(
                "There is only %(number)d such cluster: the intervals may be too narrow.",
                "There are only %(number)d such clusters: the intervals may be too narrow.",
                average.clusters,
            )
            yield f"{meaning} {numbered(few, {'number': average.clusters})}"
    if any(block.named("theta.published")):
        yield _(
            "Some models have a published ability and no scores. For those a band is drawn: what their "
            "ability would be for single responses, modelled. No verdict is given on them."
        )


def by_theta(rows: Iterable[MeasureRow]) -> list[MeasureRow]:
    """The highest first, rows without a value last."""
    return sorted(rows, key=lambda row: (row.value is None, -(row.value or 0)))


def _cohort_first(block: BlockMeasures, name: str, group: str) -> list[MeasureRow]:
    """The group and each model by this theta; none where there is no model."""
    models = by_theta(row for row in block.named(name, group=group) if row.subset)
    own = block.get(name, group)
    return [own, *models] if own and models else models


def row_name(_block: BlockMeasures, row: MeasureRow) -> str:
    if not row.subset:
        return group_name(row.group)
    name = str(row.details.get("model", ""))
    return _("%(model)s (published only)") % {"model": name} if row.details.get("published_only") else name


def difference(block: BlockMeasures, name: str, row: MeasureRow) -> parts.Row:
    """Cohort less model; the cohort itself has none."""
    return block.get(f"difference.{name}", row.group or "average", row.subset) if row.subset else None


def verdict(row: parts.Row) -> Text | Term:
    return VERDICTS.get(row.details.get("verdict", ""), ABSENT) if row else ABSENT


def _k_note(row: parts.Row) -> str:
    """The numbers of responses that a comparison was made at, the same or not."""
    if row is None or row.value is None or None in (row.details.get("k_human"), row.details.get("k_model")):
        return ""
    human, model = (decimals(row.details[name], 1) for name in ("k_human", "k_model"))
    return " " + _("(answers per question: people %(human)s, models %(model)s)") % {
        "human": human,
        "model": model,
    }


def _shared_k_note(block: BlockMeasures) -> str:
    """The numbers of responses where all comparisons by prompt means were made at the same; "" otherwise."""
    rows = by_prompt(block)
    notes = {note for row in rows if (note := _k_note(difference(block, "prompt", row)))}
    return notes.pop() if len(notes) == 1 else ""


def by_prompt(block: BlockMeasures) -> list[MeasureRow]:
    return _cohort_first(block, "models.theta.prompt", "average")


def _difference_by_prompt(block: BlockMeasures, row: MeasureRow) -> str:
    by_prompt = difference(block, "prompt", row)
    value = value_cell(by_prompt)
    return value if _shared_k_note(block) else led(value + _k_note(by_prompt), value)


def _interval_by_prompt(block: BlockMeasures, row: MeasureRow) -> str:
    """Of the difference; of the cohort its own."""
    return interval_cell(difference(block, "prompt", row) if row.subset else row)


def _interval_by_ql(block: BlockMeasures, row: MeasureRow) -> str:
    own = block.get("models.theta.ql", row.group)
    return interval_cell(difference(block, "ql", row) if row.subset else own)


def _inseparable(block: BlockMeasures) -> list[tuple[int, list[MeasureRow]]]:
    """Runs of neighbours of which no two are told apart, by number."""
    members: dict[int, list[MeasureRow]] = {}
    for row in by_theta(block.named("models.theta.pool", group="average")):
        for group in row.details.get("groups", ()):
            members.setdefault(group, []).append(row)
    return sorted(members.items())


def _theta_range(rows: Sequence[MeasureRow]) -> str:
    values = [row.value for row in rows if row.value is not None]
    return span_or_one(min(values), max(values))


def points(block: BlockMeasures) -> Iterator[Point]:
    """Models, Average and Top by theta, and bands of those with a published theta only."""
    own = [block.get("models.theta.pool", group) for group in COHORT]
    models = [row for row in block.named("models.theta.pool", group="average") if row.subset]
    every = [*filter(None, own), *models, *block.named("theta.modelled_k1")]
    for row in by_theta(row for row in every if row.value is not None)[:MAX_DRAWN]:
        name = str(row.details.get("model", ""))
        if not row.subset:
            yield Point(group_name(row.group), COHORT[row.group], row)
        elif row.name == "theta.modelled_k1":
            from_k = _("%(model)s (modelled; answers per question: %(k)s)") % {
                "model": name,
                "k": row.details.get("k"),
            }
            yield Point(from_k, MODELLED, row)
        else:
            yield Point(name, MODEL, row)


def _single_table(group: str, notes: parts.Texts) -> parts.MeasureTable[MeasureRow]:
    """theta.pool of the group and of each model on the same prompts (k = 1)."""
    return parts.MeasureTable(
        lambda _block: (
            _(
                "%(group)s and models on the same questions, single responses (answers per question: people "
                "1, models 1)"
            )
            % {"group": group_name(group)}
        ),
        lambda block: [] if parts.is_logistic(block) else _cohort_first(block, "models.theta.pool", group),
        (
            (Term(_("Who"), _("Configuration")), row_name),
            (ABILITY, parts.value()),
            (_("95 % interval"), parts.interval()),
            (_("People − model"), lambda block, row: value_cell(difference(block, "pool", row))),
            (_("95 % interval"), lambda block, row: interval_cell(difference(block, "pool", row))),
            (
                Term(_("People are"), _("Cohort is")),
                lambda block, row: verdict(difference(block, "pool", row)),
            ),
            (
                _("Places"),
                lambda _block, row: span_or_one(
                    row.details.get("place_best"), row.details.get("place_worst"), 0
                ),
            ),
        ),
        notes,
        view={"average": "same"}.get(group, group),
    )


PAGE = parts.BlockPage(
    _("Models"),
    finding,
    summary,
    (
        parts.Plot(
            name="models",
            title=_("People and models on one scale"),
            alt=_(
                "Models and the people on one ability axis with their 95 % intervals; models with a "
                "published ability only as hollow bands."
            ),
            caption=_(
                "Ability for single responses (answers per question: people 1, models 1) on the people's "
                "questions. Hollow bands are modelled from a published ability, whose number of answers "
                "per question is named. Top is picked by these same scores and has no interval."
            ),
            draw=parts.intervals(points, _("ability in logits, single responses, with its 95 % interval")),
            view="same",
        ),
        _single_table(
            "average",
            [
                _("Ability is the mean of single responses' logits, for a model the mean of its epochs."),
                _(
                    "Differences are paired on the questions. Above and below hold at 5 % over all models "
                    "together (Holm); intervals are for one model each. A model's own interval is "
                    "clustered by question."
                ),
            ],
        ),
        parts.MeasureTable(
            lambda block: (
                _("The same by means per question%(k)s and by quasi-likelihood")
                % {"k": _shared_k_note(block)}
            ),
            by_prompt,
            (
                (Term(_("Who"), _("Configuration")), row_name),
                (Term(_("ability by question means"), _("theta.prompt")), parts.value()),
                (_("People − model"), _difference_by_prompt),
                (_("95 % interval"), _interval_by_prompt),
                (QL_ABILITY, parts.beside("models.theta.ql")),
                (_("People − model"), lambda block, row: value_cell(difference(block, "ql", row))),
                (_("95 % interval"), _interval_by_ql),
                (
                    Term(_("People are"), _("Cohort is")),
                    lambda block, row: verdict(difference(block, "ql", row)),
                ),
            ),
            [
                _(
                    "Ability by question means (theta.prompt) takes the mean score of each question "
                    "first. A model's mean is over as many epochs as people answered the question, "
                    "averaged over all choices of epochs. A mean over different people still lies nearer "
                    "to the middle than one over epochs of one model: for equal abilities of 0.5 to 2 the "
                    "difference came out 0.1 to 0.3 too low in simulation. So it has no verdict."
                ),
                _(
                    "Ability on the QL scale (theta_QL) does not depend on the number of responses. It is "
                    "another scale: compare it with abilities on this scale only. In the first row the "
                    "intervals are those of the people themselves."
                ),
            ],
            view="others",
        ),
        parts.MeasureTable(
            _("Groups that cannot be told apart (answers per question: people 1, models 1)"),
            _inseparable,
            (
                (_("Group"), lambda _block, run: str(run[0])),
                (_("Rows"), lambda _block, run: counted(len(run[1]))),
                (_("Who"), lambda block, run: ", ".join(row_name(block, row) for row in run[1])),
                (ABILITY, lambda _block, run: _theta_range(run[1])),
            ),
            _(
                "Every two rows are compared by their difference on the questions they share; two are "
                "told apart where p is below 5 % after Holm's correction for all pairs of rows. A group "
                "is a longest run of neighbours in the order of ability of which no two are told apart; "
                "groups may overlap. Places count from the rows told apart above to those told apart "
                "below, and hold together at 95 %. More comparisons are corrected for here than for the "
                "verdicts: the people can be above or below a model and still share a group with it."
            ),
            view="alike",
        ),
        parts.MeasureTable(
            _("Published only: ability as published, and modelled for single responses"),
            lambda block: by_theta(block.named("theta.published")),
            (
                (Term(_("Who"), _("Configuration")), row_name),
                (Term(_("ability, published"), _("theta, published")), parts.value()),
                (_("SE"), parts.se()),
                (
                    Term(_("Answers per question"), _("k")),
                    lambda _block, row: ABSENT if row.details.get("k") is None else row.details["k"],
                ),
                (
                    Term(_("ability for single answers, modelled"), _("theta at k = 1, modelled")),
                    parts.beside("theta.modelled_k1", parts.value(here=COMMON)),
                ),
                (_("Band"), parts.beside("theta.modelled_k1", parts.interval())),
                (
                    _("People − modelled"),
                    lambda block, row: (
                        value_cell(modelled := difference(block, "modelled", row)) + _k_note(modelled)
                    ),
                ),
                (_("Range"), lambda block, row: interval_cell(difference(block, "modelled", row))),
                (_("Source"), lambda _block, row: row.details.get("source", "")),
            ),
            _(
                "The band runs over 14 variants of a simulation model on the whole item bank: it is the "
                "spread of assumptions, not a sampling error. The range adds the people's interval and "
                "the published one to it. The questions are not the same, so nothing is paired and no "
                "verdict is given. Nothing is modelled without a published number of answers per "
                "question, or beyond what the simulation reaches."
            ),
            view="published",
        ),
        _single_table(
            "top",
            _(
                "Top was selected on these scores (in-sample): its ability is too high, and no interval "
                "around it or around a difference to it holds. There is no verdict; see the page Top."
            ),
        ),
        parts.MeasureTable(
            _("Models as leaderboards report them: mean over epochs, all questions of the item bank"),
            lambda block: by_theta(block.named("theta.epochs")),
            (
                (Term(_("Who"), _("Configuration")), row_name),
                (Term(_("Answers per question"), _("k")), parts.detail("k", 1)),
                (_("Questions"), parts.count("prompts")),
                (ABILITY, parts.value()),
                (_("SE, analytic"), parts.detail("se_analytic", 3)),
                (_("SE by question"), parts.se(3)),
                (QL_ABILITY, parts.beside("models.theta.ql")),
                (_("Judge"), lambda _block, row: str(row.details["judge"]) or ABSENT),
                (_("Source"), lambda _block, row: row.details.get("source", "")),
            ),
            [_("These are not comparable with people who answered each question fewer times.")],
            view="published",
        ),
    ),
    {
        "same": _("People and models"),
        "others": _("Other ways to compute it"),
        "alike": _("Who cannot be told apart"),
        "top": _("Top"),
        "published": _("As published"),
    },
)
