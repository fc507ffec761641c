"""Theta with nobody left out (intention to treat), whatever was excluded and whatever was judged.

Theta of everybody as for the retained: theta.prompt with the jackknife over people, theta.pool and theta_QL
by people. Where people were excluded before their answers were judged, these are not known. Then
bounds stand in: their answers all at 0 and all at 1, everything else as it is (Manski 1990). They hold for
Average; who is in Top depends on those scores, and Top is given under the bounds as it then comes out.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from psychometrics.data.cohort import Cohort, Outcome
from psychometrics.exclusions.multiverse import not_judged
from psychometrics.inference.clusters import cluster_codes
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.measure import Measure, plain
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.slices.parts import THETAS, thetas_by
from psychometrics.top.ranking import by_raw_mean, first_of

BOUNDS = {"bound_low": 0.0, "bound_high": 1.0}


def intention_to_treat(everyone: Cohort, top_size: int | None) -> Iterator[Measure]:
    """The three thetas of everybody (`top_size` None) or of the best of everybody, with people and pairs."""
    unjudged = not_judged(everyone)
    if not unjudged.any():
        yield from _thetas(everyone, top_size)
        return
    members = everyone.people_present if top_size is None else top_size
    for name in THETAS:
        yield Measure(name, unknown(Reason.NOT_JUDGED), n=0, people=members)
    theirs = unjudged[everyone.person] & (everyone.outcome == Outcome.UNSCORED)
    for bound, score in BOUNDS.items():
        filled = everyone.with_scores(np.where(theirs, score, everyone.p))
        for one in _thetas(filled, top_size):
            estimate = plain(one.estimate.value) if one.estimate.known else one.estimate
            yield replace(one, name=f"{one.name}.{bound}", estimate=estimate)


def _thetas(cohort: Cohort, top_size: int | None) -> Iterator[Measure]:
    if top_size is not None:
        cohort = cohort.of_people(first_of(by_raw_mean(cohort), top_size, len(cohort.people)))
    pairs = cohort.pairs
    codes, people = cluster_codes(pairs.person)
    if not len(pairs):
        why = unknown(Reason.NOTHING_SCORED if top_size is None else Reason.TOO_FEW_PEOPLE)
        yield from (Measure(name, why, n=0, people=0) for name in THETAS)
        return
    bound = unbounded(pairs.a, pairs.b, pairs.p)
    for name, ((estimate, _),) in thetas_by(pairs, cohort.transform, (codes, people)).items():
        yield Measure(name, bound or estimate, n=len(pairs), people=people)
