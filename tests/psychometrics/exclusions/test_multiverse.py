"""Specifications: a hand-computed study, the simulated one, and studies that do not allow them."""

from math import log

import numpy as np
import pytest

from benchmarks.measurement.multiverse import (
    simulated_bank,
    simulated_study,
    simulator_mean,
    specifications_of,
)
from psychometrics.data.cohort import Cohort, Mask, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.exclusions.itt import intention_to_treat
from psychometrics.exclusions.multiverse import (
    Choice,
    Specification,
    effects,
    lowest_ranks,
    not_judged,
    specifications,
    spread_of,
)
from psychometrics.exclusions.rules import DECLARED, ExclusionFacts, removed_by
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Reason
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import theta_ql
from psychometrics.irt.responses import dgp_r_table
from psychometrics.irt.transform import Transform
from psychometrics.measures.blocks.exclusions import NAMES, multiverse_measures

NAN = float("nan")
ONE = log(0.999 / 0.001)  # y of a full score
BANK = ItemBank(
    ("p0", "p1"), np.array([1.0, 2.0]), np.array([0.0, 1.0]), ("", ""), Transform(0.998, 0.001), 2.0
)
Rows = list[tuple[int, int, float, Outcome]]
ROWS: Rows = [
    (0, 0, 1.0, Outcome.SCORED), (0, 1, 0.5, Outcome.SCORED),
    (1, 0, 0.0, Outcome.SCORED), (1, 1, NAN, Outcome.SKIPPED),
    (2, 0, NAN, Outcome.UNSCORED), (2, 1, NAN, Outcome.NOT_REACHED),
]  # fmt: skip


def cohort(rows: Rows = ROWS, *, people: int = 3, excluded: int = -1) -> Cohort:
    return cohort_of(
        people=[Person(f"P{i}", retained=i != excluded) for i in range(people)],
        prompts=[AskedPrompt("p0"), AskedPrompt("p1")],
        bank=BANK,
        rows=[(person, prompt, 1, prompt + 1, p, p, outcome) for person, prompt, p, outcome in rows],
    )


def masks(*removed: tuple[int, ...]) -> dict[str, Mask]:
    return {f"rule{n}": np.isin(np.arange(3), gone) for n, gone in enumerate(removed)}


def values(found: list[Specification], group: str) -> dict[tuple[str, str, str], float]:
    return {(one.rule, one.missing, one.aggregation): getattr(one, group).theta.value for one in found}


def test_four_specifications_of_one_rule_are_those_computed_by_hand() -> None:
    """With y +-ONE for scores of 1 and 0, and 0 for a half: theta = sum a (y + a b) / sum a^2."""
    found = values(list(specifications(cohort(), masks(()), 1)), "average")
    zero_mean = log((0.998 / 6 + 0.001) / (1 - 0.998 / 6 - 0.001))  # prompt 1: (0.5 + 0 + 0) / 3
    assert found == pytest.approx(
        {
            ("rule0", "as_missing", "pooled"): (ONE - ONE + 2 * (0 + 2)) / 6,
            ("rule0", "as_missing", "by_prompt"): (0 + 2 * (0 + 2)) / 5,
            ("rule0", "as_zero", "pooled"): (0 + 2 * (2 + (2 - ONE) * 2)) / 14,
            ("rule0", "as_zero", "by_prompt"): (0 + 2 * (zero_mean + 2)) / 5,
        }
    )


def test_theta_ql_of_each_specification_is_that_of_its_rows() -> None:
    """Pooled, rows are answers; by prompt, they are mean scores of prompts: 1/2 (of 1 and 0), and 1/2."""
    found = {
        (str(one.missing), str(one.aggregation)): one.average.ql.value
        for one in specifications(cohort(), masks(()), 1)
    }
    a, b = BANK.a, BANK.b
    assert found == pytest.approx(
        {
            ("as_missing", "pooled"): theta_ql(a[[0, 0, 1]], b[[0, 0, 1]], [1.0, 0, 0.5]),
            ("as_missing", "by_prompt"): theta_ql(a, b, [0.5, 0.5]),
            ("as_zero", "pooled"): theta_ql(a[[0, 0, 1, 1, 1]], b[[0, 0, 1, 1, 1]], [1.0, 0, 0.5, 0, 0]),
            ("as_zero", "by_prompt"): theta_ql(a, b, [0.5, 0.5 / 3]),
        },
        abs=1e-11,
    )


def test_full_credit_throughout_has_no_theta_ql_and_says_why() -> None:
    one = next(iter(specifications(cohort([(0, 0, 1.0, Outcome.SCORED)]), masks(()), 1)))
    assert one.average.ql.reason == Reason.NO_FINITE_SOLUTION
    assert not np.isnan(one.average.theta.value)
    assert spread_of([one], "average", "ql") is None


