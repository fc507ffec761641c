"""A task-level item bank from a table of models by tasks, and a cohort's ability on it.

Items are tasks; the score of a configuration on a task is its accuracy. The bank is the exact fit of the
published objective to the logits of the accuracies (`psychometrics.calibration`). Fewer than 20
configurations do not determine discriminations, so then a = 1 and only difficulties are fitted.

    theta = sum_t a_t (y_t + a_t b_t) / sum_t a_t^2,      y_t = logit(0.998 acc_t / 100 + 0.001)

The logit is taken of an accuracy over few questions, so theta of a cohort compares with a model only at the
same number of questions (`psychometrics.benchmark.matched`); theta_QL does not depend on that number.
The interval is a bootstrap over participants: these tasks, other people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from psychometrics.agreement.coefficients import ratio
from psychometrics.benchmark.accuracy_table import AccuracyTable
from psychometrics.benchmark.metrics import task_key
from psychometrics.benchmark.tasks import PERCENT, TaskSums
from psychometrics.calibration import Calibration, calibrate
from psychometrics.inference.clusters import Codes
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import thetas_ql
from psychometrics.irt.transform import Array, Transform

MIN_FOR_DISCRIMINATION = 20
TRANSFORM = Transform(scale=0.998, offset=0.001)


@dataclass(frozen=True, eq=False)
class TaskCalibration:
    """The fit of a table; `difficulty_only` where it has too few configurations for discriminations."""

    fit: Calibration
    tasks: tuple[str, ...]
    difficulty_only: bool


def calibrated_tasks(table: AccuracyTable) -> TaskCalibration:
    """Fit a bank to all columns of a table. Raises NotCalibratable where a column or a task is empty."""
    rows = [[np.nan if value is None else value for value in table.accuracy_percent[t]] for t in table.tasks]
    y = TRANSFORM.to_logit(np.array(rows, dtype=np.float64).T / PERCENT)
    difficulty_only = len(table.models) < MIN_FOR_DISCRIMINATION
    fit = calibrate(y, discriminating=not difficulty_only)
    return TaskCalibration(fit, tuple(table.tasks), difficulty_only)


def items_of_tasks(tasks: Sequence[str], bank: ItemBank) -> Codes:
    """The position (T,) of each task in a bank whose prompt ids are names of tasks; -1 where it has none.

    "bbeh_temporal_sequence", "temporal_sequence" and "Temporal Sequences" are one task.
    """
    known: Mapping[str, int] = {task_key(name): place for place, name in enumerate(bank.prompt_ids)}
    return np.array([known.get(task_key(task), -1) for task in tasks], dtype=np.int64)


def task_thetas(accuracy: Array, items: Codes, bank: ItemBank) -> Array:
    """Theta (R,) of rows of accuracies (R, T) in percent, NaN = not measured; `items` (T,), -1 = no item."""
    kept = items >= 0
    a, b = bank.a[items[kept]], bank.b[items[kept]]
    y = bank.transform.to_logit(np.clip(accuracy[:, kept] / PERCENT, 0, 1))
    seen = ~np.isnan(y)
    return ratio(np.where(seen, y + a * b, 0) @ a, seen @ a**2)


def task_thetas_ql(accuracy: Array, items: Codes, bank: ItemBank) -> Array:
    """The same by quasi-likelihood; NaN where every task is at 0 % or every task at 100 %."""
    kept = items >= 0
    p = np.clip(accuracy[:, kept] / PERCENT, 0, 1)
    a, b = (np.broadcast_to(column[items[kept]], p.shape).ravel() for column in (bank.a, bank.b))
    groups = np.repeat(np.arange(len(p)), p.shape[1])
    return thetas_ql(a, b, p.ravel(), groups, len(p))


def cohort_theta(
    sums: TaskSums, items: Codes, bank: ItemBank, resamples: int, rng: np.random.Generator
) -> tuple[Estimate, Estimate]:
    """Theta and theta_QL of a cohort with intervals over participants; NaN without a scored known task.

    Of theta_QL there is a bound alone where every answer is right, or every one wrong; theta is then what the
    squeeze makes of it, which nobody is told.
    """
    if not ((items >= 0) & (sums.totals > 0)).any():
        return unknown(Reason.NOTHING_SCORED), unknown(Reason.NOTHING_SCORED)
    people, own = len(sums.answers), sums.accuracy[np.newaxis]
    drawn = [
        ratio(PERCENT * times @ sums.correct, times @ sums.answers)
        for times in draws_of_clusters(people, resamples, rng)
    ]
    resampled = np.concatenate(drawn) if drawn else np.empty((0, len(sums.tasks)))
    resampled[np.isnan(resampled[:, sums.scored]).any(axis=1)] = np.nan  # another set of tasks
    theta, quasi = (
        bootstrap_estimate(float(of(own, items, bank)[0]), of(resampled, items, bank), people)
        for of in (task_thetas, task_thetas_ql)
    )
    return theta, unbounded_on_tasks(sums.accuracy, sums.totals, items, bank) or quasi


def unbounded_on_tasks(accuracy: Array, answers: Array, items: Codes, bank: ItemBank) -> Estimate | None:
    """What bounds theta where all `answers` (T,) to known tasks are right, or all wrong: accuracies (T,) in
    percent that are all 100, or all 0. None elsewhere.
    """
    known = (items >= 0) & (answers > 0)
    number, places = answers[known].astype(np.int64), items[known]
    a, b, p = (
        np.repeat(column, number) for column in (bank.a[places], bank.b[places], accuracy[known] / PERCENT)
    )
    return unbounded(a, b, p)
