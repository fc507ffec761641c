"""All statistics of two judges at once: in the sample, and in every bootstrap draw of its clusters.

Spearman's rank correlation is Pearson's of the mid-ranks. A draw gives every pair a weight, the number of
times its cluster is in it; the mid-rank of a value is the weight below it plus half its own. No pair is
sorted twice.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from psychometrics.agreement import coefficients
from psychometrics.agreement.coefficients import MIN_DIFFERENCES
from psychometrics.agreement.paired import ScorePairs, Sums, columns, sums_of
from psychometrics.agreement.two_raters import MIN_PAIRS
from psychometrics.inference.clusters import Array, Codes, cluster_sums
from psychometrics.inference.estimates import Estimate, Reason, Share, unknown
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters

STATISTICS: Mapping[str, Callable[[Sums], Array]] = {
    "mean_x": lambda sums: sums.mean_x,
    "mean_y": lambda sums: sums.mean_y,
    "pearson": coefficients.pearson,
    "ccc": coefficients.ccc,
    "icc": coefficients.icc,
    "alpha_interval": coefficients.alpha_interval,
    "alpha_nominal": coefficients.alpha_nominal,
    "sd_of_differences": coefficients.sd_of_differences,
    "lower_limit": coefficients.lower_limit,
    "upper_limit": coefficients.upper_limit,
    "slope": coefficients.slope,
    "kappa": coefficients.kappa,
    "pabak": coefficients.pabak,
    "ac1": coefficients.ac1,
}
COUNTS: Mapping[str, Callable[[Sums], Array]] = {
    "near_exact": lambda sums: sums.near,
    "same_side": coefficients.agreeing,
    "met_x": lambda sums: sums.met_x,
    "met_y": lambda sums: sums.met_y,
    "partial_x": lambda sums: sums.partial_x,
    "partial_y": lambda sums: sums.partial_y,
}
PAIRS_NEEDED = dict.fromkeys(["mean_x", "mean_y", *COUNTS], 1) | dict.fromkeys(
    ["sd_of_differences", "lower_limit", "upper_limit"], MIN_DIFFERENCES
)


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


def values_of(sums: Sums) -> dict[str, Array]:
    """Every statistic and share that follows from sums, each (R,)."""
    found = {name: statistic(sums) for name, statistic in STATISTICS.items()}
    return found | {name: count(sums) / sums.n for name, count in COUNTS.items()}


def statistics_of(
    pairs: ScorePairs, rng: np.random.Generator, resamples: int
) -> tuple[dict[str, Estimate], dict[str, Share]]:
    """Every statistic and every share by its name, with percentiles of `resamples` draws."""
    if pairs.n == 0:
        nothing = unknown(Reason.NO_PAIRS)
        names = [*STATISTICS, "spearman"]
        return dict.fromkeys(names, nothing), {name: Share(0, 0, nothing) for name in COUNTS}
    totals, ranked = cluster_sums(columns(pairs), pairs.codes, pairs.clusters), ranked_pairs(pairs)
    sample = _values(np.ones((1, pairs.clusters)), totals, ranked, pairs)
    blocks = [
        _values(draws, totals, ranked, pairs) for draws in draws_of_clusters(pairs.clusters, resamples, rng)
    ]
    estimates = {}
    for name, value in sample.items():
        if not np.isnan(value[0]):
            resampled = np.concatenate([*(block[name] for block in blocks), []])
            estimates[name] = bootstrap_estimate(float(value[0]), resampled, pairs.clusters)
        elif pairs.n < PAIRS_NEEDED.get(name, MIN_PAIRS):
            estimates[name] = unknown(Reason.TOO_FEW_PAIRS)
        elif name in ("pearson", "spearman"):
            constant = Reason.X_CONSTANT if np.ptp(pairs.x) == 0 else Reason.Y_CONSTANT
            estimates[name] = unknown(constant)
        else:
            estimates[name] = unknown(Reason.NO_VARIATION)
    shares = {
        name: Share(round(float(value[0]) * pairs.n), pairs.n, estimates.pop(name))
        for name, value in sample.items()
        if name in COUNTS
    }
    return estimates, shares


def _values(draws: Array, totals: Array, ranked: RankedPairs, pairs: ScorePairs) -> dict[str, Array]:
    """Every statistic of every draw (R, clusters): arrays (R,)."""
    rho = np.array([ranked.correlation(draw) for draw in draws])
    return values_of(sums_of(draws @ totals, pairs)) | {"spearman": rho}


def _mid_ranks(value: Codes, weight: Array) -> Array:
    """Mid-ranks less one half, which correlations do not see."""
    mass = np.bincount(value, weight)
    return np.asarray((np.cumsum(mass) - mass / 2)[value])