def test_nobody_left_out_has_all_three_thetas() -> None:
    found = {one.name: one.estimate for one in intention_to_treat(cohort(), None, nested=True)}
    assert list(found) == ["theta.prompt", "theta.pool", "theta.ql"]
    quasi = theta_ql(BANK.a[[0, 0, 1]], BANK.b[[0, 0, 1]], [1.0, 0, 0.5])
    assert found["theta.ql"].value == pytest.approx(quasi, abs=1e-11)
    assert found["theta.ql"].se > 0


def test_top_is_selected_again_under_every_specification() -> None:
    found = list(specifications(cohort(), masks((), (0,)), 1))
    by_rule = {(one.rule, str(one.missing)): one.top for one in found if one.aggregation == "pooled"}
    assert by_rule["rule0", "as_missing"].theta.value == pytest.approx((ONE + 4) / 5)
    assert (
        by_rule["rule1", "as_missing"].theta.reason == Reason.TOO_FEW_PEOPLE
    )  # one is left, who is everybody
    assert by_rule["rule1", "as_zero"].theta.value == pytest.approx((-ONE + 2 * (2 - ONE)) / 5)


def test_everybody_is_no_top_and_says_why() -> None:
    found = list(specifications(cohort(), masks(()), 2))
    top = {str(one.missing): one.top.theta for one in found}
    assert np.isnan(top["as_missing"].value)  # two people have a score
    assert top["as_missing"].reason == Reason.TOO_FEW_PEOPLE
    assert not np.isnan(top["as_zero"].value)  # a prompt that was not reached counts as 0


def test_nobody_kept_is_nothing_scored() -> None:
    found = next(iter(specifications(cohort(), masks((0, 1, 2)), 1)))
    assert (found.average.theta.reason, found.average.people) == (Reason.NOTHING_SCORED, 0)


def test_answers_that_were_never_judged_leave_no_number_where_they_would_count() -> None:
    study = cohort(excluded=2)
    assert not_judged(study).tolist() == [False, False, True]
    found = {one.rule: one for one in specifications(study, masks((), (2,)), 1)}
    assert found["rule0"].average.theta.reason == found["rule0"].top.theta.reason == Reason.NOT_JUDGED
    assert not np.isnan(found["rule1"].average.theta.value)


def test_rules_that_are_not_measurable_take_no_part_in_the_spread() -> None:
    found = list(specifications(cohort(excluded=2), masks((), (2,), (1, 2)), 1))
    spread = spread_of(found, "average")
    assert spread is not None
    assert spread.specifications == 8
    assert spread_of(found[:4], "average") is None


def test_shares_of_a_table_without_interactions_are_those_of_its_effects() -> None:
    rule, missing, aggregation = np.array([0.0, 3.0]), np.array([0.0, 2.0]), np.array([0.0, 1.0])
    table = rule[:, None, None] + missing[:, None] + aggregation
    shares, interactions = effects(table)
    assert shares == pytest.approx(
        {Choice.EXCLUSION: 9 / 14, Choice.MISSING: 4 / 14, Choice.AGGREGATION: 1 / 14}
    )
    assert interactions == pytest.approx(0, abs=1e-12)


def test_what_main_effects_do_not_explain_is_called_interactions() -> None:
    table = np.zeros((2, 2, 2))
    table[0, 0], table[1, 1] = 1, 1
    shares, interactions = effects(table)
    assert list(shares.values()) == pytest.approx([0, 0, 0])
    assert interactions == pytest.approx(1)


@pytest.mark.parametrize("value", [0.0, -2.1])
def test_equal_specifications_have_no_shares(value: float) -> None:
    shares, interactions = effects(np.full((9, 2, 2), value))
    assert np.isnan([*shares.values(), interactions]).all()


def test_a_study_without_anybody_has_reasons_throughout() -> None:
    nobody = cohort([], people=0)
    empty = np.zeros(0)
    facts = ExclusionFacts(empty, empty, empty, empty, np.zeros(0, dtype=bool))
    found = list(specifications(nobody, removed_by(DECLARED, facts, lowest_ranks(nobody)), 15))
    assert {one.average.theta.reason for one in found} == {Reason.NOTHING_SCORED}
    assert {one.top.theta.reason for one in found} == {Reason.TOO_FEW_PEOPLE}
    assert spread_of(found, "average") is None


def test_identical_people_leave_nothing_to_choose() -> None:
    same = [(i, j, 0.5, Outcome.SCORED) for i in range(3) for j in range(2)]
    spread = spread_of(list(specifications(cohort(same), masks((), (0,)), 1)), "average")
    assert spread is not None
    assert spread.low == pytest.approx(spread.high)
    assert np.isnan(spread.interactions)


