"""Standard errors of theta on a fixed item bank, and which question each of them answers.

Pooled      theta = sum a z / sum a^2                 s_k = a_k e_k             D = sum a^2
theta_QL    sum a (p - pi(theta)) = 0                 s_k = a_k (p_k - pi_k)    D = sum a^2 pi (1 - pi)

    V_g       = CR2 of the influences s_k / D by groups g, with its t           (`clusters`)
    V_two-way = V_P + V_I - V_k, not less than max(V_P, V_I)                    (t of the smaller df)

P people, I prompts, k single pairs: a person meets a prompt once, so that what both share is one pair.
What a pair weighs in the fit is a^2 in D, of theta_QL a^2 pi (1 - pi). `analytic` is
sigma_hat / sqrt(sum a^2), the published error, which takes all pairs as independent (GIM paper, equation 3).
Sources: Cameron, Gelbach and Miller (2011); the choice by design: see `serves`.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from psychometrics.data.cohort import Cohort, Mask, Pairs
from psychometrics.inference.clusters import (
    ROUNDING,
    Array,
    ClusterError,
    ClusterVariance,
    Codes,
    Leverage,
    cluster_codes,
    cluster_variance,
    error_of,
    residuals_of,
)
from psychometrics.inference.estimates import Estimate, Reason, around, unknown, without_interval
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters
from psychometrics.irt.ability import Z_95
from psychometrics.irt.quasi_likelihood import quasi_residuals, theta_ql, weights_at


class Target(StrEnum):
    """What varies if the study were done again."""

    PAPER = "paper"  # every answer is independent of every other, and the bank is fixed
    THIS_BANK = "T1"  # other people, these prompts
    SUCH_PROMPTS = "T2"  # other people, other prompts like these


@dataclass(frozen=True, eq=False)
class Fit:
    """An estimate as the root of a sum: theta, the summands `scores` (n,) at it, and minus its slope `bread`.

    `leverage` (n,) is what each summand weighs in it. `reason` says why theta is NaN.
    """

    theta: float
    scores: Array
    bread: float
    leverage: Leverage
    reason: Reason | None = None


def no_fit(n: int, reason: Reason) -> Fit:
    """No theta from these n rows."""
    return Fit(math.nan, np.zeros(n), math.nan, Leverage.of_information(np.zeros(n)), reason)


def difference_of(one: Fit, other: Fit, first: Mask) -> Fit:
    """One less other, of the rows of a mask (n,) and of all others; independent fits."""
    scores, own, fitted = np.empty(len(first)), np.empty(len(first)), np.zeros((len(first), 2))
    for column, (rows, fit, sign) in enumerate(((first, one, 1.0), (~first, other, -1.0))):
        scores[rows] = sign * fit.scores / fit.bread
        own[rows] = fit.leverage.own / fit.bread
        fitted[rows, column] = fit.leverage.own / math.sqrt(fit.bread)
    return Fit(one.theta - other.theta, scores, 1.0, Leverage(own, fitted))


def pooled_fit(pairs: Pairs) -> Fit:
    """theta.pool: every pair is an observation."""
    information = float(pairs.a @ pairs.a)
    if information == 0:
        return no_fit(len(pairs), Reason.NOTHING_SCORED)
    z = pairs.z
    theta = float(pairs.a @ z) / information
    leverage = Leverage.of_information(pairs.a**2)
    return Fit(theta, pairs.a * residuals_of(z, pairs.a * theta), information, leverage)


def quasi_fit(pairs: Pairs) -> Fit:
    """theta_QL: linear in the score."""
    theta = theta_ql(pairs.a, pairs.b, pairs.p)
    if math.isnan(theta):
        return no_fit(len(pairs), Reason.NO_FINITE_SOLUTION if len(pairs) else Reason.NOTHING_SCORED)
    pi, information = weights_at(pairs.a, pairs.b, theta)
    slope = float(information.sum())
    bread = slope if slope > ROUNDING * float(pairs.a @ pairs.a) else 0.0  # every item is certain there
    return Fit(theta, pairs.a * quasi_residuals(pairs.p, pi), bread, Leverage.of_information(information))


def is_nested(cohort: Cohort) -> bool:
    """Whether every prompt occurs in one batch only, so that people and prompts both lie within batches.

    Prompts without item parameters may occur in all of them: no theta rests on them.
    """
    rows = cohort.of_prompts(cohort.known)
    placed = np.unique(np.stack([rows.prompt, rows.batch], axis=1), axis=0)
    return len(placed) == len(np.unique(rows.prompt))


def analytic_estimate(theta: float, information: float, sigma_hat: float) -> Estimate:
    """The published interval: theta +- 1.96 sigma_hat / sqrt(information)."""
    if math.isnan(theta):
        return unknown(Reason.NOTHING_SCORED)
    if math.isnan(sigma_hat):
        return without_interval(theta, Reason.NO_VARIATION)
    return around(theta, sigma_hat / math.sqrt(information), Z_95)


def cluster_error(fit: Fit, groups: Codes) -> ClusterError:
    """The error by group labels (n,); NaN with a reason for one group or where no group deviates."""
    codes, clusters = cluster_codes(groups)
    n = len(fit.scores)
    if why := _why_no_error(fit, clusters):
        return ClusterError(math.nan, n, clusters, why)
    return error_of(_variance(fit, codes, clusters), n, clusters)


def _variance(fit: Fit, codes: Codes, clusters: int) -> ClusterVariance:
    return cluster_variance(fit.scores / fit.bread, fit.leverage, codes, clusters)


def twoway_error(fit: Fit, pairs: Pairs) -> ClusterError:
    """The error by people and prompts at once: V_P + V_I - V_k, not less than the larger of the first two.

    Refused with one batch: its prompts were put together once, and nothing says how another batch would do.
    `clusters` is the smaller of the numbers of people and prompts.
    """
    people, number_of_people = cluster_codes(pairs.person)
    prompts, number_of_prompts = cluster_codes(pairs.prompt)
    clusters, n = min(number_of_people, number_of_prompts), len(pairs)
    one_batch = len(np.unique(pairs.batch)) < 2
    if why := _why_no_error(fit, 1 if one_batch else clusters):
        return ClusterError(math.nan, n, clusters, why)
    by_person = _variance(fit, people, number_of_people)
    by_prompt = _variance(fit, prompts, number_of_prompts)
    by_pair = _variance(fit, np.arange(n), n)
    either = (by_person.value, by_prompt.value)
    both = sum(either) - by_pair.value
    value = math.nan if math.isnan(both) else max(both, *either)
    return error_of(ClusterVariance(value, min(by_person.df, by_prompt.df)), n, clusters)


def participant_bootstrap(pairs: Pairs, resamples: int, rng: np.random.Generator) -> Estimate:
    """theta.pool with its spread when people are drawn with replacement; the people stay in their group."""
    fit = pooled_fit(pairs)
    if fit.reason is not None:
        return unknown(fit.reason)
    codes, people = cluster_codes(pairs.person)
    above = np.bincount(codes, pairs.a * pairs.z, minlength=people)
    below = np.bincount(codes, pairs.a**2, minlength=people)
    drawn = [(draw @ above) / (draw @ below) for draw in draws_of_clusters(people, resamples, rng)]
    resampled = np.concatenate(drawn) if drawn else np.zeros(0)
    return bootstrap_estimate(fit.theta, resampled, people)


def _why_no_error(fit: Fit, clusters: int) -> Reason | None:
    if fit.reason is not None:
        return fit.reason
    if fit.bread == 0:  # the root lies where every item is certain: its place is not determined
        return Reason.NO_VARIATION
    return Reason.ONE_CLUSTER if clusters < 2 else None
