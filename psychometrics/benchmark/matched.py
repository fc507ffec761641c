"""What a model would show on as few answers as people gave: the comparison a harmonic mean needs.

The harmonic mean over tasks falls far below its true value when a task has few answers: one that happens to
be at 0 % weighs 1 / 1. So a model's accuracies are thinned to the same number per task, many times over:
hypergeometric from its right and wrong answers where the size of the task is known (all of them, where people
gave more), else binomial. A model answers a question once; where several people answer the same question,
what is comparable lies between as many answers and as many different questions. Accuracies are percentages.
"""

from dataclasses import dataclass

import numpy as np

from psychometrics.benchmark.tasks import PERCENT
from psychometrics.inference.clusters import Array, Codes
from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, unknown

DRAWS = 1000


@dataclass(frozen=True)
class Placed:
    """A model's statistic at the numbers of the cohort: mean and 95 % range of the draws.

    `share_below` is the share of draws below the cohort's own value, ties counted half; NaN without one.
    """

    estimate: Estimate
    share_below: float


def thinned(
    accuracy: Array, sizes: Codes | None, number: Codes, rng: np.random.Generator, draws: int = DRAWS
) -> Array:
    """Accuracies (draws, T) of one model on `number` (T,) questions of each task, from those (T,) on all.

    A task on which the model was not measured stays NaN, as does one that nobody answered.
    """
    usable = ~np.isnan(accuracy) & (number > 0)
    thin = np.full((draws, len(accuracy)), np.nan)
    shape = (draws, int(usable.sum()))
    n, rate = number[usable], accuracy[usable] / PERCENT
    if sizes is None:
        correct = rng.binomial(n, rate, shape)
    else:
        size = sizes[usable]
        n = np.minimum(n, size)
        right = np.rint(rate * size).astype(np.int64)
        correct = rng.hypergeometric(right, size - right, n, shape)
    thin[:, usable] = PERCENT * correct / n
    return thin


def placed(drawn: Array, own: float) -> Placed:
    """Where a cohort's value lies among the values (draws,) of a model."""
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return Placed(unknown(Reason.NO_PAIRS), np.nan)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    below = np.nan if np.isnan(own) else float(((defined < own) + (defined == own) / 2).mean())
    spread = float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
    return Placed(Estimate(float(defined.mean()), spread, float(low), float(high)), below)
