"""The models of the study's table at as few answers per task as people gave; the cohort's theta."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from zlib import crc32

import numpy as np

from psychometrics.benchmark.accuracy_table import TableColumn
from psychometrics.benchmark.matched import DRAWS, Placed, placed, thinned
from psychometrics.benchmark.metrics import bbeh_task_sizes, task_key
from psychometrics.benchmark.tasks import TaskSums, harmonic_estimate, harmonics
from psychometrics.benchmark.theta import (
    cohort_theta,
    items_of_tasks,
    task_thetas,
    task_thetas_ql,
    unbounded_on_tasks,
)
from psychometrics.inference.clusters import Array, Codes
from psychometrics.inference.estimates import MIN_QUESTIONS, Reason, none_if_nan, unknown
from psychometrics.inference.measure import Measure
from psychometrics.irt.bank import ItemBank
from psychometrics.measures.blocks.results import over_tasks
from psychometrics.measures.inputs import Inputs


def accuracies_on(tasks: Sequence[str], column: TableColumn) -> Array:
    """Accuracies (T,) of a column on tasks by their names, NaN where the table has none."""
    return np.array([column.accuracy.get(task_key(task), np.nan) for task in tasks], dtype=np.float64)


def harmonic_shown(group: str, sums: TaskSums, *, matched: bool) -> Measure:
    """`benchmark.harmonic`, hidden where a task has fewer than 20 questions and no models are matched."""
    questions = sums.questions[sums.scored]
    fewest = int(questions.min()) if len(questions) else 0
    hidden = fewest < MIN_QUESTIONS and not matched
    estimate = unknown(Reason.TOO_FEW_QUESTIONS) if hidden else harmonic_estimate(sums)
    return over_tasks("benchmark.harmonic", estimate, group, sums, fewest_questions=fewest, matched=matched)


def theta_measures(inputs: Inputs, group: str, sums: TaskSums, seed: int) -> Iterator[Measure]:
    """`theta.task` and `theta.task.ql` of a group, where the study's item bank is one of its tasks.

    Each group has a stream of random numbers of its own, so that no group changes another.
    """
    bank, items = _task_bank(inputs, sums)
    if bank is None:
        return
    rng = np.random.default_rng([seed, crc32(group.encode())])
    theta, quasi = cohort_theta(sums, items, bank, inputs.resamples, rng)
    found = (quasi if quasi.reason == Reason.NO_FINITE_SOLUTION else theta, quasi)
    for name, estimate in zip(("theta.task", "theta.task.ql"), found, strict=True):
        yield Measure(
            name, estimate, group=group, n=int(sums.totals[items >= 0].sum()), people=len(sums.answers),
            prompts=int(sums.questions[items >= 0].sum()), clusters=len(sums.answers),
            details={"tasks": int(((items >= 0) & (sums.totals > 0)).sum()), "tasks_of_bank": len(bank)},
        )  # fmt: skip


def _task_bank(inputs: Inputs, sums: TaskSums) -> tuple[ItemBank | None, Codes]:
    """The study's item bank if it knows any of the tasks by name, and the tasks' places in it."""
    if inputs.items is None:
        return None, np.zeros(0, dtype=np.int64)
    items = items_of_tasks(sums.tasks, inputs.items)
    return (inputs.items if (items >= 0).any() else None), items


def model_measures(
    inputs: Inputs, sums: TaskSums, columns: Sequence[TableColumn], seed: int, *, harmonic_too: bool
) -> Iterator[Measure]:
    """Every column thinned to the cohort's answers: mean and 95 % range of 1,000 draws of its own stream.

    `details.full` is the same on all questions of the table, `share_below` the share of draws below Average,
    `low_questions` and `high_questions` the range at as many different questions as the cohort answered.
    """
    sizes = bbeh_task_sizes(sums.tasks)
    of_tasks = np.array([sizes[task] for task in sums.tasks])[sums.scored] if sizes else None
    answers = sums.totals[sums.scored].astype(np.int64)
    own = sums.accuracy[sums.scored][np.newaxis]
    bank, items = _task_bank(inputs, sums)
    for column in on_all_tasks(sums, columns):
        accuracy = accuracies_on(sums.tasks, column)[sums.scored]
        rng = np.random.default_rng([seed, crc32(f"model:{column.name}".encode())])
        drawn = thinned(accuracy, of_tasks, answers, rng)
        fewer = thinned(accuracy, of_tasks, sums.questions[sums.scored], rng)
        # A theta of a column whose answers are all right, or all wrong, is a bound.
        bound = None
        if bank is not None:
            bound = unbounded_on_tasks(accuracy, sums.totals[sums.scored], items[sums.scored], bank)
        for measure, of in statistics(inputs, sums, harmonic_too).items():
            full, cohort = (float(of(values)[0]) for values in (accuracy[np.newaxis], own))
            place, at_questions = placed(of(drawn), cohort), placed(of(fewer), cohort).estimate
            if bound and measure.startswith("theta."):
                full, place = math.nan, Placed(bound, math.nan)
                at_questions = unknown(Reason.NO_FINITE_SOLUTION)
            yield Measure(
                measure, place.estimate, subset=f"model:{column.name}", n=int(sums.totals.sum()),
                prompts=int(sums.questions.sum()),
                details={
                    "full": none_if_nan(full), "share_below": none_if_nan(place.share_below), "draws": DRAWS,
                    "low_questions": none_if_nan(at_questions.low),
                    "high_questions": none_if_nan(at_questions.high),
                },
            )  # fmt: skip


def on_all_tasks(sums: TaskSums, columns: Sequence[TableColumn]) -> list[TableColumn]:
    """The columns with every task that the cohort answered; on other tasks there would be other means."""
    scored = sums.scored
    if not len(scored):
        return []
    return [column for column in columns if not np.isnan(accuracies_on(sums.tasks, column)[scored]).any()]


def statistics(inputs: Inputs, sums: TaskSums, harmonic_too: bool) -> dict[str, Callable[[Array], Array]]:
    """What is compared, by name: from rows (R, scored tasks) of accuracies to values (R,)."""
    found: dict[str, Callable[[Array], Array]] = {"benchmark.macro.model": lambda rows: rows.mean(axis=1)}
    if harmonic_too:
        found["benchmark.harmonic.model"] = harmonics
    bank, items = _task_bank(inputs, sums)
    if bank is not None:
        known = items[sums.scored]
        found["theta.task.model"] = partial(task_thetas, items=known, bank=bank)
        found["theta.task.ql.model"] = partial(task_thetas_ql, items=known, bank=bank)
    return found
