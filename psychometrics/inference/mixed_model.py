"""Variance components of a cohort by moments: how much people, prompts and single answers differ.

Model       y_ij = a_j (theta + u_i - b_j) + d_j + e_ij,    Var u = t2, Var d = d2, Var e = s2
Moments     t2 = (sum_i P_i^2 - sum a^2 e^2) / (sum_i A_i^2 - sum a^4),   P_i = sum_j a e,  A_i = sum_j a^2
            d2 = (sum_j I_j^2 - sum e^2) / (sum_j n_j^2 - n),             I_j = sum_i e
            s2 = mean(e^2 - a^2 t2 - d2)
Variance    V = t2 sum_i A_i^2 / A^2 + d2 sum_j (sum_i a)^2 / A^2 + s2 / A,   A = sum a^2

e are the residuals of theta.pool. A negative moment is put to zero, and `truncated` says so. t2 rests on two
answers of one person, d2 on two answers to one prompt; without any they are unknown, not zero.
`predicted_abilities` are the best linear predictions theta + t2 P_i / (s2 + d2 + t2 A_i).
Source: the method of moments for crossed random effects (Henderson, 1953, method 1; Gao and Owen, 2017).
"""

import math
from dataclasses import dataclass

import numpy as np

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import (
    ROUNDING,
    Array,
    ClusterError,
    ClusterVariance,
    Codes,
    cluster_codes,
    error_of,
)
from psychometrics.inference.estimates import Reason
from psychometrics.inference.standard_errors import pooled_fit


@dataclass(frozen=True)
class Components:
    """Variances in logits^2 between people (of theta), between prompts and between answers (both of y).

    NaN with `reason` where they cannot be told. `truncated` names what would have been negative.
    """

    theta: float
    people: float
    prompts: float
    answers: float
    truncated: tuple[str, ...] = ()
    reason: Reason | None = None


def components_of(pairs: Pairs) -> Components:
    """t2, d2 and s2 by moments."""
    fit = pooled_fit(pairs)
    codes, number = cluster_codes(pairs.person)
    prompts, asked = cluster_codes(pairs.prompt)
    if fit.reason is not None:
        return _unknown(fit.theta, fit.reason)
    a, e = pairs.a, fit.scores / pairs.a
    t2 = _moment(fit.scores, a**2, codes, number)
    d2 = _moment(e, np.ones(len(e)), prompts, asked)
    if math.isnan(t2) or math.isnan(d2):
        return _unknown(fit.theta, Reason.TOO_FEW_PAIRS)
    people, between_prompts = max(t2, 0.0), max(d2, 0.0)
    s2 = float(np.mean(e**2 - a**2 * people - between_prompts))
    named = (("people", t2), ("prompts", d2), ("answers", s2))
    truncated = tuple(name for name, value in named if value < 0)
    return Components(fit.theta, people, between_prompts, max(s2, 0.0), truncated)


def mixed_error(pairs: Pairs, components: Components) -> ClusterError:
    """The error of theta.pool from these components; t with the smaller of people and prompts, less 1."""
    codes, people = cluster_codes(pairs.person)
    prompts, asked = cluster_codes(pairs.prompt)
    n, clusters = len(pairs), min(people, asked)
    if components.reason is not None or clusters < 2:
        return ClusterError(math.nan, n, clusters, components.reason or Reason.ONE_CLUSTER)
    information = float(pairs.a @ pairs.a)
    variance = (
        components.people * _sum_of_squares(pairs.a**2, codes, people) / information**2
        + components.prompts * _sum_of_squares(pairs.a, prompts, asked) / information**2
        + components.answers / information
    )
    return error_of(ClusterVariance(variance, clusters - 1), n, clusters)


def predicted_abilities(pairs: Pairs, components: Components, people: int) -> Array:
    """Abilities (people,) in logits, shrunken towards theta; theta itself for who has no pair.

    NaN throughout where the components are unknown.
    """
    if components.reason is not None:
        return np.full(people, np.nan)
    residual = pairs.a * (pairs.z - pairs.a * components.theta)
    deviation = np.bincount(pairs.person, residual, minlength=people)
    information = np.bincount(pairs.person, pairs.a**2, minlength=people)
    noise = components.prompts + components.answers + components.people * information
    shrunken = np.zeros(people)
    np.divide(components.people * deviation, noise, out=shrunken, where=noise > 0)
    return components.theta + shrunken


def _sum_of_squares(values: Array, codes: Codes, number: int) -> float:
    """Sum over groups of the squared sums within them."""
    sums = np.bincount(codes, values, minlength=number)
    return float(sums @ sums)


def _moment(values: Array, weights: Array, codes: Codes, number: int) -> float:
    """What products of two different answers of one group average to; NaN where no group has two."""
    weight_between = _sum_of_squares(weights, codes, number)
    below = weight_between - float(weights @ weights)
    if below <= ROUNDING * weight_between:
        return math.nan
    return (_sum_of_squares(values, codes, number) - float(values @ values)) / below


def _unknown(theta: float, reason: Reason) -> Components:
    return Components(theta, math.nan, math.nan, math.nan, reason=reason)
