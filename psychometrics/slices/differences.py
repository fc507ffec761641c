"""Differences of theta between parts: of the arms of a study, and of public and private prompts.

Arms are drawn between people:

    difference  d = theta(first) - theta(second)                 names in alphabetical order
    variance    V = V_1 + V_2, each by people with its df: jackknife or CR2 (`parts`)
    interval    d +- t_df sqrt(V),   df = V^2 / (V_1^2 / df_1 + V_2^2 / df_2), rounded down

Nobody is in two arms, so the errors of both thetas are independent of each other for other people on these
prompts. Unpaired: what people of two arms have in common by their batch is left in the error.
Source: Welch (1947) for the degrees of freedom.

Contamination: whether people do better on public prompts than on private ones, by more than chance.

    difference  d = theta.pool(public) - theta.pool(private)
    influence   u_k = +- a_k e_k / sum a^2, the sums and residuals of the split of k, - for private
    variance    CR2 of u by clusters g, with its df (`clusters`)

The same people answer both splits, so the errors of both thetas are not independent of each other; the sums
within clusters hold what they share. Clusters are batches where each prompt is in one batch; else people and
prompts at once. Flagged above 2 SE: public prompts that were met before give such a
difference, but so do item parameters that fit both splits differently. An aggregate, never a single prompt.
Source: Cameron, Gelbach and Miller (2011).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from psychometrics.data.cohort import Cohort
from psychometrics.data.places import PUBLIC
from psychometrics.inference.clusters import t_quantile
from psychometrics.inference.disclosure import answers_of
from psychometrics.inference.estimates import CONFIDENCE, Estimate, Reason, unknown, without_interval
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import cluster_error, difference_of, pooled_fit, twoway_error
from psychometrics.slices.parts import arm_slices, slice_result

NEAR = 1e-9  # degrees of freedom so close below a whole number are that number
FLAGGED_FROM = 2.0  # standard errors
NOTHING: Mapping[str, Reason] = {}


@dataclass(frozen=True)
class ArmDifference:
    """First less second arm (logits) by one estimator; `df` is None where there is no interval."""

    estimator: str
    first: str
    second: str
    difference: Estimate
    df: int | None
    people_first: int
    people_second: int
    pairs: int


def arm_differences(
    cohort: Cohort, hidden: Mapping[str, Reason] = NOTHING, *, nested: bool
) -> Iterator[ArmDifference]:
    """Every two arms by each estimator; `hidden` are parts (subsets) that must not be told, and why.

    Without a value where an arm has none, for the reason that it has.
    """
    results = [
        (part.value, slice_result(cohort, part.rows, hidden.get(part.subset), nested=nested))
        for part in arm_slices(cohort)
    ]
    for (first, one), (second, other) in combinations(results, 2):
        pairs = one.pairs + other.pairs
        for theta, against in zip(one.thetas, other.thetas, strict=True):
            own, others = theta.by_person, against.by_person
            why, value, df = own.reason or others.reason, own.value - others.value, None
            if why is None:
                variances = own.se**2, others.se**2
                se = math.sqrt(sum(variances))
                shares = variances[0] ** 2 / theta.df + variances[1] ** 2 / against.df
                df = math.floor(se**4 / shares + NEAR)
                half = t_quantile(CONFIDENCE, df) * se
                less = Estimate(value, se, value - half, value + half)
            else:
                less = unknown(why) if math.isnan(value) else without_interval(value, why)
            yield ArmDifference(theta.name, first, second, less, df, one.people, other.people, pairs)


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
    answers, reasons = answers_of(cohort, cohort.is_pair), []
    for split in (public, ~public):
        rows = np.zeros(len(cohort), dtype=bool)
        rows[np.flatnonzero(cohort.is_pair)[split]] = True
        reasons.append(answers.why_untold(rows) if split.any() else Reason.NOTHING_SCORED)
    if any(unbounded(own.a, own.b, own.p) for own in (pairs.of(public), pairs.of(~public))):
        reasons.append(Reason.NO_FINITE_SOLUTION)
    if why := next(filter(None, reasons), None):
        return Contamination(unknown(why), False, 0, by, *counts)
    one, other = pooled_fit(pairs.of(public)), pooled_fit(pairs.of(~public))
    fit = difference_of(one, other, public)
    error = cluster_error(fit, pairs.batch) if by == "batches" else twoway_error(fit, pairs)
    difference = error.around(fit.theta)
    flagged = not math.isnan(error.se) and difference.value > FLAGGED_FROM * error.se
    return Contamination(difference, flagged, error.clusters, by, *counts)
