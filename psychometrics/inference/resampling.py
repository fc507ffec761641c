"""Bootstrap over clusters: whole clusters are drawn with replacement, as many as there are.

A draw is kept as how often each cluster is in it. A statistic that depends on sums needs only the sums
within clusters, so that R draws of G clusters cost one product (R x G)(G x K) whatever the number of rows.
"""

import math
from collections.abc import Iterator

import numpy as np

from psychometrics.inference.clusters import ROUNDING, Array
from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, without_interval

MIN_RESAMPLES = 40  # fewer do not reach into a tail of 2.5 %
MAX_UNDEFINED = 0.01  # share of resamples in which a statistic may be undefined; they are left out
CELLS_AT_ONCE = 300_000  # 2.4 MB per temporary: it stays in the processor's cache


def draws_of_clusters(clusters: int, resamples: int, rng: np.random.Generator) -> Iterator[Array]:
    """How often each cluster is drawn: blocks of rows (r, clusters), `resamples` rows in all."""
    rows = max(1, CELLS_AT_ONCE // clusters)
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), clusters)
        drawn = rng.integers(0, clusters, size=shape) + clusters * np.arange(shape[0])[:, None]
        yield np.bincount(drawn.ravel(), minlength=shape[0] * clusters).reshape(shape).astype(np.float64)


def bootstrap_estimate(value: float, resampled: Array, clusters: int) -> Estimate:
    """The value with standard deviation and percentiles of its resampled values (R,), NaN where undefined.

    Without an interval where that would not hold the value, as with few clusters and a choice among them.
    """
    defined = resampled[~np.isnan(resampled)]
    reason = None
    if clusters < 2:
        reason = Reason.ONE_CLUSTER
    elif len(resampled) < MIN_RESAMPLES:
        reason = Reason.TOO_FEW_RESAMPLES
    elif len(defined) < math.ceil((1 - MAX_UNDEFINED) * len(resampled)):
        reason = Reason.UNSTABLE
    elif np.ptp(defined) <= ROUNDING * max(float(np.abs(defined).max()), 1.0):
        reason = Reason.NO_SPREAD
    if reason is not None:
        return without_interval(value, reason)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    rounding = ROUNDING * max(abs(value), 1.0)
    if value < low - rounding or value > high + rounding:
        return without_interval(value, Reason.ONE_SIDED)
    return Estimate(value, float(defined.std(ddof=1)), float(low), float(high))
