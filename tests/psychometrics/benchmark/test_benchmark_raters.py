"""The best rater of a task is measured against the best of equals."""

import itertools
import math

import numpy as np
import pytest

from psychometrics.benchmark.raters import maxima_of_equals, task_raters, top_crossfit
from psychometrics.benchmark.tasks import TaskSums
from psychometrics.inference.estimates import Reason


def sums(correct: list[int], answers: list[int]) -> TaskSums:
    right, scored = (np.array([column], dtype=np.float64).T for column in (correct, answers))
    return TaskSums(("t",), right, scored, np.array([max(answers, default=0)]))


def test_average_and_maximum_are_over_raters_and_name_what_they_rest_on() -> None:
    found = task_raters(sums([3, 1, 0, 2], [4, 4, 0, 2]), 0, np.random.default_rng(1))
    assert found.average.value == pytest.approx((75 + 25 + 100) / 3)
    assert (found.maximum, found.raters, found.items, found.best_items) == (100, 3, 4, 2)


def test_the_interval_of_the_average_rater_ends_where_accuracies_do() -> None:
    average = task_raters(sums([1, 0, 1], [1, 1, 1]), 0, np.random.default_rng(1)).average
    assert (average.low, average.high) == (0, 100)


def test_the_expected_maximum_of_equals_is_that_of_all_ways_the_answers_can_fall() -> None:
    ways = [(sum(way[:2]) / 2, sum(way[2:]) / 2) for way in set(itertools.permutations([1, 1, 0, 0]))]
    exact = 100 * np.mean([max(way) for way in ways])
    drawn = maxima_of_equals(np.array([2, 2]), 2, np.random.default_rng(1), 20_000)
    assert drawn.mean() == pytest.approx(exact, abs=0.6)


def test_a_rater_who_is_really_better_is_not_luck_and_one_of_equals_is() -> None:
    rng = np.random.default_rng(2)
    better = task_raters(sums([45, 10, 12, 9], [50] * 4), 0, rng)
    equal = task_raters(sums([12, 10, 12, 9], [50] * 4), 0, rng)
    assert better.luck < 0.001 < 0.2 < equal.luck


@pytest.mark.parametrize(
    ("correct", "answers", "maximum", "raters"),
    [([], [], math.nan, 0), ([0], [0], math.nan, 0), ([0, 0], [3, 3], 0, 2), ([3, 3], [3, 3], 100, 2)],
)
def test_degenerate_tasks_have_no_invented_rater(
    correct: list[int], answers: list[int], maximum: float, raters: int
) -> None:
    found = task_raters(sums(correct, answers), 0, np.random.default_rng(1))
    assert found.maximum == pytest.approx(maximum, nan_ok=True)
    assert found.expected_max == pytest.approx(maximum, nan_ok=True)
    assert (found.raters, found.average.reason is not None) == (raters, True)


def test_of_equal_people_the_crossfitted_top_is_no_better_than_everybody() -> None:
    rng, found = np.random.default_rng(4), []
    person = np.repeat(np.arange(60), 20)
    for _ in range(40):
        correct = (rng.random(len(person)) < 0.4).astype(np.float64)
        found.append(top_crossfit(person, correct, 10, 0, rng).value)
    assert np.mean(found) == pytest.approx(40, abs=1.5)


def test_the_crossfitted_top_finds_people_who_are_better_and_its_interval_holds_them() -> None:
    rng, person = np.random.default_rng(5), np.repeat(np.arange(60), 40)
    correct = (rng.random(len(person)) < np.where(person < 10, 0.9, 0.4)).astype(np.float64)
    found = top_crossfit(person, correct, 10, 400, rng)
    assert found.low <= 90 <= found.high + 3
    assert found.value > 84


@pytest.mark.parametrize(
    ("person", "size", "reason"),
    [([], 1, Reason.NO_PAIRS), ([0, 0, 1], 3, Reason.TOO_FEW_PEOPLE), ([0], 1, Reason.ONE_CLUSTER)],
)
def test_a_top_larger_than_the_group_is_refused(person: list[int], size: int, reason: Reason) -> None:
    rows = np.array(person, dtype=np.int64)
    assert top_crossfit(rows, np.ones(len(rows)), size, 100, np.random.default_rng(1)).reason == reason
