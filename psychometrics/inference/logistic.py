"""Logistic regression with errors clustered by person.

Model       Pr(y = 1) = 1 / (1 + exp(-x' beta))
Estimator   maximum likelihood, by iteratively reweighted least squares (Newton)
Variance    CR2 of the influences (H^-1 x_k)_c (y_k - pi_k) of each coefficient c,   H = X' W X; its t

Where some linear combination of x tells 1 from 0 (complete or quasi-complete separation), there is no finite
estimate; Newton does not settle then, and a linear programme decides whether that is why.
Sources: `psychometrics.inference.clusters` for the sandwich; Konis (2007) for the linear programme.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import expit

from psychometrics.inference.clusters import (
    Array,
    ClusterError,
    Leverage,
    cluster_codes,
    cluster_variance,
    error_of,
)
from psychometrics.inference.estimates import Estimate, Reason, unknown

MAX_STEPS = 25
CLOSE = 1e-9
MIN_SPREAD = 1e-7  # of the error without clusters: less is rounding, and no cluster differs
MIN_MARGIN = 1e-6  # sum of margins, x scaled to at most 1: less is the solver's rounding


@dataclass(frozen=True)
class LogisticFit:
    """Coefficients as estimates, in the order of the columns of x; `n` rows in `clusters` clusters."""

    coefficients: tuple[Estimate, ...]
    n: int
    clusters: int


def logistic_regression(x: Array, y: Array, groups: NDArray[np.generic]) -> LogisticFit:
    """The regression of y (n,), 0 or 1, on x (n, k), clustered by labels (n,). x holds its own intercept.

    Without values where y does not vary, columns depend on each other (NO_VARIATION) or y is separated.
    """
    codes, clusters = cluster_codes(groups)
    coefficients = _coefficients(x, y)
    if isinstance(coefficients, Reason):
        return LogisticFit((unknown(coefficients),) * x.shape[1], len(y), clusters)
    n = len(y)
    errors = [ClusterError(math.nan, n, clusters, Reason.ONE_CLUSTER)] * len(coefficients)
    if clusters > 1:
        pi = expit(x @ coefficients)
        root = np.sqrt(pi * (1 - pi))[:, np.newaxis]
        bread = np.linalg.inv(x.T @ (root**2 * x))
        levers = x @ bread
        columns = root * (x @ np.linalg.cholesky(bread))
        for place, least in enumerate(MIN_SPREAD**2 * np.diag(bread)):
            lever = levers[:, place]
            leverage = Leverage.of_weights(root[:, 0] * lever, columns)
            variance = cluster_variance(lever * (y - pi), leverage, codes, clusters)
            if variance.value <= least:
                variance = replace(variance, value=0.0)
            errors[place] = error_of(variance, n, clusters)
    estimates = tuple(error.around(value) for value, error in zip(coefficients.tolist(), errors, strict=True))
    return LogisticFit(estimates, n, clusters)


def is_separated(x: Array, y: Array) -> bool:
    """Whether some beta with (2 y - 1) x' beta >= 0 throughout is positive somewhere."""
    if separates_alone(x, y):
        return True
    signed = np.unique((2 * y - 1)[:, np.newaxis] * x, axis=0)
    scale = np.abs(signed).max(axis=0)
    signed = signed / np.where(scale > 0, scale, 1)
    result = linprog(
        -signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1, 1), method="highs"
    )
    return result.fun is not None and -result.fun > MIN_MARGIN


def separates_alone(x: Array, y: Array) -> bool:
    """Whether a threshold on one column does, where x has an intercept; it needs no programme of all rows."""
    varies = np.ptp(x, axis=0) > 0
    if not (~varies & (x[0] != 0)).any():
        return False
    ones, zeros = x[y == 1][:, varies], x[y == 0][:, varies]
    above, below = ones.min(axis=0) >= zeros.max(axis=0), ones.max(axis=0) <= zeros.min(axis=0)
    return bool((above | below).any())


def _coefficients(x: Array, y: Array) -> Array | Reason:
    n, columns = x.shape
    if n == 0 or np.ptp(y) == 0 or np.linalg.matrix_rank(x) < columns:
        return Reason.NO_VARIATION
    scale = np.abs(x).max(axis=0)
    scaled: Array = x / scale
    beta: Array = np.zeros(columns)
    for _ in range(MAX_STEPS):
        pi = expit(scaled @ beta)
        information = scaled.T @ ((pi * (1 - pi))[:, np.newaxis] * scaled)
        try:
            step = np.linalg.solve(information, scaled.T @ (y - pi))
        except np.linalg.LinAlgError:
            break
        beta = beta + step
        if np.abs(step).max() <= CLOSE * (1 + np.abs(beta).max()):
            coefficients: Array = beta / scale
            return coefficients
    return Reason.SEPARATED if is_separated(x, y) else Reason.UNSTABLE
