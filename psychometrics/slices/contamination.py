"""Whether people do better on public prompts than on private ones, by more than chance.

    difference  d = theta.pool(public) - theta.pool(private)
    influence   u_k = +- a_k e_k / sum a^2, the sums and residuals of the split of k, - for private
    variance    G / (G - 1) sum_g (sum_{k in g} u_k)^2

The same people answer both splits, so the errors of both thetas are not independent of each other; the sums
within clusters hold what they share. Clusters are batches where each prompt is in one batch; else people and
prompts at once, V_P + V_I - V_HC0. Flagged above 2 SE: public prompts that were met before give such a
difference, but so do item parameters that fit both splits differently. An aggregate, never a single prompt.
Source: Cameron, Gelbach and Miller (2011).
"""

import math
from dataclasses import dataclass

import numpy as np

from psychometrics.data.cohort import PUBLIC, Cohort, Mask
from psychometrics.inference.clusters import ClusterError
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.standard_errors import Fit, cluster_error, pooled_fit, twoway_error
from psychometrics.slices.parts import MIN_PEOPLE, MIN_PRIVATE, MIN_PROMPTS

FLAGGED_FROM = 2.0  # standard errors


@dataclass(frozen=True)
class Contamination:
    """The difference (logits), what it rests on, and by which clusters its error is."""

    difference: Estimate
    flagged: bool
    clusters: int
    by: str
    pairs_public: int
    pairs_private: int


def contamination(cohort: Cohort, *, nested: bool) -> Contamination:
    """Public less private. Without a value where a split has too few people or prompts with a score.

    `nested`: by the design, which a small group may not show, each prompt is in one batch.
    """
    pairs = cohort.pairs
    public = np.array([prompt.split == PUBLIC for prompt in cohort.prompts], dtype=bool)[pairs.prompt]
    counts = int(public.sum()), int((~public).sum())
    by = "batches" if nested and len(np.unique(pairs.batch)) > 1 else "people and prompts"
    if why := _why_not(cohort, public):
        return Contamination(unknown(why), False, 0, by, *counts)
    one, other = pooled_fit(pairs.of(public)), pooled_fit(pairs.of(~public))
    scores = np.empty(len(pairs))
    scores[public], scores[~public] = one.scores / one.bread, -other.scores / other.bread
    fit = Fit(one.theta - other.theta, scores, 1.0)
    error: ClusterError = cluster_error(fit, pairs.batch) if by == "batches" else twoway_error(fit, pairs)
    difference = error.around(fit.theta)
    flagged = not math.isnan(error.se) and difference.value > FLAGGED_FROM * error.se
    return Contamination(difference, flagged, error.clusters, by, *counts)


def _why_not(cohort: Cohort, public: Mask) -> Reason | None:
    pairs = cohort.pairs
    for rows, fewest in ((public, MIN_PROMPTS), (~public, MIN_PRIVATE)):
        if not rows.any():
            return Reason.NOTHING_SCORED
        if len(np.unique(pairs.prompt[rows])) < fewest:
            return Reason.TOO_FEW_PROMPTS
        if len(np.unique(pairs.person[rows])) < MIN_PEOPLE:
            return Reason.TOO_FEW_PEOPLE
    return None
