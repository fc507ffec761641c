"""Abilities on the scale of the reference, as distributions over its grid.

Model       T_i = sum_j a_j y_ij,   T_i | theta of mean M = sum_j a_j E_j(theta),
            variance W = sum_j a_j^2 V_j(theta) and skewness k = sum_j a_j^3 S_j(theta) / W^1.5
Likelihood  phi(z) / sqrt(W) * (1 + k (z^3 - 3 z) / 6),   z = (T_i - M) / sqrt(W)
Prior       theta_i ~ N(m, t^2), with m and t by maximum likelihood from all people (EM)

T is what the published estimator rests on, too (GIM paper, equation 2); E, V and S are those of single
responses (`person_fit_reference`), so that stretching and clipping of the scale do not appear as misfit. Sums
of twenty answers are skewed: with a normal likelihood, answers without DIF would run steeper over difficulty
than expected, by a tenth of an error in 195 people and as much in any number. Leaving one row out only takes
its terms from the sums: all n posteriors cost one table (n, G).

Source: first term of the Edgeworth expansion of a sum (Feller 1971, chapter XVI).
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from psychometrics.data.cohort import Pairs
from psychometrics.fit.reference import Reference
from psychometrics.irt.transform import Array

STEPS, TOLERANCE = 500, 1e-5
MIN_SD = 0.1  # half a step of the grid: a narrower prior falls between its points
ROWS_AT_ONCE = 20_000  # x 71 points: 11 MB per temporary
# Where the expansion ends to be a density: far out, of few answers near an end of the scale.
MAX_SKEWNESS, FARTHEST, LOWEST_FACTOR = 1.0, 5.0, 0.1


@dataclass(frozen=True, eq=False)
class Prior:
    """Mean and standard deviation of abilities between people, and its weights (G,) on the grid."""

    mean: float
    sd: float
    weights: Array

    def slopes(self, grid: Array) -> Array:
        """What the log of each weight (G, 2) changes by for one more of m / t^2 and of -1 / (2 t^2).

        Nothing for the second where t is held at the smallest SD.
        """
        slopes = np.stack([grid, grid**2 * (self.sd > MIN_SD)], axis=1)
        return slopes - self.weights @ slopes


@dataclass(frozen=True, eq=False)
class Sums:
    """Of each person: reached T (P,); expected T, its variance and third moment (P, G) at each ability."""

    reached: Array
    expected: Array
    variance: Array
    third: Array


def sums_of(pairs: Pairs, reference: Reference, people: int) -> Sums:
    """The sums over the rows of each of `people` people, zero where somebody has none."""
    shape = (people, len(reference.expected))

    def weighted(power: int, table: Array) -> Array:
        weights = csr_array((pairs.a**power, (pairs.person, pairs.prompt)), shape=shape)
        return np.asarray(weights @ table, dtype=np.float64)

    return Sums(
        reached=np.bincount(pairs.person, pairs.a * pairs.y, minlength=people).astype(np.float64),
        expected=weighted(1, reference.expected),
        variance=weighted(2, reference.variance),
        third=weighted(3, reference.third),
    )


def likelihood_of(sums: Sums) -> Array:
    """Likelihood (n, G), each row divided by its largest value; constant where there is no answer."""
    answered = sums.variance[:, :1] > 0
    safe = np.where(answered, sums.variance, 1)
    sd = np.sqrt(safe)
    z = (sums.reached[:, np.newaxis] - sums.expected) / sd
    near = np.clip(z, -FARTHEST, FARTHEST)
    skewness = np.clip(sums.third / (safe * sd), -MAX_SKEWNESS, MAX_SKEWNESS)
    factor = np.maximum(1 + skewness * near * (near**2 - 3) / 6, LOWEST_FACTOR)
    log = np.where(answered, np.log(factor) - 0.5 * z**2 - 0.5 * np.log(safe), 0)
    relative: Array = np.exp(log - log.max(axis=1, keepdims=True))
    return relative


def prior_of(likelihood: Array, grid: Array) -> Prior:
    """M and t by EM from the likelihoods (P, G) of the people who have answers, P >= 1."""
    mean, sd = 0.0, 1.0
    for _ in range(STEPS):
        weights = normal_weights(mean, sd, grid)
        shared = weights * (likelihood.T @ (1 / (likelihood @ weights))) / len(likelihood)
        before = mean, sd
        mean = float(shared @ grid)
        sd = max(float(shared @ (grid - mean) ** 2) ** 0.5, MIN_SD)
        if abs(mean - before[0]) + abs(sd - before[1]) < TOLERANCE:
            break
    return Prior(mean, sd, normal_weights(mean, sd, grid))


def influence_on_prior(likelihood: Array, prior: Prior, grid: Array) -> Array:
    """What each person (P, 2) moves the fitted parameters of `Prior.slopes` by: score over information."""
    slopes, posterior = prior.slopes(grid), posterior_of(likelihood, prior)
    products = slopes[:, :, np.newaxis] * slopes[:, np.newaxis, :]
    score = posterior @ slopes
    within = np.tensordot(posterior.sum(axis=0), products, axes=1) - score.T @ score
    information = len(score) * np.tensordot(prior.weights, products, axes=1) - within
    return score @ np.linalg.pinv(information)


def normal_weights(mean: float, sd: float, grid: Array) -> Array:
    log = -0.5 * ((grid - mean) / sd) ** 2
    weights = np.exp(log - log.max())
    normalised: Array = weights / weights.sum()
    return normalised


def posterior_of(likelihood: Array, prior: Prior) -> Array:
    """Weights (n, G) that sum to 1 in each row."""
    weights = likelihood * prior.weights
    normalised: Array = weights / weights.sum(axis=1, keepdims=True)
    return normalised


@dataclass(frozen=True, eq=False)
class Expectation:
    """What a row (n,) was expected to be, from its person's other answers: logits and logits^2.

    The changes (n, 2) are those of both for one more of each parameter of `Prior.slopes`.
    """

    mean: Array
    variance: Array
    change: Array
    variance_change: Array


def expected_without_itself(pairs: Pairs, sums: Sums, prior: Prior, reference: Reference) -> Expectation:
    """Predictive mean and variance of every row: its own answer has no part in its person's ability."""
    blocks = [(np.zeros(0), np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2)))]  # where there is no pair
    answers = np.bincount(pairs.person, minlength=len(sums.reached))
    slopes = prior.slopes(reference.grid)
    for start in range(0, len(pairs), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        who, a = pairs.person[rows], pairs.a[rows, np.newaxis]
        expected, variance, third = (
            table[pairs.prompt[rows]] for table in (reference.expected, reference.variance, reference.third)
        )
        others = (answers[who] > 1)[:, np.newaxis]
        without = Sums(
            sums.reached[who] - pairs.a[rows] * pairs.y[rows],
            sums.expected[who] - a * expected,
            np.where(others, sums.variance[who] - a**2 * variance, 0),
            sums.third[who] - a**3 * third,
        )
        likelihood = likelihood_of(without)
        weights = posterior_of(likelihood, prior)
        weighted, squares = weights * expected, weights * (variance + expected**2)
        mean, square = weighted.sum(axis=1), squares.sum(axis=1)
        of_weights = weights @ slopes
        change = weighted @ slopes - mean[:, np.newaxis] * of_weights
        of_square = squares @ slopes - square[:, np.newaxis] * of_weights
        blocks.append((mean, square - mean**2, change, of_square - 2 * mean[:, np.newaxis] * change))
    return Expectation(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
