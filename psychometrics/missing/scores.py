"""Theta under assumptions about what the missing answers would have scored.

as-missing  they are left out (headline): right where missing has nothing to do with the score
as-zero     skipped and not reached answers score 0; unscored and not submitted ones stay out
bounds      every place without a score has y = -6.907, or +6.907 (Manski, 1990)
delta       y = a (theta_i - b) - delta, with theta_i shrunken (`mixed_model.predicted_abilities`):
            0 is missing at random given the person, 2 is two logits worse than expected (Little, 1994)

Places on prompts without item parameters have no part in theta. By prompt means, y is taken back to a score
between 0 and 1; pooled, it is taken as it is. theta_QL is linear in the score, which has bounds of its own:

bounds      p = 0, or p = 1: no score gives less or more
delta       logit p = a (theta_i - b) - delta, with theta_i on the scale of theta_QL, shrunken likewise
            (`quasi_abilities`): what was imputed at delta 0 is what theta_QL expects of the person
"""

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.data.places import Outcome
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.jackknife import theta_prompt
from psychometrics.inference.measure import plain
from psychometrics.inference.mixed_model import Components, components_of, predicted_abilities
from psychometrics.inference.quasi_abilities import QuasiAbilities, quasi_abilities
from psychometrics.irt.quasi_likelihood import theta_ql, weights_at

AS_ZERO = (Outcome.SKIPPED, Outcome.NOT_REACHED)
DELTAS = (0.0, 1.0, 2.0, 4.0)


def zero_for_left(cohort: Cohort) -> Cohort:
    """Skipped and not reached places with a score of 0."""
    return cohort.with_scores(np.where(np.isin(cohort.outcome, AS_ZERO), 0.0, cohort.p))


def at_bound(cohort: Cohort, score: float) -> Cohort:
    """Every place without a score has this one."""
    return cohort.with_scores(np.where(np.isnan(cohort.p), score, cohort.p))


class Predicted:
    """What the people of a cohort would be expected to score where they have no score.

    The abilities come from the whole cohort, so that a part of it is completed with the same ones.
    """

    def __init__(self, cohort: Cohort) -> None:
        self.components: Components = components_of(cohort.pairs)
        self.theta: Array = predicted_abilities(cohort.pairs, self.components, len(cohort.people))
        self.quasi: QuasiAbilities = quasi_abilities(cohort.pairs, len(cohort.people))

    def theta_pool(self, part: Cohort, delta: float) -> Estimate:
        """theta.pool of a part's people; a value only: what is imputed has no sampling error of its own."""
        if self.components.reason is not None:
            return unknown(self.components.reason)
        gaps, pairs = _gaps(part), part.pairs
        a = part.a[part.prompt[gaps]]
        above = float(pairs.a @ pairs.z) + float(a @ (a * self.theta[part.person[gaps]] - delta))
        information = float(pairs.a @ pairs.a) + float(a @ a)
        return plain(above / information) if information else unknown(Reason.NOTHING_SCORED)

    def theta_prompt(self, part: Cohort, delta: float) -> Estimate:
        """theta.prompt of a part's people with predicted scores in the gaps; a value only."""
        if self.components.reason is not None:
            return unknown(self.components.reason)
        gaps, p = _gaps(part), part.p.copy()
        a, b = part.a[part.prompt[gaps]], part.b[part.prompt[gaps]]
        p[gaps] = part.transform.to_score(a * (self.theta[part.person[gaps]] - b) - delta)
        theta = theta_prompt(part.with_scores(p).pairs, part.transform)
        return unknown(Reason.NOTHING_SCORED) if np.isnan(theta) else plain(theta)

    def theta_ql(self, part: Cohort, delta: float) -> Estimate:
        """theta_QL of a part's people with predicted scores in the gaps; a value only."""
        if self.quasi.reason is not None:
            return unknown(self.quasi.reason)
        gaps, p = _gaps(part), part.p.copy()
        a, b = part.a[part.prompt[gaps]], part.b[part.prompt[gaps]]
        p[gaps] = weights_at(a, b + delta / a, self.quasi.theta[part.person[gaps]])[0]
        pairs = part.with_scores(p).pairs
        theta = theta_ql(pairs.a, pairs.b, pairs.p)
        if np.isnan(theta):
            return unknown(Reason.NO_FINITE_SOLUTION if len(pairs) else Reason.NOTHING_SCORED)
        return plain(theta)


def _gaps(part: Cohort) -> Mask:
    return np.isnan(part.p) & part.known[part.prompt]
