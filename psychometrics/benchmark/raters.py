"""Raters on a task: their average, the best of them, and what the best would be were all equally good.

    human.average        mean over raters of the rater's own accuracy on the task
    human.max            the highest of them: an extreme of few raters with few questions each
    expected maximum     the mean highest accuracy when the task's right answers fall by chance, each rater
                         keeping the number of answers (permutation: raters are exchangeable)
    human.top_crossfit   the accuracy of the K best people, chosen on four fifths of their answers and scored
                         on the fifth that did not choose them

BIG-bench and BBH print the first two (Srivastava et al. 2022; Suzgun et al. 2022). The maximum is selected on
the outcome, and the maxima of different tasks are different people: best rater per task, not a best human.
Accuracies are percentages.
"""

import math
from dataclasses import dataclass

import numpy as np

from psychometrics.benchmark.tasks import PERCENT, TaskSums
from psychometrics.inference.clusters import Array, Codes
from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, unknown, within, without_interval
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters
from psychometrics.inference.student_t import t_quantile

PERMUTATIONS = 2000
FOLDS, SPLITS = 5, 100
SPLITS_OF_DRAWS = 8  # as in `top_crossfit`


@dataclass(frozen=True)
class TaskRaters:
    """The raters of one task.

    `expected_max` is the mean maximum of equal raters and `luck` the share of permutations with a maximum at
    least as high. `items` is the median of answers per rater, `best_items` those of the best rater.
    """

    average: Estimate
    maximum: float
    raters: int
    items: float
    best_items: int
    expected_max: float
    luck: float


def task_raters(sums: TaskSums, task: int, rng: np.random.Generator, draws: int = PERMUTATIONS) -> TaskRaters:
    """What the raters of one task (its position) come to; among equal maxima the one with most answers."""
    rated = sums.answers[:, task] > 0
    answers = sums.answers[rated, task].astype(np.int64)
    correct = sums.correct[rated, task].astype(np.int64)
    if not len(answers):
        return TaskRaters(unknown(Reason.NO_PAIRS), math.nan, 0, math.nan, 0, math.nan, math.nan)
    accuracy = PERCENT * correct / answers
    maximum = float(accuracy.max())
    by_chance = maxima_of_equals(answers, int(correct.sum()), rng, draws)
    return TaskRaters(
        average=mean_estimate(accuracy),
        maximum=maximum,
        raters=len(answers),
        items=float(np.median(answers)),
        best_items=int(answers[accuracy == maximum].max()),
        expected_max=float(by_chance.mean()),
        luck=float((by_chance >= maximum - 1e-9).mean()),
    )


def maxima_of_equals(answers: Codes, correct: int, rng: np.random.Generator, draws: int) -> Array:
    """Highest accuracies (draws,) when `correct` right answers fall by chance on raters' `answers` (G,)."""
    fallen = rng.multivariate_hypergeometric(answers, correct, size=draws, method="marginals")
    highest: Array = (PERCENT * fallen / answers).max(axis=1)
    return highest


def mean_estimate(values: Array) -> Estimate:
    """The mean of independent raters' accuracies (G,) with its t interval, from 0 to 100 at most."""
    mean = float(values.mean())
    if len(values) < 2:
        return without_interval(mean, Reason.ONE_CLUSTER)
    se = float(values.std(ddof=1)) / math.sqrt(len(values))
    if se == 0:
        return without_interval(mean, Reason.NO_SPREAD)
    half = t_quantile(CONFIDENCE, len(values) - 1) * se
    return within(Estimate(mean, se, mean - half, mean + half), 0, PERCENT)


@dataclass(frozen=True, eq=False)
class _Fold:
    """One fold: people from best to worst outside of it, and their right and scored answers within."""

    order: Codes
    correct: Array
    answers: Array


def top_crossfit(
    person: Codes, correct: Array, size: int, resamples: int, rng: np.random.Generator
) -> Estimate:
    """Accuracy of the `size` best people on answers that did not choose them, from rows (n,).

    Ranked by mean accuracy outside of a fold (ties by chance), averaged over 100 splits into 5 folds. The
    interval resamples people and chooses anew in each resample, in the first 8 splits, and is moved by what
    all splits differ from these. Unknown where there are fewer people.
    """
    _, rows = np.unique(person, return_inverse=True)
    people = int(rows.max()) + 1 if len(rows) else 0
    if people < max(size, 1):
        return unknown(Reason.TOO_FEW_PEOPLE if people else Reason.NO_PAIRS)
    folds = [fold for _ in range(SPLITS) for fold in _folds(rows, correct, people, rng)]
    value = float(_crossfit(np.ones((1, people)), folds, size)[0])
    if math.isnan(value):
        return unknown(Reason.TOO_FEW_PAIRS)
    walked = folds[: FOLDS * SPLITS_OF_DRAWS]
    moved = value - float(_crossfit(np.ones((1, people)), walked, size)[0])
    drawn = [_crossfit(times, walked, size) for times in draws_of_clusters(people, resamples, rng)]
    resampled = np.clip(moved + np.concatenate([np.empty(0), *drawn]), 0, PERCENT)
    return bootstrap_estimate(value, resampled, people)


def _folds(rows: Codes, correct: Array, people: int, rng: np.random.Generator) -> list[_Fold]:
    """One random split of each person's answers into five parts as equal as can be."""
    shuffled = rng.permutation(len(rows))
    by_person = shuffled[np.argsort(rows[shuffled], kind="stable")]
    first = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=people))[:-1]])
    place = np.empty(len(rows), dtype=np.int64)
    place[by_person] = np.arange(len(rows)) - first[rows[by_person]]
    fold_of_row = (place + rng.integers(0, FOLDS, people)[rows]) % FOLDS
    cells = rows * FOLDS + fold_of_row
    shape = (people, FOLDS)
    right = np.bincount(cells, correct, minlength=people * FOLDS).astype(np.float64).reshape(shape)
    answers = np.bincount(cells, minlength=people * FOLDS).astype(np.float64).reshape(shape)
    return [_fold(right, answers, fold, rng) for fold in range(FOLDS)]


def _fold(right: Array, answers: Array, fold: int, rng: np.random.Generator) -> _Fold:
    outside = answers.sum(axis=1) - answers[:, fold]
    mean = np.where(outside > 0, (right.sum(axis=1) - right[:, fold]) / np.maximum(outside, 1), -1)
    order = np.lexsort((rng.random(len(mean)), -mean))
    return _Fold(order, right[order, fold], answers[order, fold])


def _crossfit(times: Array, folds: list[_Fold], size: int) -> Array:
    """The cross-fitted accuracy (R,) of people who occur `times` (R, P)."""
    total, counted = np.zeros(len(times)), np.zeros(len(times))
    for fold in folds:
        reached = np.minimum(np.cumsum(times[:, fold.order], axis=1), size)
        chosen = np.diff(reached, axis=1, prepend=0)
        right, answers = chosen @ fold.correct, chosen @ fold.answers
        total += np.where(answers > 0, right / np.maximum(answers, 1), 0)
        counted += answers > 0
    return np.where(counted > 0, PERCENT * total / np.maximum(counted, 1), np.nan)
