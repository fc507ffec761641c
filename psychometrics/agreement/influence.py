"""How much theta depends on single verdicts: on one answer, on the judge's confidence, on another judge.

Without an answer   theta_(-k) - theta = -a_k e_k / (A - a_k^2), exactly;  e_k = z_k - a_k theta,  A = sum a^2
Other scores        theta' - theta = sum a_k (y'_k - y_k) / A on the same answers; clustered by person
Flips               share x sum_{k: p_k = 1} a_k (y(0) - y(1)) / A: the mean over all ways to set that share
                    of the answers with full credit to 0

All of theta from pooled pairs (GIM paper, equation 2), in logits; NaN scores take no part. Of theta_QL, on
its own scale:

Other scores        theta' - theta, clustered by person; primes are under the other scores
                    influence of an answer: a (p' - pi') / D' - a (p - pi) / D,  D = sum a^2 pi (1 - pi)
One answer          the root is found again with that answer left out, or with its other score: exact
Flips               root of sum a (E p' - pi(theta)) = 0 with E p' = 1 - share where p is 1: the equation is
                    linear in p, so its mean over all ways to set that share to 0 has this root
"""

from dataclasses import dataclass, replace

import numpy as np

from psychometrics.data.cohort import Codes, Cohort, Pairs
from psychometrics.inference.clusters import ClusterEstimate, linear_estimate
from psychometrics.inference.disclosure import answers_of
from psychometrics.inference.estimates import Estimate, Reason, unknown, without_interval
from psychometrics.inference.first_error import FITS, group_theta
from psychometrics.inference.measure import plain
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import Fit, cluster_error, quasi_fit
from psychometrics.irt.ability import group_ability
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import theta_ql, thetas_ql
from psychometrics.irt.transform import Array, Transform

FLIPPED = 0.045  # of answers with full credit; the design page's reference for a judge that errs
NOTHING = unknown(Reason.NOTHING_SCORED)


@dataclass(frozen=True)
class Thetas:
    """One group by every estimator: prompt means with the analytic error, the others with the first one."""

    prompt: Estimate
    pool: Estimate
    ql: Estimate
    pairs: int
    prompts: int
    people: int
    clusters: int
    untold: Reason | None

    @property
    def named(self) -> dict[str, Estimate]:
        return {"theta.prompt": self.prompt, "theta.pool": self.pool, "theta.ql": self.ql}

    @property
    def reported(self) -> dict[str, Estimate]:
        """As they may be shown: not of too few."""
        why = self.untold if self.pairs else Reason.NOTHING_SCORED
        return dict.fromkeys(self.named, unknown(why)) if why else self.named


def thetas_of(cohort: Cohort, *, nested: bool) -> Thetas:
    """The estimates of everybody who has rows in this cohort, of a study of this design."""
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
    bound = unbounded(pairs.a, pairs.b, pairs.p)
    ends = (by_prompt.ci_low, by_prompt.ci_high)
    prompt = Estimate(by_prompt.theta, by_prompt.se, *ends) if len(pairs) else NOTHING
    pool, ql = (group_theta(name, pairs, cohort.transform, nested=nested) for name in FITS)
    return Thetas(
        prompt=bound or prompt,
        pool=pool.estimate,
        ql=ql.estimate,
        pairs=len(pairs),
        prompts=by_prompt.prompts,
        people=len(np.unique(pairs.person)),
        clusters=pool.error.found.clusters,
        untold=answers_of(cohort, cohort.is_pair).why_untold(np.ones(len(cohort), dtype=bool)),
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
    if any(unbounded(a, cohort.b[cohort.prompt[rows]], own[rows]) for own in (cohort.p, p)):
        change = replace(change, estimate=unknown(Reason.NO_FINITE_SOLUTION))
    information = float(a @ a)
    return OtherScores(change, rows, a * difference / information if information else difference)


def effect_of_flips(pairs: Pairs, transform: Transform, share: float = FLIPPED) -> tuple[float, int]:
    """Mean change of theta.pool, NaN without pairs, and the number of answers with full credit."""
    full = pairs.p == 1
    if not len(pairs):
        return np.nan, 0
    fall = transform.to_logit(np.zeros(1)) - transform.to_logit(np.ones(1))
    return share * float(pairs.a[full].sum() * fall[0] / (pairs.a @ pairs.a)), int(full.sum())


def quasi_change(pairs: Pairs, p: Array) -> ClusterEstimate:
    """theta_QL under scores p (n,) of the same pairs, less that under their own, clustered by person."""
    own, other = quasi_fit(pairs), quasi_fit(replace(pairs, p=p))
    reason = own.reason or other.reason or (Reason.NO_VARIATION if own.bread * other.bread == 0 else None)
    if reason:
        return ClusterEstimate(unknown(reason), len(pairs), len(np.unique(pairs.person)))
    influence = other.scores / other.bread - own.scores / own.bread
    fit = Fit(other.theta - own.theta, influence, 1.0, own.leverage)
    error = cluster_error(fit, pairs.person)
    return ClusterEstimate(error.around(fit.theta), error.n, error.clusters)


def quasi_changes_of_one(pairs: Pairs, places: Codes, p: Array) -> Array:
    """Changes (K,) of theta_QL where only the answer at places[k] has score p[k], NaN for left out.

    NaN where there is no finite theta_QL with or without it.
    """
    prompts = int(pairs.prompt.max(initial=-1)) + 1
    a, b = np.ones(prompts), np.zeros(prompts)
    a[pairs.prompt], b[pairs.prompt] = pairs.a, pairs.b
    # One group for each answer, and as the last one the pairs as they are: prompts with their mean scores.
    number, changed = len(places) + 1, (np.arange(len(places)), pairs.prompt[places])
    columns = (np.ones(len(pairs)), pairs.p)
    counts, sums = (np.bincount(pairs.prompt, column, minlength=prompts) for column in columns)
    times, reached = (np.tile(column, (number, 1)).astype(np.float64) for column in (counts, sums))
    times[changed] -= np.isnan(p)
    reached[changed] += np.nan_to_num(p) - pairs.p[places]
    mean = np.clip(np.divide(reached, times, out=np.zeros_like(reached), where=times > 0), 0, 1)
    groups = np.repeat(np.arange(number), prompts)
    thetas = thetas_ql(np.tile(a, number), np.tile(b, number), mean.ravel(), groups, number, times.ravel())
    changes: Array = thetas[:-1] - thetas[-1]
    return changes


def quasi_effect_of_flips(pairs: Pairs, share: float = FLIPPED) -> Estimate:
    """Change of theta_QL if this share of the answers with full credit deserved none."""
    if not len(pairs):
        return unknown(Reason.NOTHING_SCORED)
    flipped = np.where(pairs.p == 1, 1 - share, pairs.p)
    change = theta_ql(pairs.a, pairs.b, flipped) - theta_ql(pairs.a, pairs.b, pairs.p)
    return unknown(Reason.NO_FINITE_SOLUTION) if np.isnan(change) else plain(change)
