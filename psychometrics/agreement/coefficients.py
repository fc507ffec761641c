"""Agreement coefficients of two judges as functions of sums: one value for each of R samples.

With s the variances and covariance, m the means, d = y - x, over n pairs:

    Pearson     r = s_xy / (s_x s_y)
    CCC         2 s_xy / (s_x^2 + s_y^2 + (m_x - m_y)^2),  s over n            Lin (1989)
    ICC(2,1)    (MSR - MSE) / (MSR + MSE + 2 (MSC - MSE) / n)                  Shrout and Fleiss (1979)
    slope       of d on (x + y) / 2, least squares: (s_y^2 - s_x^2) / 2 / s_mean^2
    limits      m_d +- 1.96 s_d, s over n - 1                                  Bland and Altman (1986)
    alpha       1 - Do / De, Krippendorff's for interval data: `krippendorff` with two judges, where
                Do = mean d^2 and De = 2 (squared deviations of all 2 n scores) / (2 n - 1)

Of met or not (score >= 0.5), with po the observed agreement and p_x, p_y the shares met:

    Cohen's kappa   (po - pe) / (1 - pe),   pe = p_x p_y + (1 - p_x)(1 - p_y)        Cohen (1960)
    PABAK           2 po - 1                                                         Byrt et al. (1993)
    Gwet's AC1      (po - pe) / (1 - pe),   pe = 2 q (1 - q), q = (p_x + p_y) / 2    Gwet (2008)
    alpha           1 - (1 - po) / De, Krippendorff's for categories: `krippendorff` with two judges, where
                    De = 2 (scores met) (scores not met) / (2 n (2 n - 1))

Kappa and this alpha sink where nearly everything or nearly nothing is met, and are undefined where both
judges put everything on the same side; PABAK and AC1 are not.

NaN where a denominator is zero or a sample has fewer than MIN_PAIRS pairs (MIN_DIFFERENCES for limits).
"""

import numpy as np
from numpy.typing import NDArray

from psychometrics.agreement.paired import Sums
from psychometrics.agreement.two_raters import MIN_PAIRS
from psychometrics.inference.clusters import ROUNDING, Array

MIN_DIFFERENCES = 2
Z_95 = 1.96


def ratio(above: Array, below: Array, defined: NDArray[np.bool_] | bool = True) -> Array:
    """Quotient, NaN where the denominator is not positive or `defined` is false."""
    found = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=found, where=(below > 0) & defined)
    return found


def pearson(sums: Sums) -> Array:
    below = np.sqrt(sums.spread_x) * np.sqrt(sums.spread_y)
    return np.clip(ratio(sums.spread_xy, below, sums.n >= MIN_PAIRS), -1, 1)


def ccc(sums: Sums) -> Array:
    below = sums.spread_x + sums.spread_y + sums.n * sums.mean_d**2
    return np.clip(ratio(2 * sums.spread_xy, below, sums.n >= MIN_PAIRS), -1, 1)


def icc(sums: Sums) -> Array:
    """Two-way random effects, single judge, absolute agreement; n responses, two judges."""
    total = sums.spread_x + sums.spread_y
    per_response = (total + 2 * sums.spread_xy) / 2  # MSR (n - 1)
    residual = (total - 2 * sums.spread_xy) / 2  # MSE (n - 1)
    between_judges = sums.n * sums.mean_d**2 / 2 * (sums.n - 1)  # MSC (n - 1)
    below = per_response + residual + 2 * (between_judges - residual) / sums.n
    return np.minimum(ratio(per_response - residual, below, sums.n >= MIN_PAIRS), 1)


def slope(sums: Sums) -> Array:
    total = sums.spread_x + sums.spread_y
    spread_of_mean = (total + 2 * sums.spread_xy) / 4
    spread_of_mean = np.where(spread_of_mean > ROUNDING * total, spread_of_mean, 0.0)
    return ratio((sums.spread_y - sums.spread_x) / 2, spread_of_mean, sums.n >= MIN_PAIRS)


def sd_of_differences(sums: Sums) -> Array:
    return np.sqrt(ratio(sums.spread_d, sums.n - 1, sums.n >= MIN_DIFFERENCES))


def lower_limit(sums: Sums) -> Array:
    return sums.mean_d - Z_95 * sd_of_differences(sums)


def upper_limit(sums: Sums) -> Array:
    return sums.mean_d + Z_95 * sd_of_differences(sums)


def alpha_interval(sums: Sums) -> Array:
    observed = sums.mean_d**2 + sums.spread_d / sums.n
    spread = sums.spread_x + sums.spread_y + sums.n * sums.mean_d**2 / 2
    return 1 - ratio(observed * (2 * sums.n - 1), 2 * spread, sums.n >= MIN_PAIRS)


def agreeing(sums: Sums) -> Array:
    """Number of pairs that both judges call met, or both not."""
    return sums.n - sums.met_x - sums.met_y + 2 * sums.met_both


def kappa(sums: Sums) -> Array:
    """In counts, where nothing is rounded: 2 (n11 n00 - n10 n01) / (n1. n.0 + n0. n.1)."""
    only_x, only_y = sums.met_x - sums.met_both, sums.met_y - sums.met_both
    neither = sums.n - sums.met_both - only_x - only_y
    below = sums.met_x * (sums.n - sums.met_y) + (sums.n - sums.met_x) * sums.met_y
    return ratio(2 * (sums.met_both * neither - only_x * only_y), below, sums.n >= MIN_PAIRS)


def pabak(sums: Sums) -> Array:
    return ratio(2 * agreeing(sums) - sums.n, sums.n, sums.n >= MIN_PAIRS)


def ac1(sums: Sums) -> Array:
    met = (sums.met_x + sums.met_y) / (2 * sums.n)
    by_chance = 2 * met * (1 - met)
    return ratio(agreeing(sums) / sums.n - by_chance, 1 - by_chance, sums.n >= MIN_PAIRS)


def alpha_nominal(sums: Sums) -> Array:
    met = sums.met_x + sums.met_y
    disagreeing = sums.n - agreeing(sums)
    return 1 - ratio(disagreeing * (2 * sums.n - 1), met * (2 * sums.n - met), sums.n >= MIN_PAIRS)
