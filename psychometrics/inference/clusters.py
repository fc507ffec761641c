"""Cluster-robust standard errors of linear estimators (CR1), with t intervals.

Estimator   theta = sum_k a_k z_k / sum_k a_k^2,   e_k = z_k - a_k theta
Variance    V = G / (G - 1) sum_g (sum_{k in g} a_k e_k)^2 / (sum_k a_k^2)^2
Interval    theta +- t_{G - 1} sqrt(V)

Clusters g are people, batches or responses: whatever is independent of each other. With z = y + a b this is
ability on a fixed item bank; with a = 1 it is a mean; with z the difference of y under two judges it is the
change of ability between them. NaN is missing and contributes nothing.
Source: Cameron, Gelbach and Miller (2011), one-way case.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, around, unknown, without_interval
from psychometrics.inference.student_t import t_quantile

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Sums within clusters that are smaller than this part of their summands are rounding errors of zero.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ClusterError:
    """A standard error from `n` observations in `clusters` clusters, NaN with the reason; `df` for its t."""

    se: float
    n: int
    clusters: int
    reason: Reason | None = None

    @property
    def df(self) -> int:
        return max(self.clusters - 1, 0)

    def around(self, value: float) -> Estimate:
        """The value with this error and its t interval."""
        if self.reason is not None:
            return without_interval(value, self.reason)
        return around(value, self.se, t_quantile(CONFIDENCE, self.df))


@dataclass(frozen=True)
class ClusterEstimate:
    """A linear estimate with its cluster-robust interval and what it rests on."""

    estimate: Estimate
    n: int
    clusters: int


def error_of(variance: float, n: int, clusters: int) -> ClusterError:
    """The error with this variance; none where it is 0, as no cluster deviates then."""
    if variance == 0:
        return ClusterError(math.nan, n, clusters, Reason.NO_SPREAD)
    return ClusterError(math.sqrt(variance), n, clusters)


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
    """CR1 error of the estimator with weights a (n,), residuals e (n,) and group labels (n,).

    Rows with a NaN in a or e are left out; their group counts only if it has other rows.
    """
    a, e, labels = _aligned(a, e, groups)
    codes, clusters = cluster_codes(labels)
    information = float(a @ a)
    if information == 0:
        return ClusterError(math.nan, len(a), clusters, Reason.NO_VARIATION if len(a) else Reason.NO_PAIRS)
    if clusters == 1:
        return ClusterError(math.nan, len(a), clusters, Reason.ONE_CLUSTER)
    scores = np.bincount(codes, a * e, minlength=clusters)
    meat = float(scores @ scores)
    if meat <= ROUNDING**2 * float((a * e) @ (a * e)):
        return ClusterError(math.nan, len(a), clusters, Reason.NO_SPREAD)
    return ClusterError(math.sqrt(clusters / (clusters - 1) * meat) / information, len(a), clusters)


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
