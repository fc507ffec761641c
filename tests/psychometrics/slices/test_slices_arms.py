"""The difference between arms."""

from dataclasses import replace
from math import isnan, sqrt

import numpy as np
import pytest
from scipy.special import logit

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.estimates import Reason
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform
from psychometrics.slices.differences import ArmDifference, arm_differences
from psychometrics.slices.parts import arm_slices, slices_of

ARMS = ("with-ai", "alone")


def cohort(*, people: int = 40, gain: float = 0.1, prompts: int = 4, arms: tuple[str, ...] = ARMS) -> Cohort:
    """Everybody answers every prompt, all alike in their parameters; people of the first arm do better."""
    rng = np.random.default_rng(3)
    names = tuple(f"p{j}" for j in range(prompts))
    bank = ItemBank(names, np.ones(prompts), np.zeros(prompts), ("",) * prompts, Transform(0.998, 0.001), 2.5)
    rows = [
        (i, j, 1, j + 1, p, p, Outcome.SCORED)
        for i in range(people)
        for j in range(prompts)
        for p in [float(np.clip(rng.uniform(0.2, 0.7) + gain * (i % len(arms) == 0), 0, 1))]
    ]
    return cohort_of(
        people=[Person(f"P{i:02}", arm=arms[i % len(arms)]) for i in range(people)],
        prompts=[AskedPrompt(name) for name in names],
        bank=bank,
        rows=rows,
    )


def by_estimator(found: Cohort) -> dict[str, ArmDifference]:
    return {one.estimator: one for one in arm_differences(found, nested=True)}


def test_arms_are_parts_of_the_cohort() -> None:
    assert [part.subset for part in arm_slices(cohort())] == ["arm:alone", "arm:with-ai"]
    assert "arm:alone" in [part.subset for part in slices_of(cohort())]


def test_with_equal_prompts_the_pooled_difference_is_that_of_the_means_of_people() -> None:
    # As everybody answers as many equal prompts, theta.pool is the mean of people's means, CR1 Welch's error.
    table = cohort(people=24)
    y = logit(0.998 * table.p + 0.001).reshape(24, 4).mean(axis=1)
    one, other = y[1::2].var(ddof=1) / 12, y[::2].var(ddof=1) / 12
    found = by_estimator(table)["theta.pool"]
    assert (found.first, found.second) == ("alone", "with-ai")
    assert found.difference.value == pytest.approx(y[1::2].mean() - y[::2].mean())
    assert found.difference.se == pytest.approx(sqrt(one + other))
    assert found.df == int((one + other) ** 2 / (one**2 / 11 + other**2 / 11))
    assert (found.people_first, found.people_second, found.pairs) == (12, 12, 96)


def test_all_three_estimators_see_the_better_arm() -> None:
    found = by_estimator(cohort(gain=0.25))
    assert list(found) == ["theta.prompt", "theta.pool", "theta.ql"]
    assert all(one.difference.high < 0 for one in found.values())


def test_errors_add_up_as_of_independent_people() -> None:
    table = cohort(arms=("a", "b", "c"), people=42)
    pairs = {
        (one.first, one.second): one.difference
        for one in arm_differences(table, nested=True)
        if "pool" in one.estimator
    }
    assert list(pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs["a", "b"].value + pairs["b", "c"].value == pytest.approx(pairs["a", "c"].value)
    squares = {names: one.se**2 for names, one in pairs.items()}
    shared = (squares["a", "b"] + squares["a", "c"] - squares["b", "c"]) / 2
    assert 0 < sqrt(shared) < pairs["a", "b"].se


def test_a_study_without_arms_has_no_difference() -> None:
    table = cohort()
    people = tuple(replace(person, arm="") for person in table.people)
    assert list(arm_differences(replace(table, people=people), nested=True)) == []


def test_an_arm_of_one_person_has_no_number_and_says_why() -> None:
    table = cohort(people=9)
    people = tuple(replace(person, arm=ARMS[i > 0]) for i, person in enumerate(table.people))
    for one in arm_differences(replace(table, people=people), nested=True):
        assert isnan(one.difference.value)
        assert (one.difference.reason, one.df) == (Reason.TOO_FEW_PEOPLE, None)
