"""A benchmark with tasks."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from presentation.catalogue import label_of
from presentation.drawings.intervals import Behind
from presentation.figures import STYLES, Point, Style
from presentation.measures import COMMON, group_name, interval_cell, value_cell
from presentation.numbers import Text, counted, decimals, span
from presentation.tables import ABSENT, Named, Term
from psychometrics.benchmark.accuracy_table import best_on
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

SUMMARIES = (
    "benchmark.macro", "benchmark.macro.bbh23", "benchmark.micro", "benchmark.micro.questions",
    "benchmark.harmonic", "benchmark.macro.corrected", "human.top_crossfit",
)  # fmt: skip
MODEL = Style(_("Models, same number of answers"), "diamond", "model")
PERCENT = Behind(limits=(-2, 102))
AVERAGE = Style(_("Average, 95 % interval"))
TOP = Style(_("Top, picked by these same scores"), look="topmark hollow")
BEST = Style(_("best published model"), "bar", "model")


def finding(block: BlockMeasures) -> Text:
    """What people get right over all tasks and in the weakest and strongest, and where models get more."""
    macro, rows = block.get("benchmark.macro", "average"), tasks_by_average(block)
    rows = [row for row in rows if row.value is not None]
    if macro is None or macro.value is None or len(rows) < 2:
        return ""
    facts = {
        "share": decimals(macro.value, 0), "number": counted(len(rows)),
        "ends": span(macro.low, macro.high, 0) if macro.low is not None else ABSENT,
        "weakest": task_of(block, rows[-1]), "low": decimals(rows[-1].value, 0),
        "strongest": task_of(block, rows[0]), "high": decimals(rows[0].value, 0),
    }  # fmt: skip
    text = parts.bold(
        _(
            "People got <strong>{share} %</strong> right on average over {number} tasks ({ends}), from "
            "{low} % "
            "in {weakest} to {high} % in {strongest}."
        ),
        **facts,
    )
    beside = [(row, best) for row in rows if (best := best_published(block, row))]
    if not beside:
        return text
    below = sum(1 for row, (_name, share) in beside if row.high is not None and row.high < share)
    above = sum(1 for row, (_name, share) in beside if row.low is not None and row.low > share)
    return parts.bold(
        _(
            "{told} Their interval lies <strong>above every published model in {above}</strong> of {tasks} "
            "tasks, below the best in {below}."
        ),
        told=text, above=counted(above), below=counted(below), tasks=counted(len(beside)),
    )  # fmt: skip


def tasks_by_average(block: BlockMeasures) -> list[MeasureRow]:
    """Average of each task, the highest first."""
    rows = block.named("task.accuracy", group="average")
    return sorted(rows, key=lambda row: (row.value is None, -(row.value or 0), row.subset))


def best_published(block: BlockMeasures, row: MeasureRow) -> tuple[str, float] | None:
    """The configuration of the published table that gets most of this task right, and its percentage."""
    return best_on(block.published, row.subset.partition(":")[2])


def _best_cell(block: BlockMeasures, row: MeasureRow) -> Text:
    best = best_published(block, row)
    return Named(decimals(best[1], 1), best[0]) if best else ABSENT


def _guessing(block: BlockMeasures, row: MeasureRow) -> Text:
    corrected = block.get("task.accuracy.corrected", row.group, row.subset)
    share = corrected.details.get("guessing") if corrected else None
    return decimals(None if share is None else 100 * share, 1)


def summary(block: BlockMeasures) -> Iterator[Text]:
    """How to read the page, and why something is not shown."""
    yield _(
        "Accuracies are percentages with 95 % intervals that take people, not answers, as independent. "
        "Top was chosen by these same answers (in-sample) and has none; the cross-fitted number was not."
    )
    harmonic = block.get("benchmark.harmonic", "average")
    if harmonic is not None and harmonic.value is None:
        yield _(
            "The harmonic mean is hidden: a task has fewer than 20 different questions with a scored "
            "answer, where it falls far below its true value, and no table of models shows by how much. "
            "Upload one under Models and choose it for the study."
        )
    elif harmonic is not None:
        yield _(
            "Few answers per task pull the harmonic mean down. Compare it only with models at the same "
            "number of answers, in the table below, never with a published one."
        )
    if block.get("benchmark.macro.bbh23", "average") is not None:
        yield _(
            "BBH has 27 files and counts 23 tasks: the three variants of logical deduction and of "
            "tracking shuffled objects are averaged into one task each."
        )


def _summary_name(_block: BlockMeasures, row: MeasureRow) -> str:
    return f"{label_of(row.name)} – {group_name(row.group)}" if row.group else label_of(row.name)


def task_of(block: BlockMeasures, row: MeasureRow) -> str:
    """What the task after "task:" is called, or the model after "model:"."""
    kind, _colon, name = row.subset.partition(":")
    return (block.names.part(kind, name) if kind == "task" else name) or ABSENT


def _published_note(block: BlockMeasures) -> list[Text]:
    if not block.published:
        return [
            _(
                "No published table with these tasks was there when these results were computed; one is "
                "uploaded under Models."
            )
        ]
    return [
        _(
            "Published models answered the whole task, people few questions of it: their intervals allow for "
            "that."
        )
    ]


def _best_raters(block: BlockMeasures) -> list[MeasureRow]:
    """Of each task, then of all."""
    of_tasks = [row for row in block.named("human.max") if row.subset]
    mean = block.get("human.max")
    return [*of_tasks, mean] if of_tasks and mean else of_tasks


def _cohort_and_models(block: BlockMeasures) -> list[MeasureRow]:
    """The cohort first, then every column of the table at as few questions."""
    models = list(block.named("benchmark.macro.model"))
    return [*parts.in_order("theta.task")(block), *models] if models else []


def _model_columns(head: Text, name: str) -> tuple[tuple[Text, parts.Column], tuple[Text, parts.Column]]:
    """Of the cohort the value with its interval; of a model that of all questions and the range of draws."""

    def own(block: BlockMeasures, row: MeasureRow) -> parts.Row:
        return block.get(f"{name}.model" if row.subset else name, row.group, row.subset)

    def value_of_all(block: BlockMeasures, row: MeasureRow) -> str:
        of_who = own(block, row)
        full = of_who.details.get("full") if of_who and row.subset else None
        return value_cell(of_who) if full is None else decimals(full)

    return ((head, value_of_all), (_("95 % range"), lambda block, row: interval_cell(own(block, row))))


def _task_points(block: BlockMeasures) -> Iterator[Point]:
    """Accuracy per task: Average with its interval, Top, and the best published model."""
    for row in tasks_by_average(block):
        name, top, best = (
            task_of(block, row),
            block.get(row.name, "top", row.subset),
            best_published(block, row),
        )
        yield Point(name, AVERAGE, row)
        if row.value is not None and top is not None:
            yield Point(name, TOP, MeasureRow(value=top.value))
        if row.value is not None and best is not None:
            yield Point(name, BEST, MeasureRow(value=best[1]))


def _theta_points(block: BlockMeasures) -> list[Point]:
    """Average and Top beside the models, ordered by theta at the cohort's number of answers."""
    models = [Point(task_of(block, row), MODEL, row) for row in block.named("theta.task.model")]
    groups = [Point(group_name(row.group), STYLES[row.group], row) for row in block.named("theta.task")]
    if not all(any(point.row.value is not None for point in points) for points in (models, groups)):
        return []
    return sorted([*models, *groups], key=lambda point: -(point.row.value or 0))


