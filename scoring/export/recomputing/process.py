"""What single responses are expected to be under the assumed process of responding, by prompt and ability."""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from scoring.export.recomputing.estimators import logistic
from scoring.export.recomputing.reading import Array, Run

EPOCHS, UNSURE, STEPS = 5, 19, 20
# A rubric of n criteria, of which a beta-binomial number is met, times a confidence that is 1 in a share of
# the responses, else so many twentieths; means of cells such that five responses have the expected logit
# a (theta - b) + N(0, deviation^2).
LOGIT_MEANS, TARGETS = np.linspace(-14, 14, 281), np.linspace(-60, 60, 1201)
ABILITIES = np.linspace(-7, 7, 71)
LEAST_VARIANCE, MOST_PARTS = 0.05, 20


@dataclass(frozen=True)
class Process:
    """The assumptions: `exact` answers of one criterion, else 3 to `most`; `certain` responses.

    The others have a confidence of `unsure` twentieths.
    """

    deviation: float = 1.9
    icc: float = 0.4
    exact: float = 0.36
    most: int = 9
    certain: float = 0.97
    unsure: int = UNSURE

    @property
    def others(self) -> float:
        return (1 - self.icc) / self.icc


CENTRE = Process()


@cache
def cells_of(n: int, process: Process) -> Array:
    """Chances (means, n 20 + 1) of criteria met times confidence, in twentieths, at LOGIT_MEANS."""
    mean, met = logistic(LOGIT_MEANS)[:, None], np.arange(n + 1)
    alpha, beta = rising(mean * process.others, n), rising((1 - mean) * process.others, n)
    choose = np.log([math.comb(n, one) for one in range(n + 1)])
    chance = np.exp(choose + alpha + beta[:, ::-1] - rising(np.array([[process.others]]), n)[:, -1:])
    cells = np.zeros((len(mean), n * STEPS + 1))
    for step, share in ((STEPS, process.certain), (process.unsure, 1 - process.certain)):
        cells[:, met * step] += share * chance
    return cells


def rising(x: Array, n: int) -> Array:
    """Logs of x (x + 1) ... (x + i - 1) for i = 0 ... n, of x (m, 1)."""
    sums = np.cumsum(np.log(x + np.arange(n)), axis=1)
    return np.concatenate([np.zeros((len(x), 1)), sums], axis=1)


@cache
def of_means(run: Run, n: int, k: int, process: Process = CENTRE) -> Array:
    """Expected logit of the mean of k responses with n criteria, at the means of LOGIT_MEANS."""
    size = k * n * STEPS + 1
    together = np.fft.irfft(np.fft.rfft(cells_of(n, process), size, axis=1) ** k, size, axis=1)
    expected: Array = np.clip(together, 0, None) @ run.logit(np.arange(size) / (size - 1))
    return expected


def over_deviations(run: Run, n: int, process: Process, of_mean: Array) -> Array:
    """Numbers at the means of LOGIT_MEANS, expected at each a (theta - b) of TARGETS."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    deviated = TARGETS[:, None] + process.deviation * nodes
    means = np.interp(deviated, of_means(run, n, EPOCHS, process), LOGIT_MEANS)
    expected: Array = np.interp(means, LOGIT_MEANS, of_mean) @ (weights / weights.sum())
    return expected


@cache
def of_targets(run: Run, n: int, k: int = 1, process: Process = CENTRE) -> Array:
    """Expected logit of the mean of k responses at TARGETS."""
    return over_deviations(run, n, process, of_means(run, n, k, process))


@cache
def powers_of_targets(run: Run, n: int, power: int, process: Process) -> Array:
    """Expected power of the logit of a response at TARGETS."""
    logits = run.logit(np.arange(n * STEPS + 1) / (n * STEPS))
    return over_deviations(run, n, process, cells_of(n, process) @ logits**power)


def respond(run: Run, target: Array, criteria: Array, rng: np.random.Generator, process: Process) -> Array:
    """One response in logits to each cell with this a (theta - b) and number of criteria."""
    deviated, mean = target + process.deviation * rng.standard_normal(target.shape), np.empty(target.shape)
    for n in np.unique(criteria).tolist():
        own = criteria == n
        mean[own] = logistic(np.interp(deviated[own], of_means(run, n, EPOCHS, process), LOGIT_MEANS))
    met = rng.binomial(criteria, rng.beta(mean * process.others, (1 - mean) * process.others)) / criteria
    unsure = rng.random(target.shape) >= process.certain
    return run.logit(met * np.where(unsure, process.unsure / STEPS, 1))


@dataclass(frozen=True, eq=False)
class Expected:
    """Expectation, variance and third moment around it (J, G) of one response at each of ABILITIES."""

    mean: Array
    variance: Array
    third: Array

    def at(self, theta: Array, prompts: Array) -> tuple[Array, Array]:
        """Both for rows with these abilities, linear between points of the grid."""
        place = (theta - ABILITIES[0]) / (ABILITIES[1] - ABILITIES[0])
        place = np.clip(place, 0, len(ABILITIES) - 1.000001)
        low = place.astype(np.int64)
        mean, variance = (
            table[prompts, low] * (1 - place + low) + table[prompts, low + 1] * (place - low)
            for table in (self.mean, self.variance)
        )
        return mean, variance


def criteria_of(run: Run) -> Array:
    """(J,): parts of each prompt's answer that are judged, one of an exact answer."""
    return np.array([min(max(one["criteria"], 1), MOST_PARTS) for one in run.prompts], dtype=np.int64)


def judged(run: Run) -> Process:
    """The process with the confidences of the judge: share of those at 1, and the mean of the others."""
    rows = run.cohort.pairs
    met = rows.certain > 0
    ratios = rows.p[met] / rows.certain[met]
    if not len(ratios):
        return CENTRE
    others = ratios[ratios <= 1 - 0.5 / STEPS]
    if not len(others):
        return replace(CENTRE, certain=1.0)
    share, unsure = 1 - len(others) / len(ratios), round(float(others.mean()) * STEPS)
    return replace(CENTRE, certain=share, unsure=min(max(unsure, 1), STEPS - 1))


def expected_of(run: Run, process: Process) -> Expected:
    """The tables of a process."""
    criteria = criteria_of(run)
    a, b = (
        np.array([unknown if one[name] is None else one[name] for one in run.prompts], dtype=float)[:, None]
        for name, unknown in (("a", 1.0), ("b", 0.0))
    )
    target = a * (ABILITIES - b)
    moments = np.empty((3, *target.shape))
    for n in np.unique(criteria).tolist():
        own = criteria == n
        for power in (1, 2, 3):
            found = powers_of_targets(run, n, power, process)
            moments[power - 1, own] = np.interp(target[own], TARGETS, found)
    mean, square, cube = moments
    third = cube - 3 * mean * square + 2 * mean**3
    return Expected(mean, np.maximum(square - mean**2, LEAST_VARIANCE), third)
