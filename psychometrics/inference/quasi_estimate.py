"""theta_QL of a group with its cluster-robust error.

Estimator   sum_k a_k (p_k - pi_k(theta)) = 0                       (`psychometrics.irt.quasi_likelihood`)
Variance    CR2 of the influences a_k (p_k - pi_k) / h,   h = sum_k a_k^2 pi_k (1 - pi_k)

The sandwich with the factor and the t of `psychometrics.inference.clusters`.
"""

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.inference.clusters import (
    ROUNDING,
    ClusterEstimate,
    Leverage,
    cluster_codes,
    cluster_variance,
    error_of,
)
from psychometrics.inference.estimates import Estimate, Reason, unknown, without_interval
from psychometrics.irt.quasi_likelihood import bounds_ql, quasi_residuals, theta_ql, weights_at


def unbounded(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Estimate | None:
    """What is said of theta in place of an estimate where all scores p (n,) are 1, or all 0; else None.

    This decides for every estimator, not theta_QL alone: by logits the value would be what the squeeze of
    scores makes of it, and its interval the spread of item parameters.
    """
    bounds = bounds_ql(a, b, p)
    return Estimate(np.nan, np.nan, *bounds, Reason.NO_FINITE_SOLUTION) if bounds else None


def quasi_estimate(a: ArrayLike, b: ArrayLike, p: ArrayLike, groups: ArrayLike) -> ClusterEstimate:
    """theta_QL of rows (n,) with a t interval clustered by group labels (n,); NaN scores are left out.

    Without a value where nothing is scored (NO_PAIRS) or all scores are 0 or all are 1 (NO_FINITE_SOLUTION,
    with a bound).
    """
    a, b, p = (np.asarray(column, dtype=np.float64) for column in (a, b, p))
    labels = np.asarray(groups)
    scored = ~(np.isnan(a) | np.isnan(b) | np.isnan(p))
    a, b, p, labels = a[scored], b[scored], p[scored], labels[scored]
    theta = theta_ql(a, b, p)
    if np.isnan(theta):
        estimate = unbounded(a, b, p) or unknown(Reason.NO_FINITE_SOLUTION if len(p) else Reason.NO_PAIRS)
        return ClusterEstimate(estimate, len(p), len(np.unique(labels)))
    pi, information = weights_at(a, b, theta)
    codes, clusters = cluster_codes(labels)
    h = float(information.sum())
    certain = h <= ROUNDING * float(
        a @ a
    )  # the root lies where every item is certain: its place is not determined
    if certain or clusters < 2:
        why = Reason.NO_VARIATION if certain else Reason.ONE_CLUSTER
        return ClusterEstimate(without_interval(theta, why), len(p), clusters)
    influence = a * quasi_residuals(p, pi) / h
    variance = cluster_variance(influence, Leverage.of_information(information), codes, clusters)
    return ClusterEstimate(error_of(variance, len(p), clusters).around(theta), len(p), clusters)
