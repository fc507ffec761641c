"""A benchmark with tasks as people read it."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _, gettext_lazy

from presentation.columns import ABSENT
from presentation.measures import group_name, interval_cell, value_cell
from presentation.numbers import counted, decimals
from presentation.tables import Table
from reporting.views.measurement.blocks.benchmark_figures import draw_tasks, draw_thetas
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

SUMMARIES = {
    "benchmark.macro": gettext_lazy("Macro: mean over tasks"),
    "benchmark.macro.bbh23": gettext_lazy("Macro over BBH's 23 tasks"),
    "benchmark.micro": gettext_lazy("Micro: mean over answers"),
    "benchmark.micro.questions": gettext_lazy("Micro with the benchmark's questions per task"),
    "benchmark.harmonic": gettext_lazy("Adjusted harmonic mean (1 to 101)"),
    "benchmark.macro.corrected": gettext_lazy("Macro, corrected for chance"),
    "human.top_crossfit": gettext_lazy("Best people, cross-fitted"),
}
GROUPS = ("average", "top")


def summary(found: BlockMeasures) -> Sequence[str]:
    """How to read the page, and why something is not shown."""
    sentences = [
        _(
            "Accuracies are percentages with 95 % intervals that take people, not answers, as independent. "
            "Top was chosen by these same answers (in-sample) and has none; the cross-fitted number was not."
        )
    ]
    shown = found.get("benchmark.harmonic", "average")
    if shown is not None and shown.value is None:
        sentences.append(
            _(
                "The harmonic mean is hidden: a task has fewer than 20 different questions with a scored "
                "answer, where it falls far below its true value, and no table of models shows by how much. "
                "Import one with import_task_table and give the study its item bank."
            )
        )
    elif shown is not None:
        sentences.append(
            _(
                "Few answers per task pull the harmonic mean down. Compare it only with models at the same "
                "number of answers, in the table below, never with a published one."
            )
        )
    if found.get("benchmark.macro.bbh23", "average") is not None:
        sentences.append(
            _(
                "BBH has 27 files and counts 23 tasks: the three variants of logical deduction and of "
                "tracking shuffled objects are averaged into one task each."
            )
        )
    return sentences


def tables(found: BlockMeasures) -> Sequence[Table]:
    made = (summary_table(found), task_table(found), rater_table(found), model_table(found))
    return [table for table in made if table.rows]


def summary_table(found: BlockMeasures) -> Table:
    rows = [
        (f"{label} – {group_name(group)}" if group else str(label), value_cell(row, 1), interval_cell(row, 1))
        for name, label in SUMMARIES.items()
        for group in (*GROUPS, "")
        if (row := found.get(name, group)) is not None
    ]
    notes = [
        _(
            "Harmonic mean: number of tasks / sum of 1 / (percent + 1), the 1 not subtracted, as the BBEH "
            "paper prints it. Corrected for chance: (accuracy − guessing) / (1 − guessing), below 0 where "
            "guessing is better."
        )
    ]
    return Table(_("Over tasks, in percent"), (_("Summary"), _("Value"), _("95 % interval")), rows, notes)


def task_table(found: BlockMeasures) -> Table:
    rows = [
        (
            f"{task_of(row)} – {group_name(row.group)}",
            counted(row.prompts),
            counted(row.n),
            value_cell(row, 1),
            interval_cell(row, 1),
            value_cell(found.get("task.accuracy.corrected", row.group, row.subset), 1),
        )
        for row in found.named("task.accuracy")
    ]
    head = (
        _("Task"), _("Questions"), _("Answers"), _("Accuracy (%)"), _("95 % interval"),
        _("Corrected for chance (%)"),
    )  # fmt: skip
    return Table(_("Per task"), head, rows)


def rater_table(found: BlockMeasures) -> Table:
    rows = [rater_cells(found, row) for row in found.named("human.max") if row.subset]
    mean = found.get("human.max")
    if rows and mean is not None:
        rows.append(rater_cells(found, mean))
    head = (
        _("Task"), _("Raters"), _("Answers per rater"), _("Average rater (%)"),
        _("Best rater (in-sample) (%)"), _("Best of equals (%)"), _("Share of chance"),
    )  # fmt: skip
    notes = [
        _(
            "Best of equals: the highest accuracy to be expected if all raters were equally good. Share of "
            "chance: how often equal raters have a maximum at least this high. The last line mixes different "
            "people: it is the best rater per task, not a best human."
        )
    ]
    return Table(_("Average and best rater per task"), head, rows, notes)


def rater_cells(found: BlockMeasures, row: MeasureRow) -> Sequence[str]:
    items, luck = row.details.get("items"), row.details.get("luck")
    return (
        task_of(row) if row.subset else _("Mean over tasks (best rater per task)"),
        counted(row.people),
        ABSENT if items is None else decimals(items, 1),
        value_cell(found.get("human.average", "", row.subset), 1),
        value_cell(row, 1),
        value_cell(found.get("human.max.equal", "", row.subset), 1),
        ABSENT if luck is None else decimals(luck, 2),
    )


def model_table(found: BlockMeasures) -> Table:
    """The cohort first, then every column of the table at as few questions."""
    rows = [*cohort_rows(found)]
    for row in found.named("benchmark.macro.model"):
        cells = [task_of(row)]
        for name in ("benchmark.macro", "benchmark.harmonic", "theta.task", "theta.task.ql"):
            beside = found.get(f"{name}.model", "", row.subset)
            cells += [full_cell(beside), interval_cell(beside, 2)]
        rows.append(cells)
    if len(rows) <= len(GROUPS) and not any(found.named("benchmark.macro.model")):
        rows = []
    head = [_("Who")]
    for name in (_("Macro (%)"), _("Harmonic mean"), _("theta"), _("theta_QL")):
        head += [name, _("95 % range")]
    notes = [
        _(
            "Models: the value on all questions of the table, and the range of 1,000 draws of as many "
            "answers per task as Average has; Top has fewer. People: their value with its interval over "
            "people. Only the ranges are comparable with Average; theta_QL hardly depends on the number "
            "of answers. Where several people answered the same question, what is comparable lies "
            "between these ranges and the wider ones at as many different questions, which the export "
            "holds."
        )
    ]
    return Table(_("Beside the models of the table, at the same number of answers"), head, rows, notes)


def cohort_rows(found: BlockMeasures) -> Iterator[Sequence[str]]:
    for group in GROUPS:
        if found.get("theta.task", group) is None:
            continue
        cells = [group_name(group)]
        for name in ("benchmark.macro", "benchmark.harmonic", "theta.task", "theta.task.ql"):
            row = found.get(name, group)
            cells += [value_cell(row), interval_cell(row)]
        yield cells


def full_cell(row: MeasureRow | None) -> str:
    full = row.details.get("full") if row is not None else None
    return ABSENT if full is None else decimals(full, 2)


def task_of(row: MeasureRow) -> str:
    """The name after "task:" or "model:"."""
    return row.subset.partition(":")[2] or ABSENT


PAGE = BlockPage(
    title=gettext_lazy("Benchmark"),
    summary=summary,
    tables=tables,
    figures={
        "tasks": FigureSpec(
            draw=draw_tasks,
            alt=gettext_lazy("Accuracy per task with 95 % intervals, Average and Top"),
            caption=gettext_lazy(
                "Accuracy per task; the intervals take people as independent. Top is in-sample."
            ),
        ),
        "models": FigureSpec(
            draw=draw_thetas,
            alt=gettext_lazy(
                "theta of the cohort beside the models of the table at the same number of answers"
            ),
            caption=gettext_lazy(
                "theta on the bank of tasks. Models: range at as many answers per task as people gave."
            ),
        ),
    },
)
