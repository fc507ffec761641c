"""Spearman's rank correlation: Pearson's of the mid-ranks, in the sample and in bootstrap draws.

A draw gives every pair a weight, the number of times its cluster is in it; the mid-rank of a value is the
weight below it plus half its own. No pair is sorted twice.
"""

import math
from dataclasses import dataclass

import numpy as np

from psychometrics.agreement.coefficients import MIN_PAIRS
from psychometrics.agreement.paired import ScorePairs
from psychometrics.inference.clusters import Array, Codes


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """The distinct (x, y, cluster) combinations, each with its number of pairs; x and y as numbers of values.

    Judges use few values, so that there are far fewer combinations than pairs.
    """

    x: Codes
    y: Codes
    cluster: Codes
    pairs: Array

    def correlation(self, draw: Array) -> float:
        """Rho with each cluster as often as the draw (clusters,) says; NaN where x or y does not vary."""
        weight = self.pairs * draw[self.cluster]
        n = float(weight.sum())
        x, y = _mid_ranks(self.x, weight) - n / 2, _mid_ranks(self.y, weight) - n / 2
        weighted = weight * x  # summed without BLAS, whose threads cost more than they save at this size
        spread_x, spread_y = float((weighted * x).sum()), float((weight * y * y).sum())
        if n < MIN_PAIRS or min(spread_x, spread_y) == 0:  # ranks are halves: nothing is rounded
            return math.nan
        rho = float((weighted * y).sum()) / math.sqrt(spread_x) / math.sqrt(spread_y)
        return min(max(rho, -1.0), 1.0)


def ranked_pairs(pairs: ScorePairs) -> RankedPairs:
    x, y = (np.unique(scores, return_inverse=True)[1] for scores in (pairs.x, pairs.y))
    cell = np.unique(x * (y.max() + 1) + y, return_inverse=True)[1]
    combined = pairs.codes * (cell.max() + 1) + cell
    _, first, counts = np.unique(combined, return_index=True, return_counts=True)
    return RankedPairs(x[first], y[first], pairs.codes[first], counts.astype(np.float64))


def spearman(ranked: RankedPairs, draws: Array) -> Array:
    """Rho of every draw (R, clusters), shape (R,)."""
    return np.array([ranked.correlation(draw) for draw in draws])


def _mid_ranks(value: Codes, weight: Array) -> Array:
    """Mid-ranks less one half, which correlations do not see."""
    mass = np.bincount(value, weight)
    return np.asarray((np.cumsum(mass) - mass / 2)[value])
