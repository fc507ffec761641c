"""How much theta depends on single verdicts: on one answer, on the judge's confidence, on another judge.

Without an answer   theta_(-k) - theta = -a_k e_k / (A - a_k^2), exactly;  e_k = z_k - a_k theta,  A = sum a^2
Other scores        theta' - theta = sum a_k (y'_k - y_k) / A on the same answers; clustered by person
Flips               share x sum_{k: p_k = 1} a_k (y(0) - y(1)) / A: the mean over all ways to set that share
                    of the answers with full credit to 0

All of theta from pooled pairs (GIM paper, equation 2), in logits; NaN scores take no part.
"""

from dataclasses import dataclass

import numpy as np

from psychometrics.data.cohort import Codes, Cohort, Pairs
from psychometrics.inference.clusters import ClusterEstimate, linear_estimate
from psychometrics.inference.estimates import Estimate, Reason, unknown, without_interval
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.irt.ability import Z_95, group_ability
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array, Transform

FLIPPED = 0.045  # of answers with full credit; the design page's reference for a judge that errs
NOTHING = unknown(Reason.NOTHING_SCORED)
MIN_PEOPLE = 2  # single people are not measured


@dataclass(frozen=True)
class Thetas:
    """One group by every estimator: prompt means with the analytic error, the others by participant."""

    prompt: Estimate
    pool: ClusterEstimate
    ql: ClusterEstimate
    prompts: int
    people: int

    @property
    def named(self) -> dict[str, Estimate]:
        return {"theta.prompt": self.prompt, "theta.pool": self.pool.estimate, "theta.ql": self.ql.estimate}

    @property
    def reported(self) -> dict[str, Estimate]:
        """As they may be shown: not of a single person."""
        if self.people < MIN_PEOPLE:
            reason = Reason.TOO_FEW_PEOPLE if self.pool.n else Reason.NOTHING_SCORED
            return dict.fromkeys(self.named, unknown(reason))
        return self.named


def thetas_of(cohort: Cohort) -> Thetas:
    """The estimates of everybody who has rows in this cohort."""
    pairs = cohort.pairs
    known = np.flatnonzero(cohort.known)
    bank = ItemBank(
        prompt_ids=tuple(cohort.prompts[j].prompt_id for j in known),
        a=cohort.a[known],
        b=cohort.b[known],
        subcategories=("",) * len(known),
        transform=cohort.transform,
        sigma_hat=cohort.sigma_hat,
    )
    by_prompt = group_ability(np.searchsorted(known, pairs.prompt), pairs.p, bank)
    half = Z_95 * by_prompt.se
    theta = by_prompt.theta
    return Thetas(
        prompt=Estimate(theta, by_prompt.se, theta - half, theta + half) if len(pairs) else NOTHING,
        pool=linear_estimate(pairs.a, pairs.z, pairs.person),
        ql=quasi_estimate(pairs.a, pairs.b, pairs.p, pairs.person),
        prompts=by_prompt.prompts,
        people=len(np.unique(pairs.person)),
    )


def without_selection(estimate: Estimate) -> Estimate:
    """The value alone: an interval that ignores that the people were chosen by their scores is wrong."""
    return without_interval(estimate.value, Reason.SELECTED) if estimate.known else estimate


def changes_without(pairs: Pairs) -> Array:
    """What leaving out each pair (n,) changes theta.pool by; NaN where no other pair is left."""
    squares = pairs.a**2
    information = squares.sum()
    left = information - squares
    alone = left <= 1e-12 * information
    e = pairs.z - pairs.a * (pairs.a @ pairs.z / information) if len(pairs) else pairs.y
    return np.where(alone, np.nan, -pairs.a * e / np.where(alone, 1, left))


def largest_changes(changes: Array, number: int) -> Codes:
    """The rows of the largest changes by size, known ones only; ties by row."""
    size = np.where(np.isnan(changes), -1.0, np.abs(changes))
    order: Codes = np.argsort(-size, kind="stable")[:number]
    return order[size[order] > 0]


@dataclass(frozen=True, eq=False)
class OtherScores:
    """The same answers under two sets of scores: the change of theta, and what each row (n,) adds to it."""

    change: ClusterEstimate
    rows: Codes
    parts: Array


def under_other_scores(cohort: Cohort, p: Array) -> OtherScores:
    """What scores `p` (n,) in place of the cohort's own do, on the pairs that have both."""
    rows = np.flatnonzero(cohort.is_pair & ~np.isnan(p))
    a = cohort.a[cohort.prompt[rows]]
    difference = cohort.transform.to_logit(p[rows]) - cohort.transform.to_logit(cohort.p[rows])
    change = linear_estimate(a, difference, cohort.person[rows])
    information = float(a @ a)
    return OtherScores(change, rows, a * difference / information if information else difference)


def effect_of_flips(pairs: Pairs, transform: Transform, share: float = FLIPPED) -> tuple[float, int]:
    """Mean change of theta.pool, NaN without pairs, and the number of answers with full credit."""
    full = pairs.p == 1
    if not len(pairs):
        return np.nan, 0
    fall = transform.to_logit(np.zeros(1)) - transform.to_logit(np.ones(1))
    return share * float(pairs.a[full].sum() * fall[0] / (pairs.a @ pairs.a)), int(full.sum())
