"""Which rows of a leaderboard can be told apart, and between which places each of them lies.

Every two rows are compared by their difference D with standard error s and df degrees of freedom, as
|D| / s against Student's t; Holm's correction runs over all R (R - 1) / 2 comparisons. Two rows are separated
where the corrected p is below 5 %. A comparison without an error separates nothing.

Place       from 1 + (rows separated above) to R - (rows separated below): all these ranges hold at once with
            at least 95 % (Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91)
Group       a longest run of neighbours, in the order of theta, of which no two are separated; a row may be in
            several groups, and one that is separated from both neighbours is a group of its own
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from psychometrics.data.cohort import Mask
from psychometrics.inference.clusters import Leverage, cluster_variance, error_of, residuals_of
from psychometrics.inference.holm import holm
from psychometrics.irt.transform import Array

ALPHA = 0.05


@dataclass(frozen=True)
class Place:
    """Where a row may stand (1 is the highest theta), and the numbers of its groups, from 1."""

    best: int
    worst: int
    groups: tuple[int, ...]


def p_value(difference: float, se: float, df: float) -> float:
    """Two-sided p of a difference being zero; NaN without an error."""
    if not (np.isfinite(difference) and se > 0 and df >= 1):
        return np.nan
    return float(2 * stdtr(df, -abs(difference) / se))


def model_p_values(y: Array, a: Array, weights: Array) -> NDArray[np.float64]:
    """P-values (M, M) of the differences of M models with logits y (M, J), NaN for no score.

    D = sum_j w_j a_j (y_1j - y_2j) / sum_j w_j a_j^2 over prompts that both have a score on, with weights w
    the cohort's responses; the error is clustered by prompt. NaN on the diagonal.
    """
    p = np.full((len(y), len(y)), np.nan)
    for first, second in combinations(range(len(y)), 2):
        d = y[first] - y[second]
        kept = ~np.isnan(d) & (weights > 0)
        d, own_a, w = d[kept], a[kept], weights[kept]
        number = len(d)
        if number < 2:
            continue
        leverage = Leverage.of_information(w * own_a**2)
        information = float(w @ own_a**2)
        difference = float(w @ (own_a * d)) / information
        influence = w * own_a * residuals_of(d, own_a * difference) / information
        error = error_of(cluster_variance(influence, leverage, np.arange(number), number), number, number)
        p[first, second] = p[second, first] = p_value(difference, error.se, error.df)
    return p


def separated(p: NDArray[np.float64]) -> Mask:
    """Which of R rows are told apart, (R, R), from the p-values of all comparisons (R, R), NaN for none."""
    upper = np.triu_indices(len(p), 1)
    found = np.zeros(p.shape, dtype=bool)
    found[upper] = holm(p[upper]) < ALPHA
    return found | found.T


def places(theta: Array, apart: Mask) -> list[Place]:
    """The place of each row (R,) with its groups; rows without a theta must be left out before."""
    higher = theta[:, np.newaxis] < theta
    above, below = (apart & higher).sum(axis=1), (apart & higher.T).sum(axis=1)
    runs = runs_of(np.argsort(-theta, kind="stable"), apart)
    return [
        Place(
            best=int(1 + above[row]),
            worst=int(len(theta) - below[row]),
            groups=tuple(number for number, run in enumerate(runs, start=1) if row in run),
        )
        for row in range(len(theta))
    ]


def runs_of(order: NDArray[np.int64], apart: Mask) -> list[frozenset[int]]:
    """The longest runs of rows in this order of which no two are separated."""
    runs: list[frozenset[int]] = []
    end = 0
    for start in range(len(order)):
        reach = start + 1
        while reach < len(order) and not apart[order[reach], order[start:reach]].any():
            reach += 1
        if reach > end:  # else it is part of the run before
            runs.append(frozenset(int(row) for row in order[start:reach]))
            end = reach
    return runs
