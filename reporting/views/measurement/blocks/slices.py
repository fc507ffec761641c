"""Theta by category, sub-category, label, modality, split, profile and arm."""

from collections.abc import Iterator, Mapping
from functools import partial

from django.utils.translation import gettext_lazy as _, ngettext

from presentation.catalogue import SCORED_ANSWERS
from presentation.figures import Point, Style
from presentation.first_intervals import ERRORS, categories_sentence
from presentation.measures import (
    COMMON,
    estimator_name,
    few_clusters_sentences,
    group_name,
    reason_cell,
    se_cell,
    value_cell,
    value_or_reason,
    value_with_error,
)
from presentation.numbers import Text, counted, decimals, numbered, span
from presentation.tables import Term
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

BY_OTHERS = (";se.participant", ";se.batch")  # the latter of earlier versions
POOL, QL, PROMPT = "slices.theta.pool", "slices.theta.ql", "slices.theta.prompt"
CATEGORY = "category"
KIND_NAMES: Mapping[str, Text] = {
    CATEGORY: _("Category"),
    "subcategory": _("Sub-category"),
    "label": _("Label"),
    "modality": _("Modality"),
    "split": _("Public and private"),
    "profile": _("Profile"),
    "arm": _("Arm"),
    "cell": _("Category by profile"),
}
TITLES: Mapping[str, Text] = {
    CATEGORY: _("Ability by category"),
    "subcategory": _("Ability by sub-category"),
    "label": _("Ability by label"),
    "modality": _("Ability by modality"),
    "split": _("Ability on public and on private questions"),
    "profile": _("Ability by profile"),
    "arm": _("Ability by arm"),
    "cell": _("Ability by category and profile"),
}
AVERAGE = Style(_("Average, 95 % interval"))
TOP = Style(_("Top, picked by these same scores"), look="topmark hollow")
BEST = Style(_("best model"), "bar", "model")
ARMS = ("arms.theta.pool", "arms.theta.ql", "arms.theta.prompt")
CLUSTERS: Mapping[str, Text] = {
    "batches": _("Question sets are taken as independent."),
    "people and prompts": _("People, and questions, are taken as independent."),
}
FLAGGED = _(
    "%(group)s: public questions went better than private ones by %(difference)s logits (SE %(se)s), more "
    "than 2 SE: some public questions may have been known. Item parameters that do not fit both splits "
    "alike would look the same."
)
NOT_FLAGGED = _(
    "%(group)s: public less private questions is %(difference)s logits (SE %(se)s); public questions are "
    "not better by more than 2 SE."
)


def summary(block: BlockMeasures) -> Iterator[Text]:
    """How to read parts, and whether public prompts stand out."""
    yield _(
        "Each part of the data on the scale of the whole bank. Parts overlap, and many are compared at "
        "once: of twenty intervals one misses by chance. Labels need 30 questions. A part with one person "
        "or one question with a score, or with one or two private questions, has no number."
    )
    row = block.get("labels.left_out")
    if row is not None and row.value:
        yield numbered(
            ngettext(
                "%(labels)d label has fewer than %(prompts)d questions and is left out.",
                "%(labels)d labels have fewer than %(prompts)d questions and are left out.",
                round(row.value),
            ),
            {"labels": round(row.value), "prompts": row.details["fewest_prompts"]},
        )
    for row in block.named("contamination.difference"):
        if row.value is not None and row.se is not None:
            text = FLAGGED if row.details["flagged"] else NOT_FLAGGED
            yield text % {"group": group_name(row.group), "difference": value_cell(row), "se": se_cell(row)}
    errors = {row.details["error"] for row in pooled(block, CATEGORY) if row.low is not None}
    if errors:
        yield categories_sentence(sorted(errors))


