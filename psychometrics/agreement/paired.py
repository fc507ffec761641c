"""Two judges' scores of the same things, paired, and the sums every coefficient is made of.

Scores are rounded to nine decimals on the way in: 0.1 + 0.2 and 0.3 are the same score, a tie in the ranks
and on the same side of 0.5.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psychometrics.agreement.two_raters import DECIMALS, MET, NEAR
from psychometrics.inference.clusters import ROUNDING, Array, Codes, cluster_codes

NO_DIFFERENCE = 1e-14  # a mean difference this small is rounding: scores differ by 1e-9 or not at all


class ScoresRefused(ValueError):
    """The arrays cannot be scores of the same things."""


@dataclass(frozen=True, eq=False)
class ScorePairs:
    """The rows with both scores: x, y (n,) and cluster numbers 0 .. clusters - 1; and what was left out.

    `missing_x` and `missing_y` count the rows without that score; a row without either is in both.
    """

    x: Array
    y: Array
    codes: Codes
    clusters: int
    rows: int
    missing_x: int
    missing_y: int

    @property
    def n(self) -> int:
        return len(self.x)

    @property
    def difference(self) -> Array:
        return (self.y - self.x).round(DECIMALS)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the pairs of R samples, each array (R,). x, y and d = y - x are taken from their centres.

    The centres are near the means, so that nothing cancels where scores vary little.
    """

    centre_x: float
    centre_y: float
    centre_d: float
    n: Array
    x: Array
    y: Array
    d: Array
    x_squared: Array
    y_squared: Array
    d_squared: Array
    xy: Array
    met_both: Array
    met_x: Array
    met_y: Array
    near: Array
    partial_x: Array
    partial_y: Array

    @property
    def mean_x(self) -> Array:
        return self.centre_x + self.x / self.n

    @property
    def mean_y(self) -> Array:
        return self.centre_y + self.y / self.n

    @property
    def mean_d(self) -> Array:
        """Mean difference; what is left of rounding is 0, so that its square is."""
        mean = self.centre_d + self.d / self.n
        return np.where(np.abs(mean) > NO_DIFFERENCE, mean, 0.0)

    @property
    def spread_x(self) -> Array:
        """Sum of squared deviations from the mean; exactly 0 where a score is constant."""
        return _spread(self.x_squared, self.x, self.n)

    @property
    def spread_y(self) -> Array:
        return _spread(self.y_squared, self.y, self.n)

    @property
    def spread_d(self) -> Array:
        return _spread(self.d_squared, self.d, self.n)

    @property
    def spread_xy(self) -> Array:
        """Sum of products of deviations."""
        return self.xy - self.x * self.y / self.n


def pair_scores(x: ArrayLike, y: ArrayLike, clusters: ArrayLike) -> ScorePairs:
    """Pair scores x, y (n,) in [0, 1], NaN = missing, and number the clusters that have a pair."""
    x, y, labels = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), np.asarray(clusters)
    if not x.shape == y.shape == labels.shape or x.ndim != 1:
        raise ScoresRefused(f"shapes {x.shape}, {y.shape} and {labels.shape} differ; expected one of (n,)")
    refuse_scores_out_of_range(x)
    refuse_scores_out_of_range(y)
    missing_x, missing_y = np.isnan(x), np.isnan(y)
    both = ~(missing_x | missing_y)
    codes, count = cluster_codes(labels[both])
    return ScorePairs(
        x=x[both].round(DECIMALS),
        y=y[both].round(DECIMALS),
        codes=codes,
        clusters=count,
        rows=len(x),
        missing_x=int(missing_x.sum()),
        missing_y=int(missing_y.sum()),
    )


def refuse_scores_out_of_range(scores: Array) -> None:
    outside = scores[(scores < 0) | (scores > 1)]
    if outside.size:
        raise ScoresRefused(f"scores must be between 0 and 1; a score is {outside.flat[0]}")


def _centres(pairs: ScorePairs) -> tuple[float, float, float]:
    """Means of x, y and y - x, rounded like the scores: of a constant score it is that score exactly."""
    means = (pairs.x.mean(), pairs.y.mean(), pairs.difference.mean())
    x, y, d = (round(float(mean), DECIMALS) for mean in means)
    return x, y, d


def columns(pairs: ScorePairs) -> Array:
    """What is summed, (n, K), in the order of the fields of Sums after its centres."""
    centre_x, centre_y, centre_d = _centres(pairs)
    x, y, d = pairs.x - centre_x, pairs.y - centre_y, pairs.difference - centre_d
    met_x, met_y = pairs.x >= MET, pairs.y >= MET
    counted = [
        met_x & met_y,
        met_x,
        met_y,
        np.abs(pairs.difference) < NEAR,
        _partial(pairs.x),
        _partial(pairs.y),
    ]
    return np.column_stack([np.ones(pairs.n), x, y, d, x * x, y * y, d * d, x * y, *counted])


def sums_of(totals: Array, pairs: ScorePairs) -> Sums:
    """Sums from totals (R, K) of the columns."""
    return Sums(*_centres(pairs), *np.ascontiguousarray(totals.T))


def _partial(scores: Array) -> NDArray[np.bool_]:
    return (scores > 0) & (scores < 1)


def _spread(squared: Array, summed: Array, n: Array) -> Array:
    spread = squared - summed * summed / n
    return np.where(spread > ROUNDING * squared, spread, 0.0)
