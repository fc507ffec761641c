"""Estimators of Top by hand, against slow versions of themselves, and with too little to estimate."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import psychometrics as pm
from psychometrics.data.cohort import Cohort, Pairs, cohort_of
from psychometrics.inference.between_person import (
    between_person_sd,
    effective_lengths,
    own_abilities,
    paule_mandel,
    swings,
)
from psychometrics.inference.estimates import Reason
from psychometrics.irt.transform import Array
from psychometrics.measures.inputs import top_members
from psychometrics.top.crossfit import Order, crossfit, dealt, walked
from psychometrics.top.empirical_bayes import shrunken_abilities, top_eb
from psychometrics.top.null import exchanged, null_reference
from psychometrics.top.ranking import by_raw_mean, ranked, top_paper_curve
from tests.support.top_cohorts import CODES, cohort_rows, cohort_with, pairs_of

THREE = pairs_of([("A", 5.0), ("A", 3.0), ("B", 3.0), ("B", 1.0), ("C", 1.0), ("C", -1.0)])


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_the_spread_between_three_people_is_solved_by_hand() -> None:
    # Residuals are +-1: s1^2 = 6 / (6 - 3) = 2, v = 2 / 2 = 1. Q = 8 / (1 + t^2) = 2 gives t^2 = 3.
    own = own_abilities(THREE)
    found = between_person_sd(own)

    assert own.theta.tolist() == [4.0, 2.0, 0.0]
    assert own.s1_squared == pytest.approx(2)
    assert found.value == pytest.approx(math.sqrt(3), abs=1e-9)
    # The 97.5 % and 2.5 % points of chi^2 with two degrees are -2 ln 0.025 and -2 ln 0.975.
    assert found.low == pytest.approx(math.sqrt(8 / (-2 * math.log(0.025)) - 1), abs=1e-9)
    assert found.high == pytest.approx(math.sqrt(8 / (-2 * math.log(0.975)) - 1), abs=1e-9)


def test_empirical_bayes_shrinks_the_best_of_three_by_hand() -> None:
    # B = 3 / 4 and m = 2: theta^EB = 3.5, 2, 0.5. V = 3/4 + (1/4)^2 * 4/3.
    found = top_eb(own_abilities(THREE), CODES, 1)

    assert shrunken_abilities(own_abilities(THREE)).theta == pytest.approx([3.5, 2.0, 0.5], abs=1e-9)
    assert found.value == pytest.approx(3.5, abs=1e-9)
    assert found.se == pytest.approx(math.sqrt(0.75 + 4 / 48), abs=1e-9)


def test_crossfit_measures_the_better_person_on_the_answers_that_did_not_choose() -> None:
    pairs = pairs_of([("A", 5.0, 1.0), ("A", 3.0, 1.0), ("B", -5.0, 0.0), ("B", -3.0, 0.0)])

    crossed = crossfit(pairs, CODES, rng(), folds=2, splits=3)

    assert len(crossed.orders) == 6
    assert crossed.values([1, 2]) == pytest.approx([4.0, 0.0])


def test_crossfit_pays_for_luck_that_choosing_by_all_answers_rewards() -> None:
    # Everybody has one good and one bad answer: by halves the luckier half chooses and the other is measured.
    pairs = pairs_of([(code, y, p) for code in "ABCD" for y, p in ((4.0, 1.0), (-4.0, 0.0))])

    assert crossfit(pairs, CODES, rng(), folds=2).values([1]) == pytest.approx([-4.0], abs=1.0)


def test_ties_go_by_code() -> None:
    scores = np.array([0.5, 0.1 + 0.2, 0.5, 0.3])

    assert ranked(scores, ["d", "c", "b", "a"]).tolist() == [2, 0, 3, 1]


def test_the_order_of_equal_scores_does_not_break_a_tie() -> None:
    same = ([0.3, 0.2, 0.1], [0.1, 0.2, 0.3])
    cohort = cohort_with(
        [(code, f"p{j}", p) for code, own in zip("AB", same, strict=True) for j, p in enumerate(own)]
    )

    assert sum(same[0]) < sum(same[1])  # by rounding alone
    assert by_raw_mean(cohort).tolist() == [0, 1]
    assert top_members(cohort, 1).tolist() == [True, False]


def test_top_paper_by_size_is_the_pooled_ability_of_the_best() -> None:
    cohort = cohort_with([("A", "p1", 0.2), ("B", "p1", 0.5), ("B", "p2", 1.0), ("C", "x", 0.9)])
    order = by_raw_mean(cohort)

    assert order.tolist() == [2, 1, 0]  # C has no scored prompt with parameters, but a raw mean
    z = cohort.pairs.z
    expected = [math.nan, (z[1] + z[2]) / 2, z.sum() / 3]
    assert top_paper_curve(cohort.pairs, order, [1, 2, 3]) == pytest.approx(expected, nan_ok=True)


def naive_walk(order: Order, copies: Array, size: int) -> float:
    """The first `size` copies of people one by one."""
    line = [place for place, person in enumerate(order.people) for _ in range(int(copies[person]))][:size]
    if len(line) < size or not sum(order.below[place] for place in line):
        return math.nan
    return float(sum(order.above[place] for place in line) / sum(order.below[place] for place in line))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), people=st.integers(1, 60), sizes=st.lists(st.integers(1, 40), min_size=1))
def test_walking_down_an_order_equals_taking_copies_one_by_one(
    seed: int, people: int, sizes: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(people)[: rng.integers(1, people + 1)]
    below = rng.choice([0.0, 0.5, 2.0], len(chosen))
    order = Order(chosen, rng.normal(0, 1, len(chosen)) * below, below)
    copies = rng.multinomial(people, np.full(people, 1 / people), size=5).T.astype(float)

    found = walked(order, copies, sizes)

    expected = [[naive_walk(order, copies[:, r], size) for r in range(5)] for size in sizes]
    assert found == pytest.approx(np.array(expected), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("error", [1e-8, 1e-16, 1e-20, 1e-30])
def test_errors_next_to_nothing_leave_the_variance_of_the_abilities(error: float) -> None:
    for theta in rng().normal(0, 1, (50, 5)):
        found = paule_mandel(theta, np.full(5, error) * np.arange(1, 6))

        assert found.variance == pytest.approx(theta.var(ddof=1), rel=1e-6)


def test_folds_are_as_even_as_the_number_of_answers_allows() -> None:
    people = np.repeat([0, 1, 2], [20, 7, 1])

    fold = dealt(people, 3, 5, rng())

    assert np.bincount(fold[people == 0]).tolist() == [4] * 5
    assert sorted(np.bincount(fold[people == 1], minlength=5).tolist()) == [1, 1, 1, 2, 2]


def test_a_person_with_one_answer_is_not_chosen_in_the_fold_that_holds_it() -> None:
    pairs = pairs_of([("A", 1.0, 1.0), *[("B", 2.0, 0.5)] * 10])

    crossed = crossfit(pairs, CODES, rng(), splits=1)

    assert sorted(len(order.people) for order in crossed.orders) == [1, 2, 2, 2, 2]
    assert crossed.short == 1
    assert crossed.values([1]) == pytest.approx([2.0])  # A's folds hold nothing of A and are left out


def test_without_differences_between_prompts_exchanging_keeps_the_pooled_ability_of_all() -> None:
    null = null_reference(THREE, CODES, 3, 50, rng())

    assert null.drawn == pytest.approx(np.full(50, 2.0), abs=1e-12)
    assert null.share_as_high(2.1) == pytest.approx(1 / 51)


def test_where_all_draws_agree_there_is_no_interval_and_the_study_is_as_high_as_each() -> None:
    pairs = pairs_of([(code, 0.1 * n) for n, code in enumerate("AABBCC")])

    null = null_reference(pairs, CODES, 3, 50, rng())

    assert null.expected.reason == Reason.NO_SPREAD
    assert null.share_as_high(float(pairs.y[::-1].mean()) + 1e-15) == 1


def test_scores_are_exchanged_among_neighbours_in_expectation_only() -> None:
    pairs = pairs_of([("A", 0.0)] * 60)
    pairs = Pairs(**{**vars(pairs), "b": np.arange(60.0)})

    (source,) = exchanged(pairs, 20, rng())

    assert source.shape == (20, 60)
    assert (np.sort(source, axis=1) == np.arange(60)).all()
    assert np.abs(source - np.arange(60)).max() < 25


@pytest.mark.parametrize("rows", [
    [], [("A", 1.0)], [("A", 1.0), ("B", 2.0)],
])  # fmt: skip
def test_with_one_answer_a_person_or_none_no_error_is_made_up(rows: list[tuple[str, float]]) -> None:
    own = own_abilities(pairs_of(rows))

    assert math.isnan(between_person_sd(own).value)
    assert top_eb(own, CODES, 1).reason == (Reason.TOO_FEW_PAIRS if rows else Reason.NO_PAIRS)


def test_one_person_has_no_spread_and_no_interval() -> None:
    pairs = pairs_of([("A", 1.0), ("A", 2.0), ("A", 4.0)])

    assert between_person_sd(own_abilities(pairs)).reason == Reason.TOO_FEW_PEOPLE
    assert top_eb(own_abilities(pairs), CODES, 1).reason == Reason.TOO_FEW_PEOPLE
    found = crossfit(pairs, CODES, rng(), folds=2).estimates([1, 2], 100, rng())
    assert (found[0].reason, found[1].reason) == (Reason.ONE_CLUSTER, Reason.TOO_FEW_PEOPLE)


def test_identical_people_and_answers_have_no_spread_that_could_be_told() -> None:
    pairs = pairs_of([(code, 2.0) for code in "ABC" for _ in range(4)])
    own = own_abilities(pairs)

    assert between_person_sd(own).value == 0
    assert between_person_sd(own).reason == Reason.NO_VARIATION
    assert top_eb(own, CODES, 2).reason == Reason.NO_SPREAD
    assert top_eb(own, CODES, 2).value == 2
    found = crossfit(pairs, CODES, rng()).estimates([2], 100, rng())[0]
    assert found.value == pytest.approx(2)
    assert found.reason == Reason.NO_SPREAD


def test_people_who_differ_less_than_by_chance_get_no_interval_that_pretends_to_know() -> None:
    pairs = pairs_of([(code, y) for code in "ABCDEFGH" for y in (-5.0, 5.0)])

    found = between_person_sd(own_abilities(pairs))

    assert (found.value, found.reason) == (0.0, Reason.LESS_THAN_CHANCE)
    assert math.isnan(found.high)


def test_people_without_any_error_differ_by_their_plain_variance() -> None:
    assert paule_mandel(np.array([1.0, 3.0]), np.zeros(2)).variance == pytest.approx(2)


def everything(cohort: Cohort) -> list[float]:
    codes, pairs = [one.code for one in cohort.people], cohort.pairs
    own = own_abilities(pairs)
    estimates = [between_person_sd(own), top_eb(own, codes, 3)]
    estimates += crossfit(pairs, codes, rng()).estimates([3, 5], 50, rng())
    estimates.append(null_reference(pairs, codes, 3, 20, rng()).expected)
    curve = top_paper_curve(pairs, by_raw_mean(cohort), [1, 3])
    return [*curve, *(number for one in estimates for number in (one.value, one.low, one.high))]


def test_order_of_rows_unknown_prompts_and_people_without_answers_change_nothing() -> None:
    people, prompts, bank, rows = cohort_rows(people=12, answers=9, seed=4)
    before = everything(cohort_of(people=people, prompts=prompts, bank=bank, rows=rows))
    missing = (11, len(prompts) - 1, 1, 99, math.nan, math.nan, "skipped")  # an unknown prompt, not answered

    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    after = everything(cohort_of(people=people, prompts=prompts, bank=bank, rows=[*shuffled, missing]))

    assert after == pytest.approx(before, abs=1e-9)


def test_a_person_rests_on_few_answers_and_one_of_them_moves_much() -> None:
    pairs = pairs_of([("A", 0.0), ("A", 0.0), ("B", 0.0), ("B", 0.0)])
    pairs = Pairs(**{**vars(pairs), "a": np.array([1.0, 1.0, 2.0, 1.0])})

    # B: (4 + 1)^2 / (16 + 1) answers; an answer moves theta by a height / sum a^2.
    assert effective_lengths(pairs) == pytest.approx([2.0, 25 / 17])
    assert swings(pairs, 10.0) == pytest.approx([5.0, 5.0, 4.0, 2.0])


def test_the_spread_between_people_is_recovered_and_its_interval_holds_it() -> None:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(150):
        person = np.repeat(np.arange(60), 8)
        a = np.exp(rng.normal(0, 0.5, 480))
        y = a * rng.normal(0, 0.8, 60)[person] + rng.normal(0, 2, 480)
        nothing = np.zeros(480, dtype=np.int64)
        own = own_abilities(Pairs(person, np.arange(480), nothing, np.full(480, 0.5), a, np.zeros(480), y))
        found.append(between_person_sd(own))

    assert np.mean([one.value for one in found]) == pytest.approx(0.8, abs=0.04)
    assert 0.9 <= np.mean([one.low <= 0.8 <= one.high for one in found]) <= 0.99


def test_a_size_of_top_whose_people_have_full_scores_has_a_bound_and_no_number() -> None:
    """Of twelve people the best two have every answer right, and the third has not."""
    prompts = [f"q{n:02}" for n in range(10)]
    rows = [
        (f"p{i:02}", one, 1.0 if i < 2 else (i + n) % 3 / 2)
        for i in range(12)
        for n, one in enumerate(prompts)
    ]
    bank = pm.item_bank(prompts, [1.0] * 10, [n / 5 - 1 for n in range(10)])
    people, asked, scores = map(list, zip(*rows, strict=True))
    cohort = pm.cohort_from_columns(people, asked, scores, bank=bank)
    found = pm.measure(cohort, bank, blocks=["top"], top_size=3, resamples=50)
    sizes = {one.subset: one for one in found if one.name == "top.paper" and one.subset}
    assert [(name, one.people) for name, one in sizes.items()][:2] == [
        ("fraction:0.15", 2),
        ("fraction:0.25", 3),
    ]
    for name in ("top.paper", "top.paper.ql", "top.crossfit5", "top.eb"):
        of_two = found.find(name, subset="fraction:0.15").estimate
        assert (of_two.known, of_two.reason) == (False, Reason.NO_FINITE_SOLUTION)
        assert found.find(name, subset="fraction:0.25").estimate.known
    assert repr(found.find("top.paper", subset="fraction:0.15").estimate).startswith("above ")
