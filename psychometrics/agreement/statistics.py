"""All statistics of two judges at once: in the sample, and in every bootstrap draw of its clusters."""

from collections.abc import Callable, Mapping

import numpy as np

from psychometrics.agreement import coefficients, kappa
from psychometrics.agreement.coefficients import MIN_DIFFERENCES, MIN_PAIRS
from psychometrics.agreement.paired import ScorePairs, Sums, columns, sums_of
from psychometrics.agreement.ranks import RankedPairs, ranked_pairs, spearman
from psychometrics.inference.clusters import Array, cluster_sums
from psychometrics.inference.estimates import Estimate, Reason, Share, unknown
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters

STATISTICS: Mapping[str, Callable[[Sums], Array]] = {
    "mean_x": lambda sums: sums.mean_x,
    "mean_y": lambda sums: sums.mean_y,
    "pearson": coefficients.pearson,
    "ccc": coefficients.ccc,
    "icc": coefficients.icc,
    "alpha_interval": coefficients.alpha_interval,
    "alpha_nominal": kappa.alpha_nominal,
    "sd_of_differences": coefficients.sd_of_differences,
    "lower_limit": coefficients.lower_limit,
    "upper_limit": coefficients.upper_limit,
    "slope": coefficients.slope,
    "kappa": kappa.kappa,
    "pabak": kappa.pabak,
    "ac1": kappa.ac1,
}
COUNTS: Mapping[str, Callable[[Sums], Array]] = {
    "near_exact": lambda sums: sums.near,
    "same_side": kappa.agreeing,
    "met_x": lambda sums: sums.met_x,
    "met_y": lambda sums: sums.met_y,
    "partial_x": lambda sums: sums.partial_x,
    "partial_y": lambda sums: sums.partial_y,
}
PAIRS_NEEDED = dict.fromkeys(["mean_x", "mean_y", *COUNTS], 1) | dict.fromkeys(
    ["sd_of_differences", "lower_limit", "upper_limit"], MIN_DIFFERENCES
)
CORRELATIONS = ("pearson", "spearman")


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
    estimates = {
        name: _estimate(name, value, np.concatenate([*(block[name] for block in blocks), []]), pairs)
        for name, value in sample.items()
    }
    shares = {
        name: Share(round(float(value[0]) * pairs.n), pairs.n, estimates.pop(name))
        for name, value in sample.items()
        if name in COUNTS
    }
    return estimates, shares


def _values(draws: Array, totals: Array, ranked: RankedPairs, pairs: ScorePairs) -> dict[str, Array]:
    """Every statistic of every draw (R, clusters): arrays (R,)."""
    sums = sums_of(draws @ totals, pairs)
    found = {name: statistic(sums) for name, statistic in STATISTICS.items()}
    shares = {name: count(sums) / sums.n for name, count in COUNTS.items()}
    return found | shares | {"spearman": spearman(ranked, draws)}


def _estimate(name: str, value: Array, resampled: Array, pairs: ScorePairs) -> Estimate:
    if np.isnan(value[0]):
        return unknown(_why_unknown(name, pairs))
    return bootstrap_estimate(float(value[0]), resampled, pairs.clusters)


def _why_unknown(name: str, pairs: ScorePairs) -> Reason:
    if pairs.n < PAIRS_NEEDED.get(name, MIN_PAIRS):
        return Reason.TOO_FEW_PAIRS
    if name in CORRELATIONS and np.ptp(pairs.x) == 0:
        return Reason.X_CONSTANT
    return Reason.Y_CONSTANT if name in CORRELATIONS else Reason.NO_VARIATION
