"""The influence of single verdicts: exact, and the same whatever order the rows have."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from psychometrics.agreement.influence import (
    changes_without,
    effect_of_flips,
    largest_changes,
    thetas_of,
    under_other_scores,
)
from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.estimates import Reason
from psychometrics.irt.transform import Array
from tests.support.top_cohorts import bank_with

LOGIT_OF_1 = math.log(999)


def cohort_with(scores: list[tuple[int, int, float]]) -> Cohort:
    """Rows of (person, prompt, score) on four prompts, the last one without parameters."""
    return cohort_of(
        people=[Person(code) for code in "ABCD"],
        prompts=[AskedPrompt(name) for name in ("p0", "p1", "p2", "x")],
        bank=bank_with(("p0", "p1", "p2"), seed=4),
        rows=[
            (i, j, 1, 1, p, p, Outcome.UNSCORED if math.isnan(p) else Outcome.SCORED) for i, j, p in scores
        ],
    )


SCORES = [(0, 0, 1.0), (0, 1, 0.4), (0, 3, 1.0), (1, 0, 0.0), (1, 2, 0.7), (2, 1, math.nan), (2, 2, 1.0)]


def theta(cohort: Cohort) -> float:
    pairs = cohort.pairs
    return float(pairs.a @ pairs.z / (pairs.a @ pairs.a))


def test_the_change_without_an_answer_is_that_of_computing_again() -> None:
    pairs = cohort_with(SCORES).pairs
    whole = pairs.a @ pairs.z / (pairs.a @ pairs.a)

    found = changes_without(pairs)

    for row in range(len(pairs)):
        rest = pairs.of(np.arange(len(pairs)) != row)
        assert found[row] == pytest.approx(rest.a @ rest.z / (rest.a @ rest.a) - whole, abs=1e-12)


def test_the_only_answer_cannot_be_left_out() -> None:
    pairs = cohort_with([(0, 0, 1.0)]).pairs

    changes = changes_without(pairs)

    assert np.isnan(changes).all()
    assert largest_changes(changes, 10).tolist() == []
    assert changes_without(cohort_with([]).pairs).tolist() == []


@given(st.lists(st.floats(-5, 5), max_size=8), st.integers(0, 4))
def test_the_largest_changes_come_by_size_and_zero_is_none(values: list[float], number: int) -> None:
    found = np.abs(np.array(values))[largest_changes(np.array(values, dtype=np.float64), number)]
    assert found.tolist() == sorted((abs(v) for v in values if v), reverse=True)[:number]


def test_other_scores_change_theta_by_what_its_rows_add() -> None:
    cohort = cohort_with(SCORES)
    p: Array = np.where(np.arange(len(cohort)) == 1, 0.9, cohort.p)
    p[3] = math.nan  # the other judge failed: the row leaves both sides

    found = under_other_scores(cohort, p)

    both = cohort.of_rows(~np.isnan(p))
    after = both.with_scores(p[~np.isnan(p)])
    assert found.change.estimate.value == pytest.approx(theta(after) - theta(both), abs=1e-12)
    assert found.parts.sum() == pytest.approx(found.change.estimate.value, abs=1e-12)
    assert found.rows[largest_changes(found.parts, 10)].tolist() == [1]


def test_the_same_scores_change_nothing_and_claim_no_error() -> None:
    cohort = cohort_with(SCORES)

    change = under_other_scores(cohort, cohort.p).change

    assert change.estimate.value == 0
    assert change.estimate.reason == Reason.NO_SPREAD


def test_flips_take_their_share_of_the_full_credit() -> None:
    cohort = cohort_with(SCORES)
    pairs = cohort.pairs

    value, full = effect_of_flips(pairs, cohort.transform, share=0.5)

    weights = pairs.a[pairs.p == 1]
    assert full == 2
    assert value == pytest.approx(-0.5 * weights.sum() * 2 * LOGIT_OF_1 / (pairs.a @ pairs.a), abs=1e-9)
    assert effect_of_flips(cohort_with([(0, 0, 0.0)]).pairs, cohort.transform) == (0, 0)
    assert math.isnan(effect_of_flips(cohort_with([]).pairs, cohort.transform)[0])


def test_the_three_thetas_of_a_group_are_those_of_its_known_prompts_only() -> None:
    found = thetas_of(cohort_with(SCORES), nested=True)
    without = thetas_of(
        cohort_with([row for row in SCORES if row[1] != 3 and not math.isnan(row[2])]), nested=True
    )

    assert found.named == without.named
    assert (found.pairs, found.prompts) == (5, 3)
    assert found.pool.value == pytest.approx(theta(cohort_with(SCORES)), abs=1e-12)


def test_where_nothing_is_scored_every_theta_has_the_reason() -> None:
    for cohort in (cohort_with([]), cohort_with([(0, 0, math.nan)]), cohort_with([(0, 3, 1.0)])):
        for estimate in thetas_of(cohort, nested=True).reported.values():
            assert math.isnan(estimate.value)
            assert estimate.reason == Reason.NOTHING_SCORED


def test_single_people_have_no_theta() -> None:
    alone = thetas_of(cohort_with([(0, 0, 1.0), (0, 1, 0.4)]), nested=True)
    two = thetas_of(cohort_with(SCORES), nested=True)

    assert {one.reason for one in alone.reported.values()} == {Reason.TOO_FEW_PEOPLE}
    assert two.reported == two.named