def finding(block: BlockMeasures) -> Text:
    """Whether people keep their place in every category, by the tests of the block DIF."""
    rows = [row for row in pooled(block, CATEGORY, "average") if row.value is not None]
    if not rows:
        reasons = {row.reason for row in pooled(block, CATEGORY, "average")}
        if len(reasons) != 1:
            return _("No category has a number of its own here; the table says what each rests on.")
        why = reason_cell(reasons.pop())
        return _("No category has a number of its own here (%(why)s).") % {"why": why}
    tested = [row for row in block.named("dif.group") if row.subset.startswith("category:") and row.value]
    shifted = [row for row in tested if row.details["flagged"]]
    if tested and not shifted:
        return parts.bold(
            _(
                "People keep their place: <strong>no category</strong> is further from what their Average "
                "predicts than one of {number} would be by chance."
            ),
            number=counted(len(tested)),
        )
    if shifted:
        named = (block.names.category(row.subset.partition(":")[2]) for row in shifted)
        return parts.bold(
            _(
                "In <strong>{names}</strong> people are further from what their Average predicts than one "
                "of {number} categories would be by chance."
            ),
            names=", ".join(named),
            number=counted(len(tested)),
        )
    rows.sort(key=lambda row: row.value or 0.0)
    if len(rows) == 1:
        return _("One category alone has a number of its own here.")
    return parts.bold(
        _(
            "People reach from {low} in {weakest} to <strong>{high} in {strongest}</strong>; no test tells "
            "whether that is more than chance."
        ),
        low=decimals(rows[0].value), weakest=_part_name(block, rows[0]),
        high=decimals(rows[-1].value), strongest=_part_name(block, rows[-1]),
    )  # fmt: skip


def _theta(block: BlockMeasures) -> str:
    """Which ability leads: that on the scale of a logistic bank, else the pooled one."""
    return QL if parts.is_logistic(block) else POOL


def pooled(block: BlockMeasures, kind: str, group: str | None = None) -> list[MeasureRow]:
    """The leading ability of each part of a kind, with the interval that stands first."""
    rows = block.named(_theta(block), group=group)
    return [row for row in rows if row.details["kind"] == kind and not row.subset.endswith(BY_OTHERS)]


def strongest_first(block: BlockMeasures, kind: str) -> list[MeasureRow]:
    """Average of each part; what has no number comes last."""
    rows = pooled(block, kind, "average")
    return sorted(rows, key=lambda row: (row.value is None, -(row.value or 0.0), _part_name(block, row)))


def _part_name(block: BlockMeasures, row: MeasureRow) -> Text:
    """A part of a kind under its plain name."""
    kind, value = row.details["kind"], row.details["value"]
    if kind == "cell":
        category, _slash, profile = value.rpartition("/")
        return f"{block.names.category(category)}, {block.names.profile(profile)}"
    return block.names.part(kind, value)


def _top_of(block: BlockMeasures, row: MeasureRow) -> parts.Row:
    return block.get(row.name, "top", row.subset)


def _best_model(block: BlockMeasures, row: MeasureRow) -> parts.Row:
    """Of a category, the model that comes highest on the same questions."""
    name = _theta(block).replace("slices", "models.category")
    if row.details["kind"] != CATEGORY or row.value is None:
        return None
    models = (model for model in block.named(name) if model.details["category"] == row.details["value"])
    there = (model for model in models if model.value is not None)
    return max(there, key=lambda model: model.value or 0.0, default=None)


def _points(kind: str, block: BlockMeasures) -> Iterator[Point]:
    for row in strongest_first(block, kind):
        name = str(_part_name(block, row))
        yield Point(name, AVERAGE, row)
        for style, other in ((TOP, _top_of(block, row)), (BEST, _best_model(block, row))):
            if row.value is not None and other is not None:
                yield Point(name, style, MeasureRow(value=other.value))


