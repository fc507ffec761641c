"""Task benchmarks: accuracy per task and the benchmark's own summaries. Plain values in and out."""

from collections.abc import Iterable, Mapping

from psychometrics.benchmark.metrics import (
    TaskAccuracy,
    adjusted_harmonic_mean,
    macro,
    micro,
    per_task_accuracy,
)
from psychometrics.data.answers import ResultAnswer
from psychometrics.inference.estimates import none_if_nan


def task_accuracies(answers: Iterable[ResultAnswer]) -> dict[str, TaskAccuracy]:
    """Accuracy per task of a task benchmark, by task name; unscored and missing answers are left out."""
    ordered = sorted(answers, key=lambda answer: answer.task)
    return per_task_accuracy(
        (answer.task, None if answer.score is None else answer.score == 1.0) for answer in ordered
    )


def benchmark_metrics(tasks: Mapping[str, TaskAccuracy], rules: str) -> dict[str, float | None]:
    """The benchmark's summaries in percent: BBH macro; BBEH macro, micro over responses, harmonic mean."""
    accuracies = {name: task.accuracy for name, task in tasks.items()}
    metrics = {"macro": macro(accuracies)}
    if rules == "bbeh":
        metrics["micro"] = micro(accuracies, {name: task.n for name, task in tasks.items()})
        metrics["adjusted_harmonic_mean"] = adjusted_harmonic_mean(accuracies)
    return {name: none_if_nan(value) for name, value in metrics.items()}
