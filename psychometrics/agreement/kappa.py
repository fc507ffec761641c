"""Agreement on met or not (score >= 0.5), as functions of sums: one value for each of R samples.

With po the observed agreement and p_x, p_y the shares met:

    Cohen's kappa   (po - pe) / (1 - pe),   pe = p_x p_y + (1 - p_x)(1 - p_y)        Cohen (1960)
    PABAK           2 po - 1                                                         Byrt et al. (1993)
    Gwet's AC1      (po - pe) / (1 - pe),   pe = 2 q (1 - q), q = (p_x + p_y) / 2    Gwet (2008)
    alpha           1 - (1 - po) / De, Krippendorff's for categories: `krippendorff` with two judges, where
                    De = 2 (scores met) (scores not met) / (2 n (2 n - 1))

Kappa and alpha sink where nearly everything or nearly nothing is met, and are undefined (NaN) where both
judges put everything on the same side; the other two are not. NaN below MIN_PAIRS pairs.
"""

from psychometrics.agreement.coefficients import MIN_PAIRS, ratio
from psychometrics.agreement.paired import Sums
from psychometrics.inference.clusters import Array


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
