"""Theta by category, sub-category, label, modality, split, profile and arm."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _, ngettext

from presentation.drawings.grids import Cell, heat_grid
from presentation.drawings.radar import Around, radar
from presentation.drawings.shapes import Drawing
from presentation.figures import STYLES, Point, keys_of, with_ends
from presentation.first_intervals import categories_sentence, with_error
from presentation.measures import (
    COMMON,
    few_clusters_sentences,
    group_name,
    interval_cell,
    se_cell,
    value_cell,
    value_with_error,
)
from presentation.numbers import Text, decimals, numbered
from presentation.tables import Named
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

BY_OTHERS = (";se.participant", ";se.batch")  # the latter of earlier versions
MIN_PAIRS = 30  # cells with fewer are crossed out
THETAS = ("slices.theta.pool", "slices.theta.ql", "slices.theta.prompt")
KIND_NAMES: Mapping[str, Text] = {
    "category": _("By category"),
    "subcategory": _("By sub-category"),
    "label": _("By label"),
    "modality": _("By modality"),
    "split": _("Public and private prompts"),
    "profile": _("By profile"),
    "arm": _("By arm"),
}
ARMS = {"arms.theta.pool": "theta.pool", "arms.theta.ql": "theta_QL", "arms.theta.prompt": "theta.prompt"}
CLUSTERS: Mapping[str, Text] = {
    "batches": _("Question sets are taken as independent."),
    "people and prompts": _("People, and prompts, are taken as independent."),
}
FLAGGED = _(
    "%(group)s: public prompts went better than private ones by %(difference)s logits (SE %(se)s), more than "
    "2 SE: some public prompts may have been known. Item parameters that do not fit both splits alike would "
    "look the same."
)
NOT_FLAGGED = _(
    "%(group)s: public less private prompts is %(difference)s logits (SE %(se)s); public prompts are not "
    "better by more than 2 SE."
)


def summary(block: BlockMeasures) -> Iterator[Text]:
    """How to read parts, and whether public prompts stand out."""
    yield _(
        "Each part of the data on the scale of the whole bank. Parts overlap, and many are compared at "
        "once: of twenty intervals one misses by chance. Labels need 30 prompts. A part with one person "
        "or one prompt with a score, or with one or two private prompts, has no number."
    )
    row = block.get("labels.left_out")
    if row is not None and row.value:
        yield numbered(
            ngettext(
                "%(labels)d label has fewer than %(prompts)d prompts and is left out.",
                "%(labels)d labels have fewer than %(prompts)d prompts and are left out.",
                round(row.value),
            ),
            {"labels": round(row.value), "prompts": row.details["fewest_prompts"]},
        )
    for row in block.named("contamination.difference"):
        if row.value is not None and row.se is not None:
            text = FLAGGED if row.details["flagged"] else NOT_FLAGGED
            yield text % {"group": group_name(row.group), "difference": value_cell(row), "se": se_cell(row)}


def pooled(block: BlockMeasures, kind: str, group: str | None = None) -> list[MeasureRow]:
    """theta.pool of each part of a kind, with the interval that stands first."""
    rows = block.named("slices.theta.pool", group=group)
    return [row for row in rows if row.details["kind"] == kind and not row.subset.endswith(BY_OTHERS)]


def _first_interval(_block: BlockMeasures, row: MeasureRow) -> Text:
    if row.low is None or row.high is None:
        return interval_cell(row)
    return with_error(row.low, row.high, row.details["error"])


def _kind_table(kind: str) -> parts.MeasureTable[MeasureRow]:
    def notes(block: BlockMeasures) -> Iterator[Text]:
        rows = [row for row in block.named(*THETAS) if row.details["kind"] == kind]
        yield from few_clusters_sentences(rows)
        errors = {row.details["error"] for row in pooled(block, kind) if row.low is not None}
        if kind == "category" and errors:
            yield categories_sentence(sorted(errors))

    return parts.MeasureTable(
        KIND_NAMES[kind],
        lambda block: pooled(block, kind),
        (
            (_("Part"), lambda block, row: _part_name(block, row)),
            (_("theta.pool"), parts.value(here=COMMON)),
            (_("95 % interval"), _first_interval),
            # By people are the intervals of theta.pool alone here; the others are in the export.
            (
                _("by people"),
                lambda block, row: interval_cell(
                    block.get(row.name, row.group, f"{row.subset};se.participant")
                ),
            ),
            (_("theta_QL (SE)"), parts.beside("slices.theta.ql", parts.shown(value_with_error))),
            (_("theta.prompt (SE)"), parts.beside("slices.theta.prompt", parts.shown(value_with_error))),
            (_("People"), parts.count("people")),
            (_("Prompts"), parts.count("prompts")),
            (_("Pairs"), parts.count("n")),
        ),
        notes,
    )


def _part_name(block: BlockMeasures, row: MeasureRow) -> Text:
    """A part of a kind under its plain name, and the group."""
    name = block.names.part(row.details["kind"], row.details["value"])
    return Named(f"{name}, {group_name(row.group)}", name.code)


def cells(block: BlockMeasures) -> list[MeasureRow]:
    """theta.pool of Average for each category and profile, known or not."""
    return pooled(block, "cell", "average")


def _category_and_profile(block: BlockMeasures, row: MeasureRow) -> tuple[str, str]:
    category, _slash, profile = row.details["value"].rpartition("/")
    return block.names.category(category), block.names.profile(profile)


def _contamination_notes(block: BlockMeasures) -> Iterator[Text]:
    rows = list(block.named("contamination.difference"))
    yield from (CLUSTERS[name] for name in sorted({row.details["clusters_are"] for row in rows}))
    yield from few_clusters_sentences(rows)


def _draw_radar(block: BlockMeasures, width: float) -> Drawing | None:
    """Average and Top by category; a category that is not measured leaves a gap, never a zero."""
    groups = []
    for group, style in STYLES.items():
        rows = {
            str(block.names.category(row.details["value"])): row
            for row in pooled(block, "category", group)
            if row.value is not None
        }
        told: dict[str, str] = {name: with_ends(f"{name}, {style.label}", row) for name, row in rows.items()}
        values: dict[str, float] = {name: row.value or 0.0 for name, row in rows.items()}
        groups.append(Around(values, told, style.look, style.shape))
    names = sorted({name for group in groups for name in group.values})
    return radar(names, groups, decimals, width=width, keys=keys_of(STYLES.values()))


def _arm_points(block: BlockMeasures) -> Iterator[Point]:
    """Average in each arm; an arm without an interval is a point alone."""
    rows = pooled(block, "arm", "average")
    return (Point(block.names.part("arm", row.details["value"]), STYLES["average"], row) for row in rows)


def _draw_heat(block: BlockMeasures, width: float) -> Drawing | None:
    """Category by profile with theta and the number of pairs in each cell; few pairs are crossed out."""
    of_places = {_category_and_profile(block, row): row for row in cells(block)}
    if not of_places:
        return None
    categories, profiles = (sorted(set(names)) for names in zip(*of_places, strict=True))
    grid = [
        [_heat_cell(category, profile, of_places.get((category, profile))) for profile in profiles]
        for category in categories
    ]
    return heat_grid(grid, categories, profiles, width=width)


def _heat_cell(category: str, profile: str, row: MeasureRow | None) -> Cell:
    pairs = (row.n or 0) if row else 0
    answers = numbered(_("n %(pairs)d"), {"pairs": pairs})
    told = f"{category}, {profile}: {value_cell(row)}, {answers}"
    return Cell(row.value if row else None, (value_cell(row), str(answers)), told, unsure=pairs < MIN_PAIRS)


PAGE = parts.BlockPage(
    _("Slices"),
    summary,
    (
        parts.Plot(
            "radar",
            _("Theta of Average and Top by category, as a radar; the first table has the numbers."),
            _("theta.pool by category. The centre is no zero."),
            _draw_radar,
        ),
        parts.Plot(
            "arms",
            _("Theta of Average by arm with its 95 % interval; the table by arm has the numbers."),
            _("theta.pool of Average by arm, with 95 % intervals."),
            draw=parts.intervals(_arm_points, _("theta.pool in logits")),
        ),
        parts.Plot(
            "heat",
            _("Theta of Average by category and profile; the table below has the numbers."),
            _("theta.pool of Average; n counts scored answers. Crossed out: fewer than 30 of them."),
            _draw_heat,
        ),
        *map(_kind_table, KIND_NAMES),
        parts.MeasureTable(
            _("Differences between arms, Average"),
            lambda block: (row for name in ARMS for row in block.named(name)),
            (
                (_("Arms"), lambda _block, row: f"{row.details['first']} − {row.details['second']}"),
                (_("Estimator"), lambda _block, row: ARMS[row.name]),
                (_("Difference, logits"), parts.value(here=COMMON)),
                (_("SE"), parts.se()),
                (_("95 % interval by people"), parts.interval()),
                (_("People, first"), parts.counted_detail("people_first")),
                (_("People, second"), parts.counted_detail("people_second")),
                (_("Degrees of freedom"), parts.detail("df", 1)),
            ),
            lambda block: [
                _("Arms are drawn between people: for other people on these prompts. Unpaired, after Welch."),
                *few_clusters_sentences(block.named(*ARMS)),
            ],
        ),
        parts.MeasureTable(
            _("Category by profile"),
            cells,
            (
                (_("Category and profile"), lambda block, row: ", ".join(_category_and_profile(block, row))),
                (_("theta.pool, Average"), parts.value(here=COMMON)),
                (_("95 % interval"), _first_interval),
                (_("theta_QL (SE)"), parts.beside("slices.theta.ql", parts.shown(value_with_error))),
                (_("Pairs"), parts.count("n")),
            ),
            lambda block: [
                numbered(
                    _("Cells with fewer than %(pairs)d scored answers are crossed out in the figure."),
                    {"pairs": MIN_PAIRS},
                ),
                *few_clusters_sentences(cells(block)),
            ],
        ),
        parts.MeasureTable(
            _("Public less private, theta.pool"),
            parts.named("contamination.difference"),
            (
                parts.GROUP,
                (_("Difference, logits"), parts.value(here=COMMON)),
                (_("SE"), parts.se()),
                (_("95 % interval"), parts.interval()),
                (_("Pairs, public"), parts.counted_detail("pairs_public")),
                (_("Pairs, private"), parts.counted_detail("pairs_private")),
                (_("Above 2 SE"), parts.yes_or_no("flagged")),
            ),
            _contamination_notes,
        ),
    ),
)