def _figure(kind: str) -> parts.Plot:
    return parts.Plot(
        kind,
        TITLES[kind],
        _(
            "Ability of Average with its 95 % interval, of Top and of the best model; the table has the "
            "numbers."
        ),
        _("Sorted by Average. Parts overlap, and of twenty intervals one misses by chance."),
        parts.intervals(partial(_points, kind), _("ability in logits")),
        view=kind,
    )


def _kind_table(kind: str) -> parts.MeasureTable[MeasureRow]:
    def notes(block: BlockMeasures) -> Iterator[Text]:
        rows = [row for row in block.named(POOL, QL, PROMPT) if row.details["kind"] == kind]
        errors = sorted({row.details["error"] for row in pooled(block, kind) if row.low is not None})
        if errors:
            yield _("Intervals are %(errors)s.") % {
                "errors": "; ".join(str(ERRORS[error]) for error in errors)
            }
        yield from few_clusters_sentences(rows)

    best = ((_("Best model"), lambda block, row: value_cell(_best_model(block, row))),)
    return parts.MeasureTable(
        KIND_NAMES[kind],
        lambda block: strongest_first(block, kind),
        (
            (_("Part"), _part_name),
            (_("Average"), parts.value(here=COMMON)),
            (_("95 % interval"), lambda _block, row: span(row.low, row.high)),
            (_("Top"), lambda block, row: value_or_reason(_top_of(block, row))),
            *(best if kind == CATEGORY else ()),
            (
                Term(_("ability on the QL scale (SE)"), _("theta_QL (SE)")),
                parts.beside(QL, parts.row_cell(value_with_error)),
            ),
            (
                Term(_("ability by question means (SE)"), _("theta.prompt (SE)")),
                parts.beside(PROMPT, parts.row_cell(value_with_error)),
            ),
            (_("People"), parts.count("people")),
            (_("Questions"), parts.count("prompts")),
            (SCORED_ANSWERS, parts.count("n")),
        ),
        notes,
        view=kind,
    )


def _contamination_notes(block: BlockMeasures) -> Iterator[Text]:
    rows = list(block.named("contamination.difference"))
    yield from (CLUSTERS[name] for name in sorted({row.details["clusters_are"] for row in rows}))
    yield from few_clusters_sentences(rows)


PAGE = parts.BlockPage(
    _("Breakdowns"),
    finding,
    summary,
    (
        *map(_figure, KIND_NAMES),
        *map(_kind_table, KIND_NAMES),
        parts.MeasureTable(
            _("Differences between arms, Average"),
            lambda block: (row for name in ARMS for row in block.named(name)),
            (
                (_("Arms"), lambda _block, row: f"{row.details['first']} − {row.details['second']}"),
                (_("Estimator"), lambda _block, row: estimator_name(row.name)),
                (_("Difference, logits"), parts.value(here=COMMON)),
                (_("SE"), parts.se()),
                (_("95 % interval by people"), parts.interval()),
                (_("People, first"), parts.counted_detail("people_first")),
                (_("People, second"), parts.counted_detail("people_second")),
                (_("Degrees of freedom"), parts.detail("df", 1)),
            ),
            lambda block: [
                _(
                    "Arms are drawn between people: for other people on these questions. Unpaired, after "
                    "Welch."
                ),
                *few_clusters_sentences(block.named(*ARMS)),
            ],
            view="arm",
        ),
        parts.MeasureTable(
            _("Public less private, ability"),
            parts.named("contamination.difference"),
            (
                parts.GROUP,
                (_("Difference, logits"), parts.value(here=COMMON)),
                (_("SE"), parts.se()),
                (_("95 % interval"), parts.interval()),
                (Term(_("Scored answers, public"), _("Pairs, public")), parts.counted_detail("pairs_public")),
                (
                    Term(_("Scored answers, private"), _("Pairs, private")),
                    parts.counted_detail("pairs_private"),
                ),
                (_("Above 2 SE"), parts.yes_or_no("flagged")),
            ),
            _contamination_notes,
            view="split",
        ),
    ),
    KIND_NAMES,
)
