"""Missing answers: reasons, thetas under assumptions, the test of Top, and the model of what is missing."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.estimates import Estimate, Reason
from psychometrics.inference.first_error import group_theta
from psychometrics.inference.logistic import is_separated, logistic_regression, separates_alone
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform
from psychometrics.missing.outcomes import (
    absence_test,
    answered_shares,
    is_absent,
    missing_model,
    outcome_counts,
)
from psychometrics.missing.scores import (
    Predicted,
    at_bound,
    zero_for_left,
)

SQUEEZE = Transform(0.998, 0.001)


def theta_of(name: str, cohort: Cohort) -> Estimate:
    return group_theta(name, cohort.pairs, cohort.transform, nested=True).estimate


EDGE = math.log(999)  # y of a score of 1
Row = tuple[int, int, float | str]


def cohort(rows: list[Row], a: list[float], b: list[float], modality: str = "") -> Cohort:
    """Rows of (person, prompt, score or outcome); batches of their own, positions by prompt."""
    names = tuple(f"p{j}" for j in range(len(a)))
    bank = ItemBank(names, np.array(a), np.array(b), ("",) * len(a), SQUEEZE, 2.5)
    return cohort_of(
        people=[Person(f"c{i}") for i in range(max(row[0] for row in rows) + 1)],
        prompts=[
            AskedPrompt(name, modality=modality[j] if modality else "text") for j, name in enumerate(names)
        ],
        bank=bank,
        rows=[
            (i, j, i, j + 1, *((math.nan, math.nan, got) if isinstance(got, str) else (got, got, "scored")))
            for i, j, got in rows
        ],
    )


def score(y: float) -> float:
    return float(SQUEEZE.to_score(np.array([y]))[0])


@pytest.fixture
def mixed() -> Cohort:
    """One of each outcome; a = 1 and b = 0, so that theta is a mean of logits."""
    rows: list[Row] = [
        (0, 0, score(2)), (0, 1, score(2)), (0, 2, "skipped"), (0, 3, "not_reached"),
        (1, 0, score(-2)), (1, 1, score(-2)), (1, 2, "unscored"), (1, 3, "not_submitted"),
    ]  # fmt: skip
    return cohort(rows, [1.0] * 4, [0.0] * 4)


def test_reasons_are_kept_apart_and_the_judges_is_not_the_persons(mixed: Cohort) -> None:
    assert outcome_counts(mixed) == {
        Outcome.SCORED: 4, Outcome.UNSCORED: 1, Outcome.SKIPPED: 1, Outcome.NOT_REACHED: 1,
        Outcome.NOT_SUBMITTED: 1,
    }  # fmt: skip
    assert is_absent(mixed).sum() == 3
    assert answered_shares(mixed).tolist() == [0.5, 0.75]


def test_only_skipped_and_not_reached_count_as_zero(mixed: Cohort) -> None:
    assert theta_of("theta.pool", mixed).value == pytest.approx(0.0, abs=1e-12)
    # Four answers sum to 0, two more have y = -6.907.
    assert theta_of("theta.pool", zero_for_left(mixed)).value == pytest.approx(-2 * EDGE / 6, abs=1e-12)
    # By prompt means: prompts 0 and 1 have mean 0.5, prompts 2 and 3 only the first person's zero.
    assert theta_of("theta.prompt", zero_for_left(mixed)).value == pytest.approx(-EDGE / 2, abs=1e-12)


def test_bounds_take_every_place_without_a_score(mixed: Cohort) -> None:
    low, high = (theta_of("theta.pool", at_bound(mixed, edge)).value for edge in (0.0, 1.0))
    assert (low, high) == pytest.approx((-EDGE / 2, EDGE / 2), abs=1e-12)
    observed = theta_of("theta.pool", mixed).value
    assert low <= observed <= high


def test_delta_is_what_each_gap_falls_short_of_the_persons_own_expectation(mixed: Cohort) -> None:
    predicted = Predicted(mixed)
    # P = 4 and -4, t2 = (32 - 16) / (8 - 4) = 4; d2 = (0 - 16) / 4 -> 0; s2 = 4 - 4 = 0: theta_i = 2 and -2.
    assert predicted.theta.tolist() == pytest.approx([2.0, -2.0], abs=1e-12)
    assert predicted.theta_pool(mixed, 0.0).value == pytest.approx(0.0, abs=1e-12)
    assert predicted.theta_pool(mixed, 4.0).value == pytest.approx(-4 * 4 / 8, abs=1e-12)
    first = mixed.of_people(np.array([True, False]))
    assert predicted.theta_pool(first, 1.0).value == pytest.approx((8 - 2) / 4, abs=1e-12)
    # Prompts 2 and 3 have the scores of y = 1 and of y = -3: means of scores, then logits.
    mean = SQUEEZE.to_logit(np.array([(score(1) + score(-3)) / 2]))[0]
    assert predicted.theta_prompt(mixed, 1.0).value == pytest.approx(mean / 2, abs=1e-12)


def test_theta_ql_takes_gaps_as_scores_of_its_own_scale(mixed: Cohort) -> None:
    """With a = 1 and b = 0 theta_QL is the logit of the mean score."""
    known, high = 2 * score(2) + 2 * score(-2), score(2)
    low, up = (theta_of("theta.ql", at_bound(mixed, edge)).value for edge in (0.0, 1.0))
    assert (low, up) == pytest.approx((logit(known / 8), logit((known + 4) / 8)), abs=1e-10)
    assert theta_of("theta.ql", zero_for_left(mixed)).value == pytest.approx(logit(known / 6), abs=1e-10)
    # s = +-e, w = 1/4: t2 = (8 e^2 - 4 e^2) / (1/2 - 1/4) = 16 e^2, phi = 4 e^2 - 16 e^2 / 4 = 0: u = +-4 e
    ability, predicted = 4 * (high - 0.5), Predicted(mixed)
    gap, other = (expit(own - 1) for own in (ability, -ability))
    assert predicted.theta_ql(mixed, 0.0).value == pytest.approx(0.0, abs=1e-10)
    assert predicted.theta_ql(mixed, 1.0).value == pytest.approx(
        logit((known + 2 * gap + 2 * other) / 8), abs=1e-10
    )
    assert predicted.theta_ql(mixed, 50.0).value == pytest.approx(low, abs=1e-6)


def test_with_nothing_missing_every_assumption_gives_the_same() -> None:
    rng = np.random.default_rng(1)
    whole = cohort(
        [(i, j, float(rng.random())) for i in range(5) for j in range(4)],
        [1.0, 0.5, 2.0, 1.5],
        [0.0, 1, 2, 3],
    )
    value = theta_of("theta.pool", whole).value
    by_prompt = theta_of("theta.prompt", whole).value
    predicted = Predicted(whole)
    for other in (zero_for_left(whole), at_bound(whole, 0.0), at_bound(whole, 1.0)):
        assert theta_of("theta.pool", other).value == value
        assert theta_of("theta.prompt", other).value == by_prompt
    assert predicted.theta_pool(whole, 4.0).value == pytest.approx(value, abs=1e-12)
    assert predicted.theta_prompt(whole, 4.0).value == pytest.approx(by_prompt, abs=1e-12)


def test_nothing_scored_has_reasons_and_bounds() -> None:
    empty = cohort([(0, 0, "skipped"), (1, 0, "not_reached")], [1.0], [0.0])
    assert theta_of("theta.pool", empty).reason is not None
    assert theta_of("theta.prompt", empty).reason == Reason.NOTHING_SCORED
    assert Predicted(empty).theta_pool(empty, 1.0).reason == Reason.NOTHING_SCORED
    assert theta_of("theta.pool", at_bound(empty, 0.0)).reason == Reason.NO_FINITE_SOLUTION
    one = cohort([(0, 0, 0.5), (0, 1, "skipped")], [1.0, 1.0], [0.0, 0.0])
    assert Predicted(one).theta_pool(one, 0.0).reason == Reason.TOO_FEW_PAIRS
    assert Predicted(one).theta_ql(one, 0.0).reason == Reason.TOO_FEW_PAIRS
    assert theta_of("theta.ql", empty).reason == Reason.NOTHING_SCORED
    assert theta_of("theta.ql", at_bound(empty, 0.0)).reason == Reason.NO_FINITE_SOLUTION


def test_a_prompt_without_parameters_and_a_person_without_rows_change_no_theta(mixed: Cohort) -> None:
    rows: list[Row] = [
        (int(i), int(j), float(p) if not math.isnan(p) else str(what))
        for i, j, p, what in zip(mixed.person, mixed.prompt, mixed.p, mixed.outcome, strict=True)
    ]
    more = cohort([*rows[::-1], (0, 4, 0.9), (2, 4, "skipped")], [1.0] * 4 + [math.nan], [0.0] * 5)
    for change in (zero_for_left, lambda one: at_bound(one, 0.0), lambda one: one):
        assert theta_of("theta.pool", change(more)).value == theta_of("theta.pool", change(mixed)).value
    assert Predicted(more).theta_pool(more, 2.0).value == Predicted(mixed).theta_pool(mixed, 2.0).value


def test_the_published_counts_of_top_give_their_published_probability() -> None:
    # 258 of 3,900 answers missing in the cohort, 33 of 300 among the Top 15 (GIM paper): p = 0.003.
    missing = {
        i: 33 // 15 + (i < 33 % 15) if i < 15 else (225 // 180 + (i - 15 < 225 % 180)) for i in range(195)
    }
    rows: list[Row] = [(i, j, "skipped" if j < missing[i] else 0.5) for i in range(195) for j in range(20)]
    whole = cohort(rows, [1.0] * 20, [0.0] * 20)
    found = absence_test(whole.of_people(np.arange(195) < 15), whole)
    assert (found.absent, found.places) == (33, 300)
    assert found.share_of_whole == pytest.approx(258 / 3900)
    assert found.p.value == pytest.approx(0.003, abs=0.001)


def test_the_test_of_top_needs_people_and_something_missing(mixed: Cohort) -> None:
    nobody = mixed.of_people(np.array([False, False]))
    assert absence_test(nobody, mixed).p.reason == Reason.TOO_FEW_PEOPLE
    full = cohort([(0, 0, 0.5), (1, 0, 0.5)], [1.0], [0.0])
    assert absence_test(full, full).p.reason == Reason.NO_VARIATION


def test_logistic_coefficients_worked_out_on_paper() -> None:
    # 1 of 4 against 2 of 4: log odds -log 3, and their difference log 3. Every row is its own cluster.
    x = np.array([[1.0, 0.0]] * 4 + [[1.0, 1.0]] * 4)
    y = np.array([1.0, 0, 0, 0, 1, 1, 0, 0])
    found = logistic_regression(x, y, np.arange(8))
    assert [one.value for one in found.coefficients] == pytest.approx([-math.log(3), math.log(3)], abs=1e-9)
    # Robust variance of a log odds from n rows is 1 / (n p (1 - p)); each row weighs 1/4 in its group's fit.
    expected = [math.sqrt(4 / 3 / 0.75), math.sqrt(4 / 3 * (1 / 0.75 + 1))]
    assert [one.se for one in found.coefficients] == pytest.approx(expected, abs=1e-9)


def test_logistic_recovers_what_was_put_in_and_its_errors_cover_it() -> None:
    rng, truth, covered, errors = np.random.default_rng(5), np.array([-2.0, 0.5]), [], []
    for _ in range(60):
        person = np.repeat(np.arange(100), 10)
        x = np.stack([np.ones(1000), rng.normal(size=1000)], axis=1)
        chance = 1 / (1 + np.exp(-(x @ truth + rng.normal(0, 0.5, 100)[person])))
        found = logistic_regression(x, (rng.random(1000) < chance).astype(float), person).coefficients[1]
        covered.append(found.low <= 0.5 <= found.high)
        errors.append(found.value - 0.5)
    assert np.mean(covered) >= 0.88
    assert float(np.mean(errors)) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([0, 1, 2, 3], [0, 0, 1, 1], Reason.SEPARATED),  # complete
        ([0, 1, 1, 2], [0, 0, 1, 1], Reason.SEPARATED),  # quasi-complete
        ([0, 1, 2, 3], [0, 0, 0, 0], Reason.NO_VARIATION),
        ([0, 1, 2, 3], [1, 1, 1, 1], Reason.NO_VARIATION),
        ([2, 2, 2, 2], [0, 1, 0, 1], Reason.NO_VARIATION),  # the same as the intercept
        ([], [], Reason.NO_VARIATION),
    ],
)
def test_logistic_regression_without_a_finite_estimate_says_why(
    x: list[float], y: list[float], reason: Reason
) -> None:
    columns = np.stack([np.ones(len(x)), np.array(x, dtype=np.float64)], axis=1)
    found = logistic_regression(columns, np.array(y, dtype=np.float64), np.arange(len(x)))
    assert {one.reason for one in found.coefficients} == {reason}
    assert all(math.isnan(one.value) for one in found.coefficients)


def test_overlap_is_no_separation_and_one_person_gives_no_interval() -> None:
    x, y = np.array([[1.0, 0], [1, 1], [1, 2], [1, 3]]), np.array([0.0, 1, 0, 1])
    assert not is_separated(x, y)
    found = logistic_regression(x, y, np.zeros(4))
    assert {one.reason for one in found.coefficients} == {Reason.ONE_CLUSTER}
    assert not any(math.isnan(one.value) for one in found.coefficients)


def test_a_threshold_on_one_term_is_found_without_a_programme_of_all_rows() -> None:
    position = np.tile(np.arange(1.0, 21.0), 3000)
    x = np.stack([np.ones(60_000), np.random.default_rng(1).normal(0, 3, 60_000), position], axis=1)

    assert separates_alone(x, (position > 15).astype(float))
    assert separates_alone(x, (position <= 15).astype(float))
    assert not separates_alone(x, (position % 2).astype(float))
    assert not separates_alone(x[:, 1:], (position > 15).astype(float))


def test_people_who_all_leave_the_same_give_odds_without_an_interval() -> None:
    once, left = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 1.0])
    x = np.stack([np.ones(12), np.tile(once, 3)], axis=1)

    found = logistic_regression(x, np.tile(left, 3), np.repeat([0, 1, 2], 4))

    assert [one.reason for one in found.coefficients] == [Reason.NO_SPREAD] * 2
    assert found.coefficients[1].value > 0


def test_hard_and_late_prompts_that_are_left_show_as_odds_above_one() -> None:
    rng, b = np.random.default_rng(6), np.linspace(-3, 3, 20)
    rng.shuffle(b)
    rows: list[Row] = []
    for i in range(150):
        chance = 1 / (1 + np.exp(3 - 0.4 * b - 0.05 * np.arange(1, 21)))
        rows += [(i, j, "skipped" if rng.random() < chance[j] else 0.5) for j in range(20)]
    found = {one.term: one for one in missing_model(cohort(rows, [1.0] * 20, b.tolist(), "tti" * 6 + "tt"))}
    assert found["b"].ratio.low <= math.exp(0.4) <= found["b"].ratio.high
    assert found["position"].ratio.low <= math.exp(0.05) <= found["position"].ratio.high
    assert found["modality:i"].ratio.low <= 1 <= found["modality:i"].ratio.high
    assert found["modality:i"].compared_with == "t"
    assert found["b"].clusters == 150


def test_a_modality_that_nobody_left_has_no_odds_ratio_and_takes_none_from_the_others() -> None:
    rng = np.random.default_rng(7)
    rows: list[Row] = [
        (i, j, "skipped" if j < 8 and rng.random() < 0.3 else 0.5) for i in range(40) for j in range(10)
    ]
    found = {
        one.term: one for one in missing_model(cohort(rows, [1.0] * 10, list(range(10)), "t" * 8 + "ii"))
    }
    assert found["modality:i"].ratio.reason == Reason.SEPARATED
    assert found["b"].ratio.reason == Reason.NO_VARIATION  # b and position are the same here
    found = {
        one.term: one
        for one in missing_model(cohort(rows, [1.0] * 10, [0, 3, 1, 2, 5, 4, 0, 1, 2, 3], "t" * 8 + "ii"))
    }
    assert found["b"].ratio.reason is None
    assert found["position"].n == 320


def test_nothing_missing_has_no_model() -> None:
    full = cohort([(i, j, 0.5) for i in range(3) for j in range(3)], [1.0] * 3, [0.0, 1.0, 2.0])
    assert {one.ratio.reason for one in missing_model(full)} == {Reason.NO_VARIATION}
