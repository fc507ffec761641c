"""The difference of theta between the arms of a study, which are drawn between people.

    difference  d = theta(first) - theta(second)                 names in alphabetical order
    variance    V = V_1 + V_2, each by people: jackknife, CR1 or sandwich (`slices`)
    interval    d +- t_df sqrt(V),   df = V^2 / (V_1^2 / (G_1 - 1) + V_2^2 / (G_2 - 1)), rounded down

Nobody is in two arms, so the errors of both thetas are independent of each other for other people on these
prompts. Unpaired: what people of two arms have in common by their batch is left in the error.
Source: Welch (1947) for the degrees of freedom.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from psychometrics.data.cohort import Cohort
from psychometrics.inference.estimates import CONFIDENCE, Estimate, unknown, without_interval
from psychometrics.inference.student_t import t_quantile
from psychometrics.slices.parts import SliceResult, arm_slices, slice_result

NEAR = 1e-9  # degrees of freedom so close below a whole number are that number


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


def arm_differences(cohort: Cohort, hidden: frozenset[str] = frozenset()) -> Iterator[ArmDifference]:
    """Every two arms by each estimator; `hidden` are parts (subsets) that must not be told.

    Without a value where an arm has none, for the reason that it has.
    """
    results = [
        (part.value, slice_result(cohort, part.rows, hidden=part.subset in hidden))
        for part in arm_slices(cohort)
    ]
    for (first, one), (second, other) in combinations(results, 2):
        yield from _differences(first, one, second, other)


def _differences(first: str, one: SliceResult, second: str, other: SliceResult) -> Iterator[ArmDifference]:
    for theta_one, theta_other in zip(one.thetas, other.thetas, strict=True):
        difference, df = welch_difference(
            theta_one.by_person, one.people, theta_other.by_person, other.people
        )
        yield ArmDifference(
            theta_one.name, first, second, difference, df, one.people, other.people, one.pairs + other.pairs
        )


def welch_difference(
    one: Estimate, people_one: int, other: Estimate, people_other: int
) -> tuple[Estimate, int | None]:
    """One less other with Welch's degrees of freedom, from errors with G - 1 degrees each."""
    why = one.reason or other.reason
    value = one.value - other.value
    if why is not None:
        return (unknown(why) if math.isnan(value) else without_interval(value, why)), None
    variances = one.se**2, other.se**2
    se = math.sqrt(sum(variances))
    shares = variances[0] ** 2 / (people_one - 1) + variances[1] ** 2 / (people_other - 1)
    df = math.floor(se**4 / shares + NEAR)
    half = t_quantile(CONFIDENCE, df) * se
    return Estimate(value, se, value - half, value + half), df
