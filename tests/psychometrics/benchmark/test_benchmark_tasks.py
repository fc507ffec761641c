"""A cohort on a benchmark with tasks, by hand and at the edges."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from psychometrics.benchmark.chance import bbh_tasks, corrected, corrected_macro_estimate, guessing_rate
from psychometrics.benchmark.matched import placed, thinned
from psychometrics.benchmark.tasks import (
    TaskSums,
    harmonic,
    harmonic_estimate,
    harmonics,
    macro_estimate,
    micro_estimate,
    task_estimate,
    task_sums,
)
from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.clusters import linear_estimate, t_quantile
from psychometrics.inference.estimates import Reason

Row = tuple[int, int, float]


def cohort(rows: list[Row], people: int = 3, tasks: str = "aabb") -> Cohort:
    """Rows of (person, prompt, p); the prompts 0, 1, ... are of the tasks named by the letters."""
    prompts = [AskedPrompt(f"q{j}", task=task) for j, task in enumerate(tasks)]
    outcome = {True: Outcome.UNSCORED, False: Outcome.SCORED}
    return cohort_of(
        people=[Person(f"P{i}") for i in range(people)],
        prompts=prompts,
        bank=None,
        rows=[(i, j, 1, 1, p, p, str(outcome[math.isnan(p)])) for i, j, p in rows],
    )


ROWS: list[Row] = [
    (0, 0, 1),
    (0, 1, 1),
    (0, 2, 0),
    (1, 0, 0),
    (1, 2, 1),
    (1, 3, 0),
    (2, 1, 1),
    (2, 3, math.nan),
]


def test_accuracies_and_their_clustered_errors_are_those_computed_by_hand() -> None:
    sums = task_sums(cohort(ROWS))
    assert sums.accuracy == pytest.approx([75, 100 / 3])
    assert list(sums.questions) == [2, 2]
    one = task_estimate(sums, 0)
    # deviations of task a: person 0 2 - 1.5, person 1 0 - 0.75, person 2 1 - 0.75; of 4 answers 2, 1 and 1
    by_hand = 100 * math.sqrt(0.5**2 / 0.5 + 0.75**2 / 0.75 + 0.25**2 / 0.75) / 4
    assert one.se == pytest.approx(by_hand)
    between = 4 * (0.5 * 0.25) ** 2 / (0.5 * 0.75) + 2 * 0.25**4 / 0.75**2
    df = 1 / (0.5**2 + 2 * 0.25**2 + between)
    assert one.high == pytest.approx(min(75 + t_quantile(0.95, df) * by_hand, 100))
    assert one.low == pytest.approx(max(75 - t_quantile(0.95, df) * by_hand, 0))
    assert micro_estimate(sums).value == pytest.approx(100 * 4 / 7)
    assert macro_estimate(sums).value == pytest.approx((75 + 100 / 3) / 2)
    assert harmonic_estimate(sums).value == pytest.approx(2 / (1 / 76 + 1 / (100 / 3 + 1)))


def test_the_error_of_the_mean_over_answers_is_that_of_a_clustered_mean() -> None:
    group = cohort(ROWS)
    expected = linear_estimate(np.ones(len(group)), 100 * group.p, group.person).estimate
    found = micro_estimate(task_sums(group))
    assert (found.value, found.se) == pytest.approx((expected.value, expected.se))
    assert (expected.low < 0, found.low) == (True, 0)  # no accuracy is below 0


def test_the_harmonic_mean_is_jackknifed_over_participants() -> None:
    sums = task_sums(cohort(ROWS))
    without = []
    for i in range(3):
        left = [row for row in ROWS if row[0] != i]
        without.append(harmonic(task_sums(cohort(left)).accuracy))
    spread = sum((value - np.mean(without)) ** 2 for value in without)
    assert harmonic_estimate(sums).se == pytest.approx(math.sqrt(2 / 3 * spread))


@pytest.mark.parametrize("order", [list(reversed(ROWS)), ROWS[3:] + ROWS[:3]])
def test_the_order_of_rows_an_empty_person_and_an_unasked_task_change_nothing(order: list[Row]) -> None:
    plain, other = task_sums(cohort(ROWS)), task_sums(cohort(order, people=5, tasks="aabbc"))
    for estimate in (macro_estimate, micro_estimate, harmonic_estimate):
        assert estimate(plain) == estimate(other)


@pytest.mark.parametrize(
    ("rows", "value", "reason"),
    [
        ([], math.nan, Reason.NO_PAIRS),
        ([(0, 0, math.nan)], math.nan, Reason.NO_PAIRS),
        ([(0, 0, 1), (0, 2, 0)], 50, Reason.ONE_CLUSTER),
        ([(0, 0, 0), (1, 0, 0)], 0, Reason.NO_SPREAD),
        ([(0, 0, 1), (1, 0, 1)], 100, Reason.NO_SPREAD),
    ],
)
def test_degenerate_cohorts_have_a_reason_instead_of_an_interval(
    rows: list[Row], value: float, reason: Reason
) -> None:
    sums = task_sums(cohort(rows))
    found = macro_estimate(sums)
    assert found.value == pytest.approx(value, nan_ok=True)
    assert (found.reason, micro_estimate(sums).reason) == (reason, reason)
    assert math.isnan(harmonic_estimate(sums).se)


def test_a_harmonic_mean_that_loses_a_task_with_a_person_has_no_error() -> None:
    assert harmonic_estimate(task_sums(cohort([(0, 0, 1), (1, 2, 0)]))).reason == Reason.UNSTABLE


def test_the_clustered_interval_covers_the_truth_where_people_differ() -> None:
    rng, covered = np.random.default_rng(3), 0
    for _ in range(300):
        ability = rng.normal(0, 1, (30, 1)) + np.zeros((30, 4))
        right = rng.random((30, 4)) < 1 / (1 + np.exp(-ability))
        one = np.ones((30, 4))
        found = macro_estimate(TaskSums(("a", "b", "c", "d"), right.astype(float), one, np.full(4, 30)))
        covered += found.low <= 50 <= found.high
    assert 0.91 <= covered / 300 <= 0.98


def test_three_variants_of_bbh_are_one_task_and_others_stay() -> None:
    names = ["logical_deduction_three_objects", "logical_deduction_five_objects", "navigate"]
    assert bbh_tasks(names) == ["logical_deduction", "logical_deduction", "navigate"]
    sums = task_sums(cohort(ROWS)).merged(["x", "x"])
    assert sums.accuracy == pytest.approx([400 / 7])


@pytest.mark.parametrize(
    ("text", "answer", "rate"),
    [
        ("Which?\nOptions:\n(A) one\n(B) two\n(C) three", "(A)", 1 / 3),
        ("Did it?\nOptions:\n- Yes\n- No", "Yes", 1 / 2),
        ("not ( True ) is", "False", 1 / 2),
        ("- a list\n- of things. How many?", "7", 0.0),
    ],
)
def test_what_guessing_gives_follows_from_the_question(text: str, answer: str, rate: float) -> None:
    assert guessing_rate([(text, answer)]) == pytest.approx(rate)


def test_an_accuracy_below_guessing_stays_below_zero() -> None:
    assert corrected(np.array([50.0, 20.0]), np.array([0.5, 0.25])) == pytest.approx([0, -20 / 3])
    found = corrected_macro_estimate(task_sums(cohort(ROWS)), np.array([0.5, np.nan]))
    assert found.value == pytest.approx(50)  # of task a alone: (75 - 50) / 0.5
    assert found.se == pytest.approx(task_estimate(task_sums(cohort(ROWS)), 0).se / 0.5)
    assert -100 <= found.low < found.high <= 100  # what nothing right and everything right would give


def test_chance_corrected_means_of_the_published_table_are_those_of_the_design(shared_data: Path) -> None:
    table = json.loads((shared_data / "bbeh" / "paper_table2.json").read_text())
    accuracy = np.array([table["accuracy_percent"][task] for task in table["tasks"]], dtype=np.float64)
    random = accuracy[:, [table["models"].index("Random")]] / 100
    expected = [0, 4.2, 2.5, 7.7, 3.2, 9.0, 11.9, 12.8, 17.5, 15.9, 12.1, 29.1, 49.1]
    assert corrected(accuracy, random).mean(axis=0) == pytest.approx(expected, abs=0.051)


def test_few_questions_pull_the_harmonic_mean_down_as_far_as_the_design_states(shared_data: Path) -> None:
    table = json.loads((shared_data / "bbeh" / "paper_table2.json").read_text())
    place = table["models"].index("o3-mini (high)")
    accuracy = np.array([table["accuracy_percent"][task][place] for task in table["tasks"]])
    rng = np.random.default_rng(1)
    for questions, mean in ((5, 15.2), (10, 30.3), (20, 39.2), (50, 43.1), (200, 44.4)):
        drawn = harmonics(thinned(accuracy, None, np.full(23, questions), rng, draws=4000))
        assert drawn.mean() == pytest.approx(mean, abs=0.9)


def test_thinning_to_all_questions_of_a_task_changes_nothing_and_gaps_stay() -> None:
    drawn = thinned(
        np.array([30.0, np.nan, 50.0]),
        np.array([10, 10, 10]),
        np.array([10, 10, 0]),
        np.random.default_rng(1),
    )
    assert (drawn[:, 0] == 30).all()
    assert np.isnan(drawn[:, 1:]).all()


def test_people_with_more_answers_than_the_task_has_questions_meet_the_whole_task() -> None:
    drawn = thinned(np.array([30.0]), np.array([10]), np.array([60]), np.random.default_rng(1))
    assert (drawn == 30).all()


def test_a_cohort_is_placed_among_the_draws_with_ties_counted_half() -> None:
    found = placed(np.array([1.0, 2.0, 2.0, 3.0]), own=2.0)
    assert found.share_below == pytest.approx(0.5)
    assert found.estimate.value == pytest.approx(2)
    assert math.isnan(placed(np.array([np.nan]), own=2.0).share_below)
