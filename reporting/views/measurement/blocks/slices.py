"""Theta by category, sub-category, label, modality, split, profile and arm: sentences, tables, figures."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.first_intervals import categories_sentence
from presentation.measures import (
    few_clusters_sentences,
    group_name,
    interval_cell,
    value_cell,
    value_or_reason,
)
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from psychometrics.inference.coverage import OF_CATEGORIES
from reporting.views.measurement.blocks.slices_figures import (
    FEW_PAIRS,
    arms_figure,
    cell_rows,
    heat_figure,
    radar_figure,
)
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

KIND_NAMES: Mapping[str, Text] = {
    "category": gettext_lazy("By category"),
    "subcategory": gettext_lazy("By sub-category"),
    "label": gettext_lazy("By label"),
    "modality": gettext_lazy("By modality"),
    "split": gettext_lazy("Public and private prompts"),
    "profile": gettext_lazy("By profile"),
    "arm": gettext_lazy("By arm"),
}
ESTIMATORS = {"theta.pool": "theta.pool", "theta.ql": "theta_QL", "theta.prompt": "theta.prompt"}


FLAGGED = gettext_lazy(
    "%(group)s: public prompts went better than private ones by %(difference)s logits (SE %(se)s), more than "
    "2 SE: some public prompts may have been known. Item parameters that do not fit both splits alike would "
    "look the same."
)
NOT_FLAGGED = gettext_lazy(
    "%(group)s: public less private prompts is %(difference)s logits (SE %(se)s); public prompts are not "
    "better by more than 2 SE."
)


def summary(found: BlockMeasures) -> Sequence[str]:
    """How to read parts, and whether public prompts stand out."""
    return [
        _(
            "Each part of the data on the scale of the whole bank. Parts overlap, and many are compared at "
            "once: of twenty intervals one misses by chance. Labels need 30 prompts. A part with one person "
            "or one prompt with a score, or with one or two private prompts, has no number."
        ),
        *rare_label_sentences(found),
        *contamination_sentences(found),
    ]


def rare_label_sentences(found: BlockMeasures) -> Iterator[str]:
    row = found.get("labels.left_out")
    if row is not None and row.value:
        yield ngettext(
            "%(labels)d label has fewer than %(prompts)d prompts and is left out.",
            "%(labels)d labels have fewer than %(prompts)d prompts and are left out.",
            round(row.value),
        ) % {"labels": round(row.value), "prompts": row.details["fewest_prompts"]}


def contamination_sentences(found: BlockMeasures) -> Iterator[str]:
    for row in found.named("contamination.difference"):
        if row.value is not None and row.se is not None:
            text = FLAGGED if row.details["flagged"] else NOT_FLAGGED
            yield str(text) % {
                "group": group_name(row.group),
                "difference": value_cell(row),
                "se": decimals(row.se, 2),
            }


def tables(found: BlockMeasures) -> Sequence[Table]:
    """One table per way of splitting, then cells of category and profile, then public less private."""
    made = [kind_table(found, kind) for kind in KIND_NAMES]
    others = arms_table(found), cells_table(found), contamination_table(found)
    return [table for table in (*made, *others) if table.rows]


def kind_table(found: BlockMeasures, kind: str) -> Table:
    of_kind = [
        row for row in found.named(*(f"slices.{name}" for name in ESTIMATORS)) if row.details["kind"] == kind
    ]
    rows = [
        part_cells(found, row)
        for row in of_kind
        if row.name == "slices.theta.pool" and row.details["error"] == "se.participant"
    ]
    head = (
        _("Part"), _("theta.pool"), _("95 % interval by batch"), _("by people"), _("theta_QL (SE)"),
        _("theta.prompt (SE)"), _("People"), _("Prompts"), _("Pairs"),
    )  # fmt: skip
    notes = list(few_clusters_sentences(of_kind))
    errors = OF_CATEGORIES.keys() & {row.details["error"] for row in of_kind if row.low is not None}
    if kind == "category" and errors:
        notes.append(categories_sentence(sorted(errors)))
    return Table(str(KIND_NAMES[kind]), head, rows, notes)


def part_cells(found: BlockMeasures, row: MeasureRow) -> list[str]:
    """One part of one group. Errors of theta_QL and theta.prompt are by people; by batch is in the export."""
    by_batch = found.get(row.name, row.group, f"{row.subset};se.batch")
    others = (found.get(name, row.group, row.subset) for name in ("slices.theta.ql", "slices.theta.prompt"))
    return [
        f"{row.details['value']}, {group_name(row.group)}", value_or_reason(row), interval_cell(by_batch),
        interval_cell(row), *(value_with_error(other) for other in others), counted(row.people),
        counted(row.prompts), counted(row.n),
    ]  # fmt: skip


def arms_table(found: BlockMeasures) -> Table:
    rows = [
        [
            f"{row.details['first']} − {row.details['second']}", shown, value_or_reason(row),
            decimals(row.se, 2), interval_cell(row), counted(row.details["people_first"]),
            counted(row.details["people_second"]), counted(row.details["df"]),
        ]
        for name, shown in ESTIMATORS.items()
        for row in found.named(f"arms.{name}")
    ]  # fmt: skip
    head = (
        _("Arms"), _("Estimator"), _("Difference, logits"), _("SE"), _("95 % interval by people"),
        _("People, first"), _("People, second"), _("Degrees of freedom"),
    )  # fmt: skip
    note = _("Arms are drawn between people: for other people on these prompts. Unpaired, after Welch.")
    few = few_clusters_sentences(found.named(*(f"arms.{name}" for name in ESTIMATORS)))
    return Table(_("Differences between arms, Average"), head, rows, (note, *few))


def cells_table(found: BlockMeasures) -> Table:
    rows = [
        [
            f"{category}, {profile}", value_or_reason(row), interval_cell(row),
            value_with_error(found.get("slices.theta.ql", row.group, row.subset)), counted(row.n),
        ]
        for (category, profile), row in cell_rows(found).items()
    ]  # fmt: skip
    head = (
        _("Category and profile"), _("theta.pool, Average"), _("95 % interval by people"),
        _("theta_QL (SE)"), _("Pairs"),
    )  # fmt: skip
    note = _("Cells with fewer than %(pairs)d pairs are hatched in the figure.") % {"pairs": FEW_PAIRS}
    few = few_clusters_sentences(cell_rows(found).values())
    return Table(_("Category by profile"), head, rows, (note, *few))


def contamination_table(found: BlockMeasures) -> Table:
    rows = [
        [
            group_name(row.group), value_or_reason(row), decimals(row.se, 2), interval_cell(row),
            counted(row.details["pairs_public"]), counted(row.details["pairs_private"]),
            _("yes") if row.details["flagged"] else _("no"),
        ]
        for row in found.named("contamination.difference")
    ]  # fmt: skip
    head = (
        _("Group"), _("Difference, logits"), _("SE"), _("95 % interval"), _("Pairs, public"),
        _("Pairs, private"), _("Above 2 SE"),
    )  # fmt: skip
    clusters = {
        "batches": _("Batches are taken as independent."),
        "people and prompts": _("People, and prompts, are taken as independent."),
    }
    of_both = list(found.named("contamination.difference"))
    by = [clusters[name] for name in sorted({row.details["clusters_are"] for row in of_both})]
    return Table(_("Public less private, theta.pool"), head, rows, [*by, *few_clusters_sentences(of_both)])


def value_with_error(row: MeasureRow | None) -> str:
    if row is None or row.value is None or row.se is None:
        return value_or_reason(row)
    return f"{value_cell(row)} ({decimals(row.se, 2)})"


PAGE = BlockPage(
    title=gettext_lazy("Slices"),
    summary=summary,
    tables=tables,
    figures={
        "radar": FigureSpec(
            radar_figure,
            gettext_lazy(
                "Theta of Average and Top by category, as a radar; the first table has the numbers."
            ),
            gettext_lazy("theta.pool by category. The centre is no zero."),
        ),
        "arms": FigureSpec(
            arms_figure,
            gettext_lazy("Theta of Average by arm with its 95 % interval; the table by arm has the numbers."),
            gettext_lazy("theta.pool of Average by arm, with 95 % intervals by people."),
        ),
        "heat": FigureSpec(
            heat_figure,
            gettext_lazy("Theta of Average by category and profile; the table below has the numbers."),
            gettext_lazy("theta.pool of Average; n counts pairs. Hatched: fewer than 30 pairs."),
        ),
    },
)
