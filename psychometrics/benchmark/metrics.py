"""Benchmark metrics from right and wrong answers: per task, macro, micro, adjusted harmonic mean.

    macro     = (1/T) sum_t acc_t
    micro     = sum_t n_t acc_t / sum_t n_t
    harmonic  = T / sum_t 1 / (acc_t + 1)          (BBEH paper, Table 2)

Accuracies are percentages. The 1 keeps a task at 0 % from annulling the harmonic mean and is not subtracted
afterwards: the metric runs from 1 to 101. A task of which nothing is scored has accuracy NaN and takes no
part in any of the three; with no scored task at all they are NaN, never 0.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Questions per task of BBEH (BBEH paper, section 3): 4,520 in all. Table 2 names the tasks like this.
_BBEH_TASKS = (
    "BoardgameQA, Boolean Expressions, Buggy Tables, Causal Understanding, DisambiguationQA, "
    "Dyck Languages, Geometric Shapes, Hyperbaton, Linguini, Movie Recommendation, "
    "Multistep Arithmetic, NYCC, Object Counting, Object Properties, SARC Triples, Shuffled Objects, "
    "Spatial Reasoning, SportQA, Temporal Sequences, Time Arithmetic, Web of Lies, Word Sorting, "
    "Zebra Puzzles"
).split(", ")
BBEH_TASK_SIZES: Mapping[str, int] = dict.fromkeys(_BBEH_TASKS, 200) | {"DisambiguationQA": 120}


@dataclass(frozen=True)
class TaskAccuracy:
    """One task: `n` scored questions, `correct` of them right, `missing` not scored.

    `accuracy` is a percentage, NaN where nothing is scored.
    """

    n: int
    correct: int
    missing: int

    @property
    def accuracy(self) -> float:
        return 100 * self.correct / self.n if self.n else math.nan


def per_task_accuracy(outcomes: Iterable[tuple[str, bool | None]]) -> dict[str, TaskAccuracy]:
    """Tally (task, correct) pairs by task, in order of first appearance; None is missing."""
    tallies: dict[str, list[bool | None]] = {}
    for task, correct in outcomes:
        tallies.setdefault(task, []).append(correct)
    return {
        task: TaskAccuracy(
            n=len(found) - found.count(None), correct=found.count(True), missing=found.count(None)
        )
        for task, found in tallies.items()
    }


def macro(accuracies: Mapping[str, float]) -> float:
    """Unweighted mean over the scored tasks, in percent."""
    scored = _scored(accuracies)
    return math.fsum(scored.values()) / len(scored) if scored else math.nan


def micro(accuracies: Mapping[str, float], sizes: Mapping[str, int]) -> float:
    """Mean over the questions of the scored tasks, in percent; `sizes` must hold every one of them."""
    scored = _scored(accuracies)
    questions = sum(sizes[task] for task in scored)
    weighted = math.fsum(sizes[task] * accuracy for task, accuracy in scored.items())
    return weighted / questions if questions else math.nan


def adjusted_harmonic_mean(accuracies: Mapping[str, float]) -> float:
    """Harmonic mean over the scored tasks of (percent + 1), the 1 not subtracted again."""
    scored = _scored(accuracies)
    return len(scored) / math.fsum(1 / (value + 1) for value in scored.values()) if scored else math.nan


def bbeh_task_sizes(tasks: Iterable[str]) -> dict[str, int] | None:
    """Sizes of BBEH tasks, named as in Table 2 or as the benchmark's folders; None if any is no BBEH task."""
    sizes = {task: _SIZES_BY_KEY.get(task_key(task)) for task in tasks}
    known = {task: size for task, size in sizes.items() if size is not None}
    return known if len(known) == len(sizes) else None


def task_key(task: str) -> str:
    """One key for "bbeh_temporal_sequence" and "Temporal Sequences"."""
    letters = "".join(character for character in task.casefold() if character.isalnum())
    return letters.removeprefix("bbeh").removesuffix("s")


def _scored(accuracies: Mapping[str, float]) -> dict[str, float]:
    return {task: value for task, value in accuracies.items() if not math.isnan(value)}


_SIZES_BY_KEY = {task_key(task): size for task, size in BBEH_TASK_SIZES.items()}
