"""How far true effects differ beyond their sampling errors (random-effects meta-analysis).

Model       d_j ~ N(D, s^2 + v_j), v_j known;   w_j = 1 / v_j,   S_r = sum_j w_j^r
Estimator   s^2 = max(0, (Q - (k - 1)) / (S_1 - S_2 / S_1)),   Q = sum_j w_j (d_j - sum w d / S_1)^2
Interval    the s^2 at which the observed Q is the 97.5 % and the 2.5 % point of its distribution, a multiple
            of chi^2 with the mean and phi times the variance that Q has at s^2; 0 where it is too small even
            for s^2 = 0; none where both ends are 0: the effects differ less than their errors make them
            phi = max(1, k / (k - 1) sum_j u_j^2 / Var(Q at the estimate)),
            u_j = w_j (d_j - sum w d / S_1)^2 - (s^2 + v_j) w_j (1 - w_j / S_1)
Shrinkage   d_j^EB = D + s^2 / (s^2 + v_j) (d_j - D),   D with weights 1 / (s^2 + v_j)

phi is by how much more the terms of Q scatter than those of normal effects with these v_j: single responses
lie at both ends of their scale, and v_j are shared guesses. Without it the interval is too narrow.
Sources: DerSimonian and Laird (1986); Jackson (2013) for the interval from the distribution of Q, here by its
first two moments (Satterthwaite).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtr

from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, unknown, without_interval

MIN_EFFECTS = 3  # with fewer, one effect decides how far they differ
MAX_DOUBLINGS = 60


@dataclass(frozen=True, eq=False)
class Heterogeneity:
    """Mean and variance of k true effects; `sd` with its interval, NaN with a reason for too few."""

    mean: float
    variance: float
    sd: Estimate
    k: int

    def shrunken(self, d: Array, v: Array) -> tuple[Array, Array]:
        """Effects (k,) drawn to the mean by their unreliability, and their posterior SDs."""
        share = self.variance / (self.variance + v)
        return self.mean + share * (d - self.mean), np.sqrt(share * v)


def heterogeneity(d: Array, v: Array) -> Heterogeneity:
    """From effects d (k,) with sampling variances v (k,): unknown where those are NaN or 0."""
    if len(d) < MIN_EFFECTS:
        return Heterogeneity(math.nan, math.nan, unknown(Reason.TOO_FEW_PROMPTS), len(d))
    if not (v > 0).all():
        reason = Reason.TOO_FEW_PAIRS if np.isnan(v).any() else Reason.NO_VARIATION
        return Heterogeneity(math.nan, math.nan, unknown(reason), len(d))
    w = 1 / v
    q = float(w @ (d - w @ d / w.sum()) ** 2)
    variance = max(0.0, (q - (len(d) - 1)) / float(w.sum() - w @ w / w.sum()))
    u = w * (d - w @ d / w.sum()) ** 2 - (variance + v) * w * (1 - w / w.sum())
    phi = max(1.0, len(d) / (len(d) - 1) * float(u @ u) / _moments_of_q(variance, v)[1])
    tail = (1 - CONFIDENCE) / 2
    low, high = (_variance_at(q, v, probability, phi) for probability in (1 - tail, tail))
    sd = without_interval(math.sqrt(variance), Reason.CHANCE_ONLY)
    if high > 0:
        sd = Estimate(sd.value, math.nan, math.sqrt(low), math.sqrt(high))
    within = 1 / (variance + v)
    return Heterogeneity(float(within @ d / within.sum()), variance, sd, len(d))


def _moments_of_q(variance: float, v: Array) -> tuple[float, float]:
    """Mean and variance of Q for normal effects of true variance `variance`."""
    w, total = 1 / v, variance + v
    sum_w, sum_w2 = float(w.sum()), float(w**2 @ total)
    spread = float(w**2 @ total**2) - 2 * float(w**3 @ total**2) / sum_w + (sum_w2 / sum_w) ** 2
    return float(w @ total) - sum_w2 / sum_w, 2 * spread


def _probability_of(q: float, variance: float, v: Array, phi: float) -> float:
    """P(Q <= q) for true variance `variance`; it falls in it."""
    mean, spread = _moments_of_q(variance, v)
    return float(chdtr(2 * mean**2 / (phi * spread), 2 * mean * q / (phi * spread)))


def _variance_at(q: float, v: Array, probability: float, phi: float) -> float:
    """The variance for which P(Q <= q) is `probability`; 0 where it is less at 0 already."""
    if _probability_of(q, 0.0, v, phi) <= probability:
        return 0.0
    high = float(v.max())
    for _ in range(MAX_DOUBLINGS):
        if _probability_of(q, high, v, phi) <= probability:
            break
        high *= 2
    return float(brentq(lambda variance: _probability_of(q, variance, v, phi) - probability, 0.0, high))
