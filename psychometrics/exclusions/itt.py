"""Theta with nobody left out (intention to treat), whatever was excluded and whatever was judged.

Theta of everybody as for the retained: theta.prompt with the jackknife over people, theta.pool and theta_QL
with CR1 over people. Where people were excluded before their answers were judged, these are not known. Then
bounds stand in: their answers all at 0 and all at 1, everything else as it is (Manski 1990). They hold for
Average; who is in Top depends on those scores, and Top is given under the bounds as it then comes out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from psychometrics.data.cohort import Cohort, Outcome
from psychometrics.exclusions.multiverse import not_judged
from psychometrics.inference.clusters import cluster_codes
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.jackknife import jackknife_error, prompt_thetas_without, theta_prompt
from psychometrics.inference.measure import plain
from psychometrics.inference.standard_errors import cluster_error, pooled_fit, quasi_fit
from psychometrics.top.ranking import by_raw_mean

NAMES = ("theta.prompt", "theta.pool", "theta.ql")
BOUNDS = {"bound_low": 0.0, "bound_high": 1.0}


@dataclass(frozen=True)
class IttResult:
    """One number of everybody, or of the Top of everybody."""

    name: str
    estimate: Estimate
    people: int
    pairs: int


def intention_to_treat(everyone: Cohort, top_size: int | None) -> Iterator[IttResult]:
    """The three thetas of everybody (`top_size` None) or of the best of everybody."""
    unjudged = not_judged(everyone)
    if not unjudged.any():
        yield from _thetas(everyone, top_size)
        return
    members = everyone.people_present if top_size is None else top_size
    for name in NAMES:
        yield IttResult(name, unknown(Reason.NOT_JUDGED), members, 0)
    theirs = unjudged[everyone.person] & (everyone.outcome == Outcome.UNSCORED)
    for bound, score in BOUNDS.items():
        filled = everyone.with_scores(np.where(theirs, score, everyone.p))
        for one in _thetas(filled, top_size):
            value = one.estimate.value
            estimate = (
                unknown(one.estimate.reason or Reason.NOTHING_SCORED) if np.isnan(value) else plain(value)
            )
            yield IttResult(f"{one.name}.{bound}", estimate, one.people, one.pairs)


def _thetas(cohort: Cohort, top_size: int | None) -> Iterator[IttResult]:
    if top_size is not None:
        best = by_raw_mean(cohort)[:top_size]
        chosen = np.zeros(len(cohort.people), dtype=bool)
        chosen[best] = len(best) == top_size
        cohort = cohort.of_people(chosen)
    pairs = cohort.pairs
    codes, people = cluster_codes(pairs.person)
    if not len(pairs):
        why = unknown(Reason.NOTHING_SCORED if top_size is None else Reason.TOO_FEW_PEOPLE)
        yield from (IttResult(name, why, 0, 0) for name in NAMES)
        return
    without = prompt_thetas_without(pairs, codes, people, cohort.transform)
    by_prompt = jackknife_error(without, len(pairs)).around(theta_prompt(pairs, cohort.transform))
    yield IttResult("theta.prompt", by_prompt, people, len(pairs))
    for name, fit in (("theta.pool", pooled_fit(pairs)), ("theta.ql", quasi_fit(pairs))):
        estimate = unknown(fit.reason) if fit.reason else cluster_error(fit, codes).around(fit.theta)
        yield IttResult(name, estimate, people, len(pairs))
