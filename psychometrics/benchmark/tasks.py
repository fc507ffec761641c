"""A cohort on a benchmark with tasks: accuracy per task, over tasks, their harmonic mean, with intervals.

    acc_t    = 100 correct_t / answers_t                                     (percent)
    combined = sum_t w_t acc_t           macro: w_t = 1 / T;  micro, over answers: all tasks taken as one
    u_i      = sum_t w_t 100 (correct_it - acc_t answers_it / 100) / answers_t

The error is that of a sum of ratios by participants, linearised: CR2 of u with its t, each answer weighing
w_t / answers_t after the tasks' means were fitted (`psychometrics.inference.clusters`). The adjusted harmonic
mean T / sum 1/(acc_t + 1) of the BBEH paper (Table 2; the 1 is not subtracted again) is not linear; its error
is a jackknife over participants.
A task without a scored answer takes no part; without any, everything is NaN with a reason.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from psychometrics.agreement.coefficients import ratio
from psychometrics.benchmark.metrics import adjusted_harmonic_mean
from psychometrics.data.cohort import Cohort
from psychometrics.inference.clusters import ROUNDING, Array, Codes, Leverage, cluster_variance, error_of
from psychometrics.inference.estimates import Estimate, Reason, unknown, within, without_interval
from psychometrics.inference.jackknife import jackknife_error

PERCENT = 100.0
MIN_HARMONIC = 1.0


@dataclass(frozen=True, eq=False)
class TaskSums:
    """What P people did in T tasks: `correct` and `answers` (P, T), scored answers only.

    `questions` (T,) counts the different questions among them. People without a scored answer are left out.
    """

    tasks: tuple[str, ...]
    correct: Array
    answers: Array
    questions: Codes

    @cached_property
    def totals(self) -> Array:
        """(T,): scored answers of each task."""
        total: Array = self.answers.sum(axis=0)
        return total

    @cached_property
    def accuracy(self) -> Array:
        """(T,) in percent, NaN where nothing is scored."""
        return ratio(PERCENT * self.correct.sum(axis=0), self.totals)

    @cached_property
    def scored(self) -> Codes:
        """The positions of the tasks with a scored answer."""
        return np.flatnonzero(self.totals)

    def merged(self, names: Sequence[str]) -> "TaskSums":
        """Tasks of equal `names` (T,) taken as one, in sorted order of the names."""
        found, codes = np.unique(np.asarray(names, dtype=np.str_), return_inverse=True)
        together = np.eye(len(found))[codes]
        return TaskSums(
            tuple(str(name) for name in found),
            self.correct @ together,
            self.answers @ together,
            (self.questions @ together).astype(np.int64),
        )


def task_sums(cohort: Cohort) -> TaskSums:
    """The sums of a cohort, tasks in sorted order; an answer is correct where its score is 1."""
    names = np.array([prompt.task for prompt in cohort.prompts], dtype=np.str_)
    tasks, task_of_prompt = np.unique(names, return_inverse=True)
    counted = ~np.isnan(cohort.p)
    task, prompt = task_of_prompt[cohort.prompt[counted]], cohort.prompt[counted]
    people, person = np.unique(cohort.person[counted], return_inverse=True)
    cells, shape = person * len(tasks) + task, (len(people), len(tasks))
    right = cohort.p[counted] == 1
    return TaskSums(
        tasks=tuple(str(name) for name in tasks),
        correct=np.bincount(cells[right], minlength=math.prod(shape)).reshape(shape).astype(np.float64),
        answers=np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(np.float64),
        questions=np.bincount(task_of_prompt[np.unique(prompt)], minlength=len(tasks)).astype(np.int64),
    )


def task_estimate(sums: TaskSums, task: int) -> Estimate:
    """The accuracy of one task (its position) in percent."""
    if not sums.totals[task]:
        return unknown(Reason.NO_PAIRS)
    return within(combined(sums, np.eye(len(sums.tasks))[task]), 0, PERCENT)


def macro_estimate(sums: TaskSums) -> Estimate:
    """The unweighted mean over the scored tasks, in percent."""
    weights = np.where(sums.totals > 0, 1.0, 0.0)
    return within(combined(sums, weights / max(weights.sum(), 1)), 0, PERCENT)


def micro_estimate(sums: TaskSums) -> Estimate:
    """The mean over the scored answers, in percent."""
    return task_estimate(sums.merged([""] * len(sums.tasks)), 0) if sums.tasks else unknown(Reason.NO_PAIRS)


def combined(sums: TaskSums, weights: Array, offset: float = 0.0) -> Estimate:
    """sum_t w_t acc_t + offset with its participant-clustered interval; `weights` (T,), 0 where unscored."""
    used = np.flatnonzero(weights)
    if not len(used):
        return unknown(Reason.NO_PAIRS)
    accuracy, w = sums.accuracy[used], weights[used]
    value = float(w @ accuracy) + offset
    people = sums.answers[:, used].any(axis=1)
    deviations = PERCENT * sums.correct[:, used] - accuracy * sums.answers[:, used]
    scores = (deviations / sums.totals[used]) @ w
    groups = int(people.sum())
    if groups < 2:
        return without_interval(value, Reason.ONE_CLUSTER)
    if np.abs(scores).max() <= ROUNDING * PERCENT:
        return without_interval(value, Reason.NO_SPREAD)
    shares = sums.answers[people][:, used] * (w / sums.totals[used])  # sums of weights, people x tasks
    leverage = Leverage(shares @ (w / sums.totals[used]), shares / np.sqrt(sums.totals[used]))
    variance = cluster_variance(scores[people], leverage, np.arange(groups), groups)
    return error_of(variance, int(sums.totals[used].sum()), groups).around(value)


def harmonic_estimate(sums: TaskSums) -> Estimate:
    """The adjusted harmonic mean (1 to 101) with its delete-one-participant jackknife.

    UNSTABLE where a task rests on one participant: without them it would be another set of tasks.
    """
    if not len(sums.scored):
        return unknown(Reason.NO_PAIRS)
    correct = (sums.correct.sum(axis=0) - sums.correct)[:, sums.scored]
    answers = (sums.totals - sums.answers)[:, sums.scored]
    without_one = harmonics(ratio(PERCENT * correct, answers))
    error = jackknife_error(without_one, int(sums.totals.sum()))
    return within(error.around(harmonic(sums.accuracy)), MIN_HARMONIC, MIN_HARMONIC + PERCENT)


def harmonic(accuracy: Array) -> float:
    """The adjusted harmonic mean of accuracies (T,) in percent, NaN left out."""
    return adjusted_harmonic_mean({str(t): float(value) for t, value in enumerate(accuracy)})


def harmonics(accuracy: Array) -> Array:
    """The same for every row of (R, T) accuracies; NaN where one is."""
    mean: Array = accuracy.shape[1] / (1 / (accuracy + 1)).sum(axis=1)
    return mean
