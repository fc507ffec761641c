"""Results as pages and terminals show them: the numbers that were stored, and the sentences they need."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoring.models import BenchmarkMetric, Estimate, ResultGroup, ResultSet, TaskAccuracy

METRIC_NAMES = {
    "macro": "Macro average over tasks",
    "micro": "Micro average over responses",
    "adjusted_harmonic_mean": "Adjusted harmonic mean of (accuracy % + 1)",
}
FEW_RESPONSES = 20


@dataclass(frozen=True)
class TaskShown:
    """One task with the stored accuracy of each group that has one."""

    task: str
    average: TaskAccuracy | None
    top: TaskAccuracy | None


@dataclass(frozen=True)
class MetricShown:
    """One summary over tasks, in percent."""

    name: str
    average: float | None
    top: float | None


@dataclass(frozen=True)
class Report:
    """One computation: `overall` has one row per group, `categories` one per group and category.

    Categories are measured on the scale of an item bank; without one there are none.
    """

    results: ResultSet
    overall: Sequence[Estimate]
    categories: Sequence[Estimate]
    tasks: Sequence[TaskShown]
    metrics: Sequence[MetricShown]
    notes: Sequence[str]

    @property
    def has_theta(self) -> bool:
        """Whether there is a scale and something scored on it."""
        return any(estimate.theta is not None for estimate in self.overall)


def report_of(results: ResultSet) -> Report:
    """Everything of one computation, in three queries."""
    estimates = list(results.estimates.order_by("category", "group"))
    overall = [estimate for estimate in estimates if not estimate.category]
    tasks = tasks_shown(results.task_accuracies.order_by("task"))
    return Report(
        results=results,
        overall=overall,
        categories=[row for row in estimates if row.category] if results.run.study.item_bank_id else [],
        tasks=tasks,
        metrics=metrics_shown(results.metrics.order_by("pk")),
        notes=list(notes(results, overall, tasks)),
    )


def tasks_shown(rows: Iterable[TaskAccuracy]) -> list[TaskShown]:
    found: dict[str, dict[str, TaskAccuracy]] = {}
    for row in rows:
        found.setdefault(row.task, {})[row.group] = row
    return [
        TaskShown(task, groups.get(ResultGroup.AVERAGE), groups.get(ResultGroup.TOP))
        for task, groups in found.items()
    ]


def metrics_shown(rows: Iterable[BenchmarkMetric]) -> list[MetricShown]:
    found: dict[str, dict[str, float | None]] = {}
    for row in rows:
        found.setdefault(row.name, {})[row.group] = row.value
    return [
        MetricShown(METRIC_NAMES[name], groups.get(ResultGroup.AVERAGE), groups.get(ResultGroup.TOP))
        for name, groups in found.items()
    ]


def notes(results: ResultSet, overall: Sequence[Estimate], tasks: Sequence[TaskShown]) -> Iterator[str]:
    """What a reader must know before quoting any of the numbers."""
    study, flow = results.run.study, results.flow
    if study.is_simulated:
        yield "The people in this study are SIMULATED. The numbers say nothing about anybody."
    if not flow["retained"]:
        yield "Nobody is retained yet: a participant counts once their session has ended."
    if flow["active"]:
        yield f"Sessions still running: {flow['active']}. Nothing of them is in these results."
    if flow["with_scores"] < flow["top_size"]:
        yield (
            f"Top needs {flow['top_size']} retained participants with a scored answer; "
            f"there are {flow['with_scores']}."
        )
    unscored = sum(estimate.unscored for estimate in overall if estimate.group == ResultGroup.AVERAGE)
    if unscored:
        yield f"Unscored answers: {unscored}. They are in no estimate, and they are not zero."
    if study.item_bank is None:
        yield "The study has no item bank, so there is no theta."
    fewest = min((row.responses for task in tasks for row in (task.average, task.top) if row), default=0)
    if study.protocol.match_rules == "bbeh" and fewest < FEW_RESPONSES:
        yield (
            f"A task has only {fewest} responses in a group; below {FEW_RESPONSES} the adjusted "
            "harmonic mean is far too low. Quote the micro average."
        )
