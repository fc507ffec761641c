"""Which rows of a leaderboard are told apart."""

import math

import numpy as np
import pytest

from psychometrics.inference.clusters import linear_estimate, participant_cluster_se
from psychometrics.models.places import Place, model_p_values, p_value, places, runs_of, separated

A = np.array([1.0, 2.0, 0.5, 1.5])
WEIGHTS = np.array([1.0, 3.0, 2.0, 1.0])


def apart(rows: int, *pairs: tuple[int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    found = np.zeros((rows, rows), dtype=bool)
    for first, second in pairs:
        found[first, second] = found[second, first] = True
    return found


def test_p_is_that_of_student_and_absent_without_an_error() -> None:
    assert p_value(12.7062047, 1.0, 1) == pytest.approx(0.05, abs=1e-8)
    assert p_value(-2.0, 1.0, 10_000) == pytest.approx(0.0455, abs=1e-3)
    for difference, se, df in ((1.0, math.nan, 5), (1.0, 0.0, 5), (math.nan, 1.0, 5), (1.0, 1.0, 0)):
        assert math.isnan(p_value(difference, se, df))


def test_two_models_are_compared_on_the_cohorts_prompts_by_prompt() -> None:
    y = np.array([[1.0, 2.0, np.nan, 0.5], [0.0, 1.5, 3.0, 1.0]])
    p = model_p_values(y, A, WEIGHTS)
    rows = np.repeat([0, 1, 3], [1, 3, 1])  # one row per response of the cohort, without the third prompt
    d = (y[0] - y[1])[rows]
    found = linear_estimate(A[rows], d, rows)
    error = participant_cluster_se(A[rows], d - A[rows] * found.estimate.value, rows)
    assert p[0, 1] == p[1, 0] == pytest.approx(p_value(found.estimate.value, error.se, error.df))
    assert np.isnan(np.diag(p)).all()


@pytest.mark.parametrize(
    "y",
    [
        np.array([[1.0, 2.0, 0.0, 0.5]] * 2),  # the same model twice
        np.array([[1.0, np.nan, np.nan, np.nan], [2.0, 1.0, 1.0, 1.0]]),  # one prompt in common
        np.full((2, 4), np.nan),
    ],
)
def test_models_that_cannot_be_compared_are_not_told_apart(y: np.ndarray) -> None:
    p = model_p_values(y, A, WEIGHTS)
    assert np.isnan(p).all()
    assert not separated(p).any()


def test_holm_runs_over_all_comparisons() -> None:
    p = np.full((3, 3), np.nan)
    for (first, second), value in {(0, 1): 0.02, (0, 2): 0.02, (1, 2): 0.04}.items():
        p[first, second] = p[second, first] = value
    assert not separated(p).any()  # 3 * 0.02 = 0.06
    p[0, 2] = p[2, 0] = 0.01
    assert np.array_equal(separated(p), apart(3, (0, 1), (0, 2), (1, 2)))  # 0.03, 0.04, 0.04


def test_places_count_who_is_told_apart_above_and_below() -> None:
    theta = np.array([0.0, 2.0, 1.0, -1.0])  # the order is 1, 2, 0, 3
    found = places(theta, apart(4, (1, 0), (1, 3), (2, 3)))
    assert found == [Place(2, 4, (2, 3)), Place(1, 2, (1,)), Place(1, 3, (1, 2)), Place(3, 4, (3,))]


def test_runs_are_longest_and_hold_nobody_told_apart() -> None:
    order = np.arange(5)
    assert runs_of(order, apart(5)) == [frozenset(range(5))]
    assert runs_of(order, apart(5, (0, 4))) == [frozenset({0, 1, 2, 3}), frozenset({1, 2, 3, 4})]
    everybody = apart(5, *((i, j) for i in range(5) for j in range(i)))
    assert runs_of(order, everybody) == [frozenset({row}) for row in range(5)]
    assert runs_of(np.zeros(0, dtype=np.int64), apart(0)) == []


def test_in_simulated_leaderboards_of_equals_nobody_is_told_apart_in_95_of_100() -> None:
    rng = np.random.default_rng(4)
    a = np.exp(0.5 * rng.standard_normal(80))
    alarms = sum(
        separated(model_p_values(rng.standard_normal((6, 80)) * 3, a, np.ones(80))).any() for _ in range(200)
    )
    assert alarms <= 20  # 10 expected at most, three standard deviations above