PAGE = parts.BlockPage(
    _("Benchmark"),
    finding,
    summary,
    (
        parts.Plot(
            name="tasks",
            title=_("Share right by task"),
            alt=_("Accuracy per task with 95 % intervals, Average, Top and the best published model"),
            caption=_("Sorted by Average; the intervals take people as independent."),
            draw=parts.intervals(
                _task_points,
                _("right answers in percent"),
                behind=lambda _block: (PERCENT, ()),
                places=0,
            ),
            view="tasks",
        ),
        parts.Plot(
            name="models",
            title=_("People and published models on one scale"),
            alt=_("ability of the people beside the models of the table at the same number of answers"),
            caption=_(
                "Ability on the bank of tasks. Models: range at as many answers per task as people gave."
            ),
            draw=parts.intervals(_theta_points, _("ability in logits on the bank of tasks")),
            view="models",
        ),
        parts.MeasureTable(
            _("Over tasks, in percent"),
            parts.in_order(*SUMMARIES, groups=(*parts.GROUPS, "")),
            (
                (_("Summary"), _summary_name),
                (_("Value"), parts.value(1)),
                (_("95 % interval"), parts.interval(1)),
            ),
            _(
                "Harmonic mean: number of tasks / sum of 1 / (percent + 1), the 1 not subtracted, as the "
                "BBEH paper prints it. Corrected for chance: (accuracy − guessing) / (1 − guessing), "
                "below 0 where guessing is better."
            ),
            view="over",
        ),
        parts.MeasureTable(
            _("Per task"),
            tasks_by_average,
            (
                (_("Task"), task_of),
                (_("Average %"), parts.value(1, COMMON)),
                (_("95 % interval"), parts.interval(1)),
                (_("Top %"), lambda block, row: value_cell(block.get(row.name, "top", row.subset), 1)),
                (_("Best published model %"), _best_cell),
                (_("By guessing %"), _guessing),
                (_("Corrected for chance (%)"), parts.beside("task.accuracy.corrected", parts.value(1))),
                (_("Questions"), parts.count("prompts")),
                (_("Answers"), parts.count("n")),
            ),
            _published_note,
            view="tasks",
        ),
        parts.MeasureTable(
            _("Average and best rater per task"),
            _best_raters,
            (
                (
                    _("Task"),
                    lambda block, row: (
                        task_of(block, row) if row.subset else _("Mean over tasks (best rater per task)")
                    ),
                ),
                (_("Raters"), parts.count("people")),
                (_("Answers per rater"), parts.detail("items", 1)),
                (_("Average rater (%)"), parts.beside("human.average", parts.value(1))),
                (
                    Term(_("Best rater (picked by these same scores) (%)"), _("Best rater (in-sample) (%)")),
                    parts.value(1),
                ),
                (_("Best of equals (%)"), parts.beside("human.max.equal", parts.value(1))),
                (_("Share of chance"), parts.detail("luck")),
            ),
            _(
                "Best of equals: the highest accuracy to be expected if all raters were equally good. "
                "Share of chance: how often equal raters have a maximum at least this high. The last "
                "line mixes different people: it is the best rater per task, not a best human."
            ),
            view="raters",
        ),
        parts.MeasureTable(
            _("Beside the models of the table, at the same number of answers"),
            _cohort_and_models,
            (
                (_("Who"), lambda block, row: task_of(block, row) if row.subset else group_name(row.group)),
                *_model_columns(_("Macro (%)"), "benchmark.macro"),
                *_model_columns(_("Harmonic mean"), "benchmark.harmonic"),
                *_model_columns(_("ability"), "theta.task"),
                *_model_columns(_("ability on the QL scale"), "theta.task.ql"),
            ),
            _(
                "Models: the value on all questions of the table, and the range of 1,000 draws of as many "
                "answers per task as Average has; Top has fewer. People: their value with its interval "
                "over people. Only the ranges are comparable with Average; ability on the QL scale "
                "(theta_QL) hardly depends on the number of answers. Where several people answered the "
                "same question, what is comparable lies between these ranges and the wider ones at as "
                "many different questions, which the export holds."
            ),
            view="models",
        ),
    ),
    {
        "tasks": _("By task"),
        "models": _("Beside models"),
        "over": _("Over all tasks"),
        "raters": _("Best people"),
    },
)