def test_order_of_rows_unknown_items_and_empty_people_change_nothing() -> None:
    expected = list(specifications(cohort(), masks(()), 1))
    assert list(specifications(cohort(ROWS[::-1]), masks(()), 1)) == expected
    more = cohort(people=4)
    found = list(specifications(more, {"rule0": np.zeros(4, dtype=bool)}, 1))
    assert found == expected


def test_intention_to_treat_is_the_estimate_of_everybody() -> None:
    found = {one.name: one for one in intention_to_treat(cohort(), None, nested=True)}
    assert found["theta.pool"].estimate.value == pytest.approx(4 / 6)
    assert found["theta.prompt"].estimate.value == pytest.approx(4 / 5)
    assert found["theta.pool"].people == 2  # the third has no score
    top = {one.name: one for one in intention_to_treat(cohort(), 1, nested=True)}
    assert top["theta.pool"].estimate.value == pytest.approx((ONE + 4) / 5)
    assert top["theta.pool"].estimate.reason == Reason.ONE_CLUSTER


def test_intention_to_treat_without_judged_answers_is_bounded() -> None:
    found = {one.name: one.estimate for one in intention_to_treat(cohort(excluded=2), None, nested=True)}
    assert found["theta.pool"].reason == Reason.NOT_JUDGED
    assert found["theta.pool.bound_low"].value == pytest.approx((4 - ONE) / 7)
    assert found["theta.pool.bound_high"].value == pytest.approx((4 + ONE) / 7)
    assert found["theta.pool.bound_low"].value < found["theta.pool.bound_high"].value


def test_where_all_scores_of_a_group_are_alike_there_is_no_number_whatever_the_specification() -> None:
    """The excluded person has full scores, and would be Top alone; the retained are no better than some."""
    rows: Rows = [
        (0, 0, 0.5, Outcome.SCORED), (0, 1, 0.5, Outcome.SCORED), (1, 0, 0.0, Outcome.SCORED),
        (2, 0, 1.0, Outcome.SCORED), (2, 1, 1.0, Outcome.SCORED),
    ]  # fmt: skip
    found = list(specifications(cohort(rows), masks((), (2,)), 1))
    for estimator in NAMES:
        cells = [one for one in multiverse_measures(found, "top", estimator) if "rule" in one.details]
        kept = {(one.details["rule"], one.estimate.reason, one.estimate.known) for one in cells}
        assert kept == {("rule0", Reason.NO_FINITE_SOLUTION, False), ("rule1", None, True)}
    top = {one.name: one.estimate for one in intention_to_treat(cohort(rows), 1, nested=True)}
    assert {(one.known, one.reason) for one in top.values()} == {(False, Reason.NO_FINITE_SOLUTION)}
    unjudged = cohort([*rows[:3], (2, 0, NAN, Outcome.UNSCORED), (2, 1, NAN, Outcome.UNSCORED)], excluded=2)
    filled = {one.name: one.estimate for one in intention_to_treat(unjudged, 1, nested=True)}
    assert not filled["theta.pool.bound_high"].known
    assert filled["theta.pool.bound_high"].reason == Reason.NO_FINITE_SOLUTION


@pytest.mark.parametrize("size", [None, 5])
def test_intention_to_treat_without_scores_says_so(size: int | None) -> None:
    nothing = cohort([(0, 0, NAN, Outcome.SKIPPED)])
    reasons = {one.estimate.reason for one in intention_to_treat(nothing, size, nested=True)}
    assert reasons == {Reason.NOTHING_SCORED if size is None else Reason.TOO_FEW_PEOPLE}


@pytest.fixture(scope="module")
def simulated() -> Array:
    """Theta of Average, 20 simulated studies x 9 rules x 2 x 2, as benchmarks' `multiverse.py` prints it."""
    rng = np.random.default_rng(11)
    table = dgp_r_table(simulated_bank(820, rng), rng)
    mean = simulator_mean(table)
    found = [specifications_of(simulated_study(table, mean, rng)) for _ in range(20)]
    return np.array([[one.average.theta.value for one in of_one] for of_one in found]).reshape(20, 9, 2, 2)


def test_choices_move_a_simulated_average_far_more_than_chance(simulated: Array) -> None:
    """Measurement.md, A6: the range is about 12 SDs of one specification between studies."""
    ranges = np.ptp(simulated.reshape(20, -1), axis=1)
    assert np.median(ranges) > 6 * simulated.std(axis=0, ddof=1).mean()


def test_content_rules_come_near_the_truth_and_dropping_low_scorers_goes_beyond(simulated: Array) -> None:
    nobody, strict, lowest = (np.median(simulated[:, rule, 0, 0]) for rule in (0, 7, 8))
    assert nobody < 0.1
    assert strict == pytest.approx(0.46, abs=0.12)
    assert lowest > strict + 0.04
