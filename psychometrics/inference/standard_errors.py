"""Standard errors of theta on a fixed item bank, and which question each of them answers.

Pooled      theta = sum a z / sum a^2                 s_k = a_k e_k             D = sum a^2
theta_QL    sum a (p - pi(theta)) = 0                 s_k = a_k (p_k - pi_k)    D = sum a^2 pi (1 - pi)

    V_g       = G / (G - 1) sum_g (sum_{k in g} s_k)^2 / D^2                    (CR1; t_{G-1})
    V_HC0     = sum_k s_k^2 / D^2
    V_two-way = V_P + V_I - V_HC0, not less than max(V_P, V_I)                  (t_{min(P, I)-1})

P people, I prompts; a person meets a prompt once, so that what both share is one pair. `analytic` is
sigma_hat / sqrt(sum a^2), the published error, which takes all pairs as independent (GIM paper, equation 3).
Sources: Cameron, Gelbach and Miller (2011); the choice by design: see `serves`.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from psychometrics.data.cohort import Cohort, Pairs
from psychometrics.inference.clusters import (
    ROUNDING,
    Array,
    ClusterError,
    Codes,
    cluster_codes,
    error_of,
    residuals_of,
)
from psychometrics.inference.estimates import Estimate, Reason, around, unknown, without_interval
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters
from psychometrics.irt.ability import Z_95
from psychometrics.irt.quasi_likelihood import quasi_residuals, theta_ql, weights_at

FEW_CLUSTERS = 15  # below, even t intervals of cluster-robust errors cover too little


class Target(StrEnum):
    """What varies if the study were done again."""

    PAPER = "paper"  # every answer is independent of every other, and the bank is fixed
    THIS_BANK = "T1"  # other people, these prompts
    SUCH_PROMPTS = "T2"  # other people, other prompts like these


@dataclass(frozen=True, eq=False)
class Fit:
    """An estimate as the root of a sum: theta, the summands `scores` (n,) at it, and minus its slope `bread`.

    `reason` says why theta is NaN.
    """

    theta: float
    scores: Array
    bread: float
    reason: Reason | None = None


def pooled_fit(pairs: Pairs) -> Fit:
    """theta.pool: every pair is an observation."""
    information = float(pairs.a @ pairs.a)
    if information == 0:
        return Fit(math.nan, np.zeros(len(pairs)), math.nan, Reason.NOTHING_SCORED)
    z = pairs.z
    theta = float(pairs.a @ z) / information
    return Fit(theta, pairs.a * residuals_of(z, pairs.a * theta), information)


def quasi_fit(pairs: Pairs) -> Fit:
    """theta_QL: linear in the score."""
    theta = theta_ql(pairs.a, pairs.b, pairs.p)
    if math.isnan(theta):
        reason = Reason.NO_FINITE_SOLUTION if len(pairs) else Reason.NOTHING_SCORED
        return Fit(theta, np.zeros(len(pairs)), math.nan, reason)
    pi, information = weights_at(pairs.a, pairs.b, theta)
    slope = float(information.sum())
    bread = slope if slope > ROUNDING * float(pairs.a @ pairs.a) else 0.0  # every item is certain there
    return Fit(theta, pairs.a * quasi_residuals(pairs.p, pi), bread)


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
    """The CR1 error by group labels (n,); NaN with a reason for one group or where no group deviates."""
    codes, clusters = cluster_codes(groups)
    n = len(fit.scores)
    if why := _why_no_error(fit, clusters):
        return ClusterError(math.nan, n, clusters, why)
    return error_of(_cluster_variance(fit, codes, clusters), n, clusters)


def _cluster_variance(fit: Fit, codes: Codes, clusters: int) -> float:
    """V_g for group numbers 0 .. clusters - 1; exactly 0 where the sums within groups are rounding errors."""
    sums = np.bincount(codes, fit.scores, minlength=clusters)
    meat = float(sums @ sums)
    if meat <= ROUNDING**2 * float(fit.scores @ fit.scores):
        return 0.0
    return clusters / (clusters - 1) * meat / fit.bread**2


def twoway_error(fit: Fit, pairs: Pairs) -> ClusterError:
    """The error by people and prompts at once: V_P + V_I - V_PI, not less than the larger of the first two.

    Refused with one batch: its prompts were put together once, and nothing says how another batch would do.
    `clusters` is the smaller of the numbers of people and prompts.
    """
    people, number_of_people = cluster_codes(pairs.person)
    prompts, number_of_prompts = cluster_codes(pairs.prompt)
    clusters, n = min(number_of_people, number_of_prompts), len(pairs)
    one_batch = len(np.unique(pairs.batch)) < 2
    if why := _why_no_error(fit, 1 if one_batch else clusters):
        return ClusterError(math.nan, n, clusters, why)
    by_person = _cluster_variance(fit, people, number_of_people)
    by_prompt = _cluster_variance(fit, prompts, number_of_prompts)
    by_pair = float(fit.scores @ fit.scores) / fit.bread**2
    return error_of(max(by_person + by_prompt - by_pair, by_person, by_prompt), n, clusters)


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
