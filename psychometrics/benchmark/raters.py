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
from psychometrics.inference.clusters import Array, ClusterError, Codes
from psychometrics.inference.estimates import Estimate, Reason, unknown, within, without_interval
from psychometrics.top.crossfit import FOLDS, SPLITS, SPLITS_OF_DRAWS, Crossfit, Order

PERMUTATIONS = 2000


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
    maximum, mean = float(accuracy.max()), float(accuracy.mean())
    # Raters are independent: a t interval of their mean, from 0 to 100 at most.
    se = float(accuracy.std(ddof=1)) / math.sqrt(len(answers)) if len(answers) > 1 else math.nan
    if se > 0:
        average = within(ClusterError(se, len(answers), len(answers)).around(mean), 0, PERCENT)
    else:
        average = without_interval(mean, Reason.NO_SPREAD if se == 0 else Reason.ONE_CLUSTER)
    by_chance = maxima_of_equals(answers, int(correct.sum()), rng, draws)
    return TaskRaters(
        average=average,
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
    orders = tuple(order for _ in range(SPLITS) for order in _orders(rows, correct, people, rng))
    crossed = Crossfit(orders, people, 0, FOLDS * SPLITS_OF_DRAWS, PERCENT, (0, PERCENT))
    return crossed.estimates([size], resamples, rng)[0]


def _orders(rows: Codes, correct: Array, people: int, rng: np.random.Generator) -> list[Order]:
    """The orders of one random split of each person's answers into five parts as equal as can be.

    Each is of the people from best to worst outside of a fold, with their right and scored answers within.
    """
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
    orders = []
    for fold in range(FOLDS):
        outside = answers.sum(axis=1) - answers[:, fold]
        mean = np.where(outside > 0, (right.sum(axis=1) - right[:, fold]) / np.maximum(outside, 1), -1)
        order = np.lexsort((rng.random(len(mean)), -mean))
        orders.append(Order(order, right[order, fold], answers[order, fold]))
    return orders
