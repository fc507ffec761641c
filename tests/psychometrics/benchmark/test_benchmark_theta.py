"""A cohort on a bank of tasks, calibrated from a table of models."""

import math
from pathlib import Path

import numpy as np
import pytest

from psychometrics.benchmark.accuracy_table import AccuracyTable
from psychometrics.benchmark.matched import thinned
from psychometrics.benchmark.tasks import TaskSums
from psychometrics.benchmark.theta import (
    TRANSFORM,
    calibrated_tasks,
    cohort_theta,
    items_of_tasks,
    task_thetas,
    task_thetas_ql,
)
from psychometrics.inference.estimates import Reason
from psychometrics.irt.bank import ItemBank
from scoring.readers.accuracy_tables import read_accuracy_table


def bank(b: list[float]) -> ItemBank:
    names = tuple(f"Task {letter}s" for letter in "abcdefgh"[: len(b)])
    return ItemBank(names, np.ones(len(b)), np.array(b), ("",) * len(b), TRANSFORM, 1.0)


def sums(correct: list[list[int]], answers: list[list[int]]) -> TaskSums:
    right, scored = (np.array(rows, dtype=np.float64).reshape(len(rows), -1) for rows in (correct, answers))
    total = np.array(answers).reshape(len(answers), -1)
    return TaskSums(("bbeh_task_a", "task_b"), right, scored, total.max(axis=0, initial=0))


def test_a_table_of_13_columns_fits_difficulties_alone_and_orders_its_models(shared_data: Path) -> None:
    table = read_accuracy_table(shared_data / "bbeh" / "paper_table2.json")
    found = calibrated_tasks(table)
    assert found.difficulty_only
    assert found.fit.a == pytest.approx(1.0)
    assert (len(found.fit.theta), len(found.fit.b), found.fit.converged) == (13, 23, True)
    best = table.models[int(found.fit.theta.argmax())]
    assert best == "o3-mini (high)"
    whole = ItemBank(found.tasks, found.fit.a, found.fit.b, ("",) * 23, TRANSFORM, found.fit.sigma_hat)
    columns = np.array([table.accuracy_percent[task] for task in table.tasks], dtype=np.float64).T
    assert task_thetas(columns, np.arange(23), whole) == pytest.approx(found.fit.theta, abs=1e-6)


def test_twenty_columns_determine_discriminations() -> None:
    rng = np.random.default_rng(1)
    theta, a = rng.normal(0, 1.5, 40), np.array([0.5, 1.0, 2.0, 1.0, 1.0, 1.0])
    shares = 100 / (1 + np.exp(-np.outer(theta, a) + rng.normal(0, 0.3, (40, 6))))
    table = AccuracyTable(
        models=[f"m{i}" for i in range(40)],
        tasks=[f"t{j}" for j in range(6)],
        accuracy_percent={f"t{j}": list(shares[:, j]) for j in range(6)},
    )
    found = calibrated_tasks(table)
    assert not found.difficulty_only
    assert list(found.fit.a.argsort()[[0, -1]]) == [0, 2]


def test_tasks_are_found_by_name_however_it_is_written() -> None:
    assert list(items_of_tasks(["bbeh_task_b", "Task As", "other"], bank([0, 1]))) == [1, 0, -1]


def test_theta_is_the_published_estimator_with_a_task_as_item() -> None:
    group = sums([[1, 0], [1, 2]], [[2, 2], [2, 2]])
    theta, _ = cohort_theta(group, np.array([0, 1]), bank([0.3, -0.2]), 200, np.random.default_rng(1))
    y = [math.log(q / (1 - q)) for q in (0.998 * 0.5 + 0.001, 0.998 * 0.5 + 0.001)]
    assert theta.value == pytest.approx((y[0] + 0.3 + y[1] - 0.2) / 2)


def test_theta_of_few_questions_differs_from_that_of_many_and_theta_ql_does_not() -> None:
    items, of = np.arange(8), bank([-3, -2, -1, 0, 1, 2, 3, 4])
    accuracy = 100 / (1 + np.exp(-(1 - of.b)))
    few = thinned(accuracy, None, np.full(8, 4), np.random.default_rng(1), draws=3000)
    wls = task_thetas(few, items, of).mean() - task_thetas(accuracy[np.newaxis], items, of)[0]
    quasi = np.nanmean(task_thetas_ql(few, items, of)) - task_thetas_ql(accuracy[np.newaxis], items, of)[0]
    assert abs(wls) > 0.15
    assert abs(quasi) < 0.05


@pytest.mark.parametrize(
    ("correct", "answers", "items", "reasons"),
    [
        ([], [], [0, 1], (Reason.NOTHING_SCORED, Reason.NOTHING_SCORED)),
        ([[1, 1]], [[1, 2]], [-1, -1], (Reason.NOTHING_SCORED, Reason.NOTHING_SCORED)),
        ([[1, 1]], [[2, 2]], [0, 1], (Reason.ONE_CLUSTER, Reason.ONE_CLUSTER)),
        ([[0, 0], [0, 0]], [[2, 2], [2, 2]], [0, 1], (Reason.NO_SPREAD, Reason.NO_FINITE_SOLUTION)),
        ([[2, 2], [2, 2]], [[2, 2], [2, 2]], [0, 1], (Reason.NO_SPREAD, Reason.NO_FINITE_SOLUTION)),
        ([[1, 0], [0, 1]], [[2, 0], [0, 2]], [0, 1], (Reason.UNSTABLE, Reason.UNSTABLE)),
    ],
)
def test_degenerate_cohorts_have_reasons(
    correct: list[list[int]], answers: list[list[int]], items: list[int], reasons: tuple[Reason, Reason]
) -> None:
    group = (
        sums(correct, answers)
        if correct
        else TaskSums(("a", "b"), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(2, dtype=np.int64))
    )
    found = cohort_theta(group, np.array(items), bank([0, 0]), 100, np.random.default_rng(1))
    assert (found[0].reason, found[1].reason) == reasons


@pytest.mark.parametrize("right", [True, False])
def test_a_cohort_with_every_answer_right_or_wrong_has_a_bound(right: bool) -> None:
    b = [0.3, -0.2]
    group = sums([[2, 3], [1, 1]] if right else [[0, 0], [0, 0]], [[2, 3], [1, 1]])
    _, found = cohort_theta(group, np.array([0, 1]), bank(b), 50, np.random.default_rng(1))
    assert (found.reason, math.isnan(found.value)) == (Reason.NO_FINITE_SOLUTION, True)
    end, other = (found.low, found.high) if right else (found.high, found.low)
    assert math.isnan(other)
    chance = [1 / (1 + math.exp((difficulty - end) * (1 if right else -1))) for difficulty in b]
    assert chance[0] ** 3 * chance[1] ** 4 == pytest.approx(0.025)
