import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit

from psychometrics.inference.clusters import Codes
from psychometrics.inference.estimates import Reason
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.irt.quasi_likelihood import theta_ql, thetas_ql
from psychometrics.irt.transform import Array, ScoreOutOfRange

NAN = math.nan


def responses(n: int, *, people: int, theta: float, seed: int) -> tuple[Array, Array, Array, Codes]:
    """Rows a, b, p and the person of each; scores are 0 or 1 with the probabilities of the model."""
    rng = np.random.default_rng(seed)
    a, b = np.asarray(np.exp(rng.normal(0, 0.5, n))), rng.normal(0, 2, n)
    return a, b, rng.binomial(1, expit(a * (theta - b))).astype(np.float64), rng.integers(0, people, n)


def test_a_single_item_is_solved_by_hand() -> None:
    # 2 (0.75 - pi) = 0 gives 2 (theta - 1) = logit(0.75) = ln 3.
    assert theta_ql([2.0], [1.0], [0.75]) == pytest.approx(1 + math.log(3) / 2, abs=1e-12)


def test_two_items_that_mirror_each_other_meet_in_the_middle() -> None:
    assert theta_ql([1.5, 1.5], [-2.0, 2.0], [1.0, 0.0]) == pytest.approx(0, abs=1e-12)


def test_the_cluster_error_is_the_sandwich() -> None:
    # At theta 0 every pi is 1/2: residuals +-1/2, h = 4 * 1/4 = 1. Person sums are 1 and -1: V = 2 * 2 / 1.
    found = quasi_estimate([1.0] * 4, [0.0] * 4, [1.0, 1.0, 0.0, 0.0], [7, 7, 9, 9])

    assert found.estimate.value == pytest.approx(0, abs=1e-12)
    assert found.estimate.se == pytest.approx(2, abs=1e-12)
    assert found.estimate.high == pytest.approx(12.706204736 * 2, abs=1e-6)
    assert (found.n, found.clusters) == (4, 2)


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), theta=st.floats(-12, 12), k=st.integers(1, 6))
def test_the_equation_is_solved_and_averaging_responses_first_changes_nothing(
    seed: int, theta: float, k: int
) -> None:
    rng = np.random.default_rng(seed)
    a, b = np.exp(rng.normal(0, 0.6, 25)), rng.normal(0, 4, 25)
    p = rng.binomial(4, expit(a * (theta - b)), size=(k, 25)) / 4
    p[0, 0], p[0, 1] = 0.25, 0.75

    one_by_one = theta_ql(np.tile(a, k), np.tile(b, k), p.ravel())

    assert abs(float(np.sum(a * (p - expit(a * (one_by_one - b)))))) < 1e-8
    assert theta_ql(a, b, p.mean(axis=0)) == pytest.approx(one_by_one, abs=1e-6)


def test_many_groups_at_once_equal_each_by_itself_in_any_order_of_rows() -> None:
    a, b, p, person = responses(600, people=40, theta=0.5, seed=1)
    order = np.random.default_rng(2).permutation(600)

    found = thetas_ql(a[order], b[order], p[order], person[order].astype(np.int64), 42)

    alone = [theta_ql(a[person == i], b[person == i], p[person == i]) for i in range(42)]
    assert found == pytest.approx(np.array(alone), abs=1e-9, nan_ok=True)
    assert np.isnan(found[40:]).all()


def test_scores_that_are_missing_and_prompts_without_parameters_change_nothing() -> None:
    a, b, p, person = responses(80, people=8, theta=0.0, seed=3)

    found = quasi_estimate(np.r_[a, NAN, 1.0], np.r_[b, NAN, 0.0], np.r_[p, 1.0, NAN], np.r_[person, 99, 98])

    assert found == quasi_estimate(a, b, p, person)


@pytest.mark.parametrize(("p", "reason"), [
    ([], Reason.NO_PAIRS), ([NAN, NAN], Reason.NO_PAIRS), ([0.0, 0.0], Reason.NO_FINITE_SOLUTION),
    ([1.0, 1.0], Reason.NO_FINITE_SOLUTION),
])  # fmt: skip
def test_without_a_finite_solution_there_is_no_value_and_a_reason(p: list[float], reason: Reason) -> None:
    found = quasi_estimate([1.0] * len(p), [0.0] * len(p), p, ["x"] * len(p)).estimate

    assert math.isnan(found.value)
    assert found.reason == reason
    assert math.isnan(theta_ql([1.0] * len(p), [0.0] * len(p), p))


def test_one_person_gives_a_value_without_an_interval() -> None:
    found = quasi_estimate([1.0, 1.0], [0.0, 1.0], [1.0, 0.0], ["x", "x"]).estimate

    assert found.value == pytest.approx(0.5, abs=1e-9)
    assert found.reason == Reason.ONE_CLUSTER


def test_items_that_leave_a_wide_gap_are_solved_without_a_warning() -> None:
    found = theta_ql([4.0, 4.0], [-400.0, 400.0], [1.0, 0.0])

    assert -400 < found < 400


def test_a_score_outside_zero_to_one_is_refused() -> None:
    with pytest.raises(ScoreOutOfRange):
        theta_ql([1.0], [0.0], [1.5])


def test_ability_is_recovered_and_its_interval_covers_it() -> None:
    covered, errors = 0, []
    for seed in range(200):
        a, b, p, person = responses(400, people=40, theta=1.0, seed=seed)
        found = quasi_estimate(a, b, p, person).estimate
        covered += found.low <= 1.0 <= found.high
        errors.append(found.value - 1.0)

    assert abs(np.mean(errors)) < 3 * np.std(errors) / math.sqrt(200) + 0.01
    assert 0.90 <= covered / 200 <= 0.99
