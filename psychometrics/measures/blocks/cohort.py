"""Average and Top by prompt means with a jackknife, and how much people differ."""

import math
from collections.abc import Iterator

import numpy as np

from formats.wording import gettext_noop
from psychometrics.data.cohort import Cohort
from psychometrics.inference.between_person import (
    between_person_sd,
    effective_lengths,
    own_abilities,
    paule_mandel,
    swings,
)
from psychometrics.inference.clusters import Array
from psychometrics.inference.first_error import group_theta
from psychometrics.inference.measure import Measure, NotMeasurable, plain
from psychometrics.measures.inputs import Inputs

TENTHS = (0.1, 0.5, 0.9)


def cohort_measures(inputs: Inputs) -> Iterator[Measure]:
    """theta.prompt of both groups and the spread of people, where prompts have item parameters.

    What stands beside them on their page is of the block Results.
    """
    cohort = inputs.cohort
    if np.isnan(cohort.p).all():
        raise NotMeasurable(gettext_noop("No answer of a retained person has a score."))
    for group, members in inputs.groups.items():
        if len(pairs := members.pairs):
            # Not linear in the answers, so that its error is a jackknife.
            theta = group_theta("theta.prompt", pairs, members.transform, nested=inputs.nested)
            yield Measure(
                "theta.prompt", theta.estimate, group=group, n=len(pairs),
                people=len(np.unique(pairs.person)), prompts=len(np.unique(pairs.prompt)),
                clusters=theta.error.found.clusters, details=theta.error.facts,
            )  # fmt: skip
    if len(cohort.pairs):
        yield from _person_measures(cohort)


def _person_measures(cohort: Cohort) -> Iterator[Measure]:
    """The spread between people, and how little the answers of one person say. No person's own ability."""
    pairs = cohort.pairs
    own = own_abilities(pairs)
    n, people = len(pairs), len(own.theta)
    yield Measure("tau", between_person_sd(own), n=n, people=people, clusters=people)
    height = float(np.ptp(cohort.transform.to_logit(np.array([0.0, 1.0]))))
    yield _spread_measure("person.effective_length", effective_lengths(pairs), people)
    yield _spread_measure("person.swing", swings(pairs, height), people)
    if own.reason is None and own.s1_squared > 0:
        yield Measure("residual_sd", plain(math.sqrt(own.s1_squared)), n=n, people=people)
        yield _spread_measure("person.se", np.sqrt(own.variance), people)
        if people > 1:
            # The part of the variance of single estimates that is due to people: t^2 / (t^2 + median v).
            variance = paule_mandel(own.theta, own.variance).variance
            reliability = variance / (variance + float(np.median(own.variance)))
            yield Measure("person.reliability", plain(reliability), n=n, people=people)


def _spread_measure(name: str, values: Array, people: int) -> Measure:
    """The median of values that each belong to a person or an answer; tenths and the largest in `details`."""
    low, median, high = (float(point) for point in np.quantile(values, TENTHS))
    details = {"p10": low, "p90": high, "largest": float(values.max())}
    return Measure(name, plain(median), n=len(values), people=people, details=details)
