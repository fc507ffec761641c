"""Theta with nobody left out (intention to treat), whatever was excluded and whatever was judged.

Theta of everybody with the error that stands first for the retained, too (`inference.first_error`). Where
people were excluded before their answers were judged, these are not known. Then bounds stand in: their
answers all at 0 and all at 1, everything else as it is (Manski 1990). They hold for Average; who is in Top
depends on those scores, and Top is given under the bounds as it then comes out.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from psychometrics.data.cohort import Cohort
from psychometrics.data.places import Outcome
from psychometrics.exclusions.multiverse import not_judged
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.first_error import THETAS, group_theta
from psychometrics.inference.measure import Measure, plain
from psychometrics.top.ranking import by_raw_mean, first_of

BOUNDS = {"bound_low": 0.0, "bound_high": 1.0}


def intention_to_treat(everyone: Cohort, top_size: int | None, *, nested: bool) -> Iterator[Measure]:
    """The three thetas of everybody (`top_size` None) or of the best of everybody, with people and pairs."""
    unjudged = not_judged(everyone)
    if not unjudged.any():
        yield from _thetas(everyone, top_size, nested)
        return
    members = everyone.people_present if top_size is None else top_size
    for name in THETAS:
        yield Measure(name, unknown(Reason.NOT_JUDGED), n=0, people=members)
    theirs = unjudged[everyone.person] & (everyone.outcome == Outcome.UNSCORED)
    for bound, score in BOUNDS.items():
        filled = everyone.with_scores(np.where(theirs, score, everyone.p))
        for theta in _thetas(filled, top_size, nested):
            estimate = plain(theta.estimate.value) if theta.estimate.known else theta.estimate
            yield replace(theta, name=f"{theta.name}.{bound}", estimate=estimate)


def _thetas(cohort: Cohort, top_size: int | None, nested: bool) -> Iterator[Measure]:
    if top_size is not None:
        cohort = cohort.of_people(first_of(by_raw_mean(cohort), top_size, len(cohort.people)))
    pairs = cohort.pairs
    people = len(np.unique(pairs.person))
    if not len(pairs):
        why = unknown(Reason.NOTHING_SCORED if top_size is None else Reason.TOO_FEW_PEOPLE)
        yield from (Measure(name, why, n=0, people=0) for name in THETAS)
        return
    for name in THETAS:
        found = group_theta(name, pairs, cohort.transform, nested=nested)
        clusters = found.error.found.clusters
        yield Measure(name, found.estimate, n=len(pairs), people=people, clusters=clusters)
