"""How much theta_QL depends on single verdicts: what `influence` says of theta.pool, on its own scale.

Other scores    theta' - theta, clustered by person; primes are under the other scores
                influence of an answer: a (p' - pi') / D' - a (p - pi) / D,  D = sum a^2 pi (1 - pi)
One answer      the root is found again with that answer left out, or with its other score: exact
Flips           root of sum a (E p' - pi(theta)) = 0 with E p' = 1 - share where p is 1: the equation is
                linear in p, so its mean over all ways to set that share to 0 has this root
"""

from dataclasses import replace

import numpy as np

from psychometrics.agreement.influence import FLIPPED
from psychometrics.data.cohort import Codes, Pairs
from psychometrics.inference.clusters import ClusterEstimate
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.measure import plain
from psychometrics.inference.standard_errors import Fit, cluster_error, quasi_fit
from psychometrics.irt.quasi_likelihood import theta_ql, thetas_ql
from psychometrics.irt.transform import Array


def quasi_change(pairs: Pairs, p: Array) -> ClusterEstimate:
    """theta_QL under scores p (n,) of the same pairs, less that under their own, clustered by person."""
    own, other = quasi_fit(pairs), quasi_fit(replace(pairs, p=p))
    reason = own.reason or other.reason or (Reason.NO_VARIATION if own.bread * other.bread == 0 else None)
    if reason:
        return ClusterEstimate(unknown(reason), len(pairs), len(np.unique(pairs.person)))
    fit = Fit(other.theta - own.theta, other.scores / other.bread - own.scores / own.bread, 1.0)
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
    counts, sums = (np.bincount(pairs.prompt, one, minlength=prompts) for one in columns)
    times, reached = (np.tile(one, (number, 1)).astype(np.float64) for one in (counts, sums))
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
