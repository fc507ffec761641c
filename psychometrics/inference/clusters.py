"""Cluster-robust standard errors of linear estimators (CR2), with t intervals by Bell and McCaffrey.

Estimator   theta = sum_k w_k z_k, after columns x (n, K) were fitted to z;   u_k = w_k e_k, e_k what is left
Variance    V = sum_g s_g^2 / (1 - h_g),   s_g = sum_{k in g} u_k
            h_g = |n_g|^2 / v_g,   v_g = sum_{k in g} w_k^2,   n_g = sum_{k in g} w_k x_k,   x'x = 1
Freedom     df = (sum v_g)^2 / (sum_g v_g^2 + sum_{g != h} (n_g' n_h)^2 / ((1 - h_g) (1 - h_h)))
Interval    theta +- t_df sqrt(V)

What a cluster weighs is also what the fit takes off its residuals: 1 / (1 - h_g) gives it back, and df allows
for clusters that are few or of unequal weight, both exactly so where observations are independent and scatter
alike. One weight, theta = sum a z / sum a^2 (x = a / sqrt A, A_g = sum_g a^2, A = sum a^2), has h_g = A_g / A
and df = 1 / (sum h_g^2 + sum_{g != h} h_g^2 h_h^2 / ((1 - h_g) (1 - h_h))): of G equal clusters the
G / (G - 1) and t_{G - 1} of CR1.

Clusters g are people, batches or responses: whatever is independent of each other. With z = y + a b this is
ability on a fixed item bank; with a = 1 it is a mean; with z the difference of y under two judges it is the
change of ability between them. NaN is missing and contributes nothing.
Sources: Bell and McCaffrey (2002) for both, here for one estimate by the leverage that its own weights have;
Cameron, Gelbach and Miller (2011) for clusters; Pustejovsky and Tipton (2018).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, unknown, without_interval

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Sums within clusters that are smaller than this part of their summands are rounding errors of zero.
ROUNDING = 1e-12
ALL_TAKEN = 1e-9  # of a cluster's weight is left: the estimate of a part rests on this cluster alone


def t_quantile(probability: float, df: float) -> float:
    """The t that |T| does not exceed with this probability, in (0, 1): 12.706 for 0.95 and one degree."""
    if not 0 < probability < 1 or df < 1:
        raise ValueError(f"no quantile of t for probability {probability} and {df} degrees of freedom")
    return float(stdtrit(df, (1 + probability) / 2))


@dataclass(frozen=True)
class ClusterError:
    """A standard error from `n` observations in `clusters` clusters, NaN with the reason.

    `freedom` is that of its t; None for one less than the clusters.
    """

    se: float
    n: int
    clusters: int
    reason: Reason | None = None
    freedom: float | None = None

    @property
    def df(self) -> float:
        return max(self.clusters - 1, 0) if self.freedom is None else self.freedom

    @property
    def half_width(self) -> float:
        """Of the t interval; NaN without one."""
        return math.nan if self.reason else t_quantile(CONFIDENCE, self.df) * self.se

    def around(self, value: float) -> Estimate:
        """The value with this error and its t interval."""
        if self.reason is not None:
            return without_interval(value, self.reason)
        return Estimate(value, self.se, value - self.half_width, value + self.half_width)


@dataclass(frozen=True)
class ClusterEstimate:
    """A linear estimate with its cluster-robust interval and what it rests on."""

    estimate: Estimate
    n: int
    clusters: int


@dataclass(frozen=True, eq=False)
class Leverage:
    """Of each observation k: its squared weight `own` (n,), and that weight times what is fitted (n, K)."""

    own: Array
    fitted: Array

    @classmethod
    def of_weights(cls, weights: Array, columns: Array) -> "Leverage":
        """Weights (n,) of an estimate after orthonormal columns (n, K) were fitted."""
        return cls(weights**2, weights[:, np.newaxis] * columns)

    @classmethod
    def of_information(cls, information: Array) -> "Leverage":
        """One estimate whose observations have this information (n,), such as a^2."""
        share = information / (float(information.sum()) or 1.0)
        return cls(share, share[:, np.newaxis])


@dataclass(frozen=True)
class ClusterVariance:
    """V with its df: 0 where no cluster deviates, NaN where a part rests on one cluster alone."""

    value: float
    df: float


def cluster_variance(influence: Array, leverage: Leverage, codes: Codes, clusters: int) -> ClusterVariance:
    """V of influences u (n,) in clusters 0 .. G - 1, G >= 2; see the module."""
    sums, own = (np.bincount(codes, column, minlength=clusters) for column in (influence, leverage.own))
    if float(sums @ sums) <= ROUNDING**2 * float(influence @ influence):
        return ClusterVariance(0.0, clusters - 1)
    fitted = cluster_sums(leverage.fitted, codes, clusters)
    taken = (fitted**2).sum(axis=1)
    left = own - taken
    if (left <= ALL_TAKEN * own)[own > 0].any():
        return ClusterVariance(math.nan, clusters - 1)
    factor = np.divide(own, left, out=np.zeros(clusters), where=own > 0)
    products = fitted.T @ (factor[:, np.newaxis] * fitted)
    between = float((products**2).sum()) - float(factor**2 @ taken**2)
    df = float(own.sum()) ** 2 / (float(own @ own) + max(between, 0.0))
    return ClusterVariance(float(factor @ sums**2), max(df, 1.0))


def error_of(variance: ClusterVariance, n: int, clusters: int) -> ClusterError:
    """The error with this variance; none where it is 0, as no cluster deviates then."""
    if math.isnan(variance.value):
        return ClusterError(math.nan, n, clusters, Reason.ONE_CLUSTER)
    if variance.value == 0:
        return ClusterError(math.nan, n, clusters, Reason.NO_SPREAD)
    return ClusterError(math.sqrt(variance.value), n, clusters, freedom=variance.df)


def cluster_codes(labels: ArrayLike) -> tuple[Codes, int]:
    """Numbers 0 .. G - 1 for labels (n,) of one kind, in their sorted order, and G."""
    names = np.asarray(labels)
    if names.ndim != 1:
        raise ValueError(f"cluster labels have shape {names.shape}; expected one label per row")
    if names.dtype.kind == "f" and np.isnan(names).any():
        raise ValueError("a cluster label is NaN")
    found, codes = np.unique(names, return_inverse=True)
    return codes.astype(np.int64), len(found)


def cluster_sums(columns: Array, codes: Codes, clusters: int) -> Array:
    """Sums (clusters, K) of the columns (n, K) within each cluster."""
    return np.stack([np.bincount(codes, column, minlength=clusters) for column in columns.T], axis=1)


def residuals_of(z: Array, fitted: Array) -> Array:
    """Z less what is fitted, (n,); equal observations leave 0, and not what the fit was rounded by."""
    e = z - fitted
    residuals: Array = np.where(np.abs(e) > ROUNDING * np.abs(z), e, 0.0)
    return residuals


def participant_cluster_se(a: ArrayLike, e: ArrayLike, groups: ArrayLike) -> ClusterError:
    """The error of the estimator with weights a (n,), residuals e (n,) and group labels (n,).

    Rows with a NaN in a or e are left out; their group counts only if it has other rows.
    """
    a, e, labels = _aligned(a, e, groups)
    codes, clusters = cluster_codes(labels)
    information = float(a @ a)
    if information == 0:
        return ClusterError(math.nan, len(a), clusters, Reason.NO_VARIATION if len(a) else Reason.NO_PAIRS)
    if clusters == 1:
        return ClusterError(math.nan, len(a), clusters, Reason.ONE_CLUSTER)
    variance = cluster_variance(a * e / information, Leverage.of_information(a**2), codes, clusters)
    return error_of(variance, len(a), clusters)


def linear_estimate(a: ArrayLike, z: ArrayLike, groups: ArrayLike) -> ClusterEstimate:
    """Theta of weights a (n,) and observations z (n,) with its error clustered by groups (n,)."""
    a, z, labels = _aligned(a, z, groups)
    information = float(a @ a)
    if information == 0:
        reason = Reason.NO_VARIATION if len(a) else Reason.NO_PAIRS
        return ClusterEstimate(unknown(reason), len(a), len(np.unique(labels)))
    theta = float(a @ z) / information
    error = participant_cluster_se(a, residuals_of(z, a * theta), labels)
    return ClusterEstimate(error.around(theta), error.n, error.clusters)


def _aligned(a: ArrayLike, e: ArrayLike, groups: ArrayLike) -> tuple[Array, Array, NDArray[np.generic]]:
    a, e, labels = np.asarray(a, dtype=np.float64), np.asarray(e, dtype=np.float64), np.asarray(groups)
    if not a.shape == e.shape == labels.shape or a.ndim != 1:
        raise ValueError(f"shapes {a.shape}, {e.shape} and {labels.shape} differ; expected one of (n,)")
    present = ~(np.isnan(a) | np.isnan(e))
    return a[present], e[present], labels[present]
