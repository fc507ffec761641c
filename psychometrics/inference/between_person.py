"""How much people differ in ability beyond the errors of their own estimates.

Person        theta_i = sum a z / sum a^2 over the pairs of i,   A_i = sum a^2
Residuals     s1^2 = sum e^2 / (n_pairs - n_persons),  e = z - a theta_i
Errors        v_i = s_a^2 / A_i,   s_a^2 = sum a^2 e^2 / sum a^2 (1 - a^2 / A_i)
Paule-Mandel  (m, t^2) with sum w_i (theta_i - m)^2 = I - 1,  w_i = 1 / (v_i + t^2),  m = sum w theta / sum w
Q-profile     the interval of t^2 holds every value whose Q lies between the 2.5 % and 97.5 % points of
              chi^2 with I - 1 degrees

s1 is the cohort's own: single responses scatter about twice as much as the means of epochs that sigma_hat of
a bank is from. Var(theta_i) = sum a^2 Var(e) / A_i^2 weighs residuals by a^2, and single responses scatter
more where a is large: with s1^2 for s_a^2 the v_i are 8 to 10 % too small among equal people, and nearly
one interval in five leaves out an SD of 0. v_i is taken as known, so that few answers per person make the
interval too narrow.
Sources: Paule and Mandel (1982), Viechtbauer (2007).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtri

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ROUNDING, Array, Codes, cluster_codes, residuals_of
from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, unknown, without_interval

BEYOND = 1 + 1e-9  # Q is below its target a little beyond the bound, however small v


@dataclass(frozen=True, eq=False)
class OwnAbilities:
    """People with a pair, in the order of their numbers `person` (I,); theta and A_i (I,) from their pairs.

    `s1_squared` and `sa_squared` are NaN where nobody has more than one pair.
    """

    person: Codes
    theta: Array
    information: Array
    s1_squared: float
    sa_squared: float

    @property
    def variance(self) -> Array:
        """v_i (I,), the error variance of theta_i."""
        return self.sa_squared / self.information

    @property
    def reason(self) -> Reason | None:
        """Why people's errors cannot be told."""
        if not len(self.theta):
            return Reason.NO_PAIRS
        return Reason.TOO_FEW_PAIRS if math.isnan(self.s1_squared) else None


@dataclass(frozen=True)
class Spread:
    """Mean m and variance t^2 of ability between people."""

    mean: float
    variance: float


def own_abilities(pairs: Pairs) -> OwnAbilities:
    """Everybody's theta by equation 2 of the GIM paper, and the residual variances they share."""
    people, number = cluster_codes(pairs.person)
    information = np.bincount(people, pairs.a**2, minlength=number).astype(np.float64)
    theta = np.bincount(people, pairs.a * pairs.z, minlength=number) / information
    e = residuals_of(pairs.z, pairs.a * theta[people])
    degrees = len(pairs) - number
    s1_squared = float(e @ e) / degrees if degrees else math.nan
    weights = pairs.a**2
    free = float(weights @ (1 - weights / information[people]))
    sa_squared = float(weights @ e**2) / free if degrees else math.nan
    return OwnAbilities(np.unique(pairs.person), theta, information, s1_squared, sa_squared)


def paule_mandel(theta: Array, v: Array) -> Spread:
    """Mean and variance t^2 >= 0 of people with estimates theta (I,) and error variances v (I,), I >= 2."""
    variance = _variance_at(theta, v, len(theta) - 1)
    return Spread(_weighted_mean(theta, v + variance), variance)


def between_person_sd(own: OwnAbilities) -> Estimate:
    """The SD of ability between people (logits) with its Q-profile interval; no standard error."""
    if own.reason is not None:
        return unknown(own.reason)
    if len(own.theta) < 2:
        return unknown(Reason.TOO_FEW_PEOPLE)
    v, degrees = own.variance, len(own.theta) - 1
    sd = math.sqrt(paule_mandel(own.theta, v).variance)
    if own.s1_squared == 0:
        return without_interval(sd, Reason.NO_VARIATION)
    tail = (1 - CONFIDENCE) / 2
    least, most = float(chdtri(degrees, 1 - tail)), float(chdtri(degrees, tail))
    if _q(0.0, own.theta, v) < least:
        return without_interval(sd, Reason.LESS_THAN_CHANCE)
    low, high = (math.sqrt(_variance_at(own.theta, v, q)) for q in (most, least))
    return Estimate(sd, math.nan, low, high)


def effective_lengths(pairs: Pairs) -> Array:
    """(I,): how many equally informative answers each person's estimate rests on, (sum a^2)^2 / sum a^4."""
    people, number = cluster_codes(pairs.person)
    fourth = np.bincount(people, pairs.a**4, minlength=number)
    lengths: Array = np.bincount(people, pairs.a**2, minlength=number) ** 2 / fourth
    return lengths


def swings(pairs: Pairs, height: float) -> Array:
    """(n,): how far a person's theta moves when y of this answer moves by `height` logits: a height / A."""
    people, number = cluster_codes(pairs.person)
    moved: Array = pairs.a * height / np.bincount(people, pairs.a**2, minlength=number)[people]
    return moved


def _variance_at(theta: Array, v: Array, target: float) -> float:
    """The t^2 >= 0 at which Q has this value; 0 where Q is below it already at 0. Q falls in t^2."""
    squares = float(((theta - theta.mean()) ** 2).sum())
    if squares <= (ROUNDING * float(np.abs(theta).max())) ** 2:
        return 0.0
    if not v.any():
        return squares / target
    if _q(0.0, theta, v) <= target:
        return 0.0
    most = squares / target * BEYOND
    return float(brentq(lambda t2: _q(t2, theta, v) - target, 0.0, most))


def _q(t2: float, theta: Array, v: Array) -> float:
    total = v + t2
    return float(((theta - _weighted_mean(theta, total)) ** 2 / total).sum())


def _weighted_mean(theta: Array, total: Array) -> float:
    """The mean with weights 1 / total; without any variance all people are alike."""
    return float((theta / total).sum() / (1 / total).sum()) if total.all() else float(theta.mean())
