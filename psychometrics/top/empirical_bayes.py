"""top.eb: the mean ability of the people whose shrunken abilities are highest.

Shrinkage   theta_i^EB = m + B_i (theta_i - m),   B_i = t^2 / (t^2 + v_i)        (m, t^2, v: `between_person`)
Top         the K highest theta^EB, ties by code; the estimate is the mean of these values
Error       V = sum_{i in Top} B_i v_i / K^2 + (1 - mean B)^2 / sum_i 1 / (v_i + t^2)

With ability normal between people, E(theta | data) needs no correction for choosing by the same data. The
error joins the posterior variances and that of m; it takes t^2 as known and the normal as true, so that the
interval is too narrow where people hardly differ. Source: Efron and Morris (1975), Morris (1983).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psychometrics.inference.between_person import OwnAbilities, Spread, paule_mandel
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason, unknown, without_interval
from psychometrics.irt.ability import Z_95
from psychometrics.top.ranking import ranked


@dataclass(frozen=True, eq=False)
class Shrunken:
    """Shrunken abilities theta (I,) and their factors B (I,), in the order of the own ones."""

    spread: Spread
    factor: Array
    theta: Array


def shrunken_abilities(own: OwnAbilities) -> Shrunken:
    """Needs two people and a known `s1_squared`."""
    spread = paule_mandel(own.theta, own.variance)
    total = own.variance + spread.variance
    factor = np.divide(spread.variance, total, out=np.ones(len(total)), where=total > 0)
    return Shrunken(spread, factor, spread.mean + factor * (own.theta - spread.mean))


def top_eb(own: OwnAbilities, codes: Sequence[str], size: int) -> Estimate:
    """The estimate for the best `size` of the people; `codes` are those of all people, by number."""
    if own.reason is not None:
        return unknown(own.reason)
    if len(own.theta) < max(size, 2):
        return unknown(Reason.TOO_FEW_PEOPLE)
    shrunken = shrunken_abilities(own)
    chosen = ranked(shrunken.theta, [codes[i] for i in own.person])[:size]
    value = float(shrunken.theta[chosen].mean())
    shift = 1 - float(shrunken.factor[chosen].mean())
    variances = shrunken.factor * own.variance
    total = own.variance + shrunken.spread.variance
    of_mean = float(1 / (1 / total).sum()) if total.all() else 0.0  # of m; 0 where nothing varies at all
    se = math.sqrt(float(variances[chosen].sum()) / size**2 + shift**2 * of_mean)
    if se == 0:
        return without_interval(value, Reason.NO_SPREAD)
    return Estimate(value, se, value - Z_95 * se, value + Z_95 * se)
