"""The half-widths of the design's table, and what they follow from."""

import math
from dataclasses import replace

import numpy as np
import pytest

from psychometrics.planning.designs import design_of
from psychometrics.planning.formulas import (
    Plan,
    Prices,
    batch_half_width,
    cost_of,
    people_for,
    precision,
    prompt_half_width,
)
from psychometrics.planning.records import MATRIX, NESTED

PEOPLE = (6, 12, 15, 30, 60, 100, 195, 246, 500)
WANTED = (0.1, 0.15, 0.2, 0.3, 0.5)
HALF_WIDTHS = {
    0.35: (0.69, 0.49, 0.44, 0.31, 0.22, 0.17, 0.12, 0.11, 0.08),
    0.6: (0.80, 0.57, 0.51, 0.36, 0.25, 0.20, 0.14, 0.13, 0.09),
    0.9: (0.98, 0.69, 0.62, 0.44, 0.31, 0.24, 0.17, 0.15, 0.11),
    1.2: (1.19, 0.84, 0.75, 0.53, 0.37, 0.29, 0.21, 0.19, 0.13),
}
NEEDED = {
    0.35: (285, 127, 72, 32, 12),
    0.6: (386, 172, 97, 43, 16),
    0.9: (576, 256, 144, 64, 24),
    1.2: (843, 375, 211, 94, 34),
}
PER_BATCH = {
    0.35: (0.97, 0.68, 0.48, 0.34),
    0.6: (1.11, 0.79, 0.56, 0.39),
    0.9: (1.35, 0.95, 0.67, 0.48),
    1.2: (1.62, 1.14, 0.81, 0.57),
}

# Tabulated .975 quantiles of Student's t by degrees of freedom.
T_975 = {2: 4.302653, 5: 2.570582, 9: 2.262157, 11: 2.200985, 23: 2.068658}


@pytest.mark.parametrize("sd", HALF_WIDTHS)
def test_the_tables_of_the_design_are_reproduced(sd: float) -> None:
    plan = Plan(people=1, prompts_per_person=20, between_sd=sd)
    normal = [1.96 * precision(replace(plan, people=n)).se for n in PEOPLE]
    assert normal == pytest.approx(HALF_WIDTHS[sd], abs=0.0056)
    for width, stated in zip(WANTED, NEEDED[sd], strict=True):
        assert stated <= (people_for(width, plan) or 0) <= stated + 3  # t needs a few more than the normal
    batches = [batch_half_width(m, plan) * 1.96 / T_975[m - 1] for m in (3, 6, 12, 24)]
    assert batches == pytest.approx(PER_BATCH[sd], abs=0.0056)


def test_a_prompts_mean_score_is_known_as_well_as_the_design_states() -> None:
    found = [prompt_half_width(m) * 1.96 / T_975[m - 1] for m in (6, 24)]
    assert found == pytest.approx([0.36, 0.18], abs=0.005)


def test_the_interval_of_a_score_does_not_reach_beyond_0_and_1() -> None:
    assert prompt_half_width(2) == 0.5  # t would say 4.0
    assert math.isnan(prompt_half_width(1))


def test_the_variance_is_the_sum_of_its_parts_by_hand() -> None:
    plan = Plan(
        people=10, prompts_per_person=5, bank_prompts=100, missing=0, between_sd=1, human_item_sd=2,
        residual_sd=4, mean_square=2,
    )  # fmt: skip
    by_hand = (1 + 0.32**2) / 10 + 16 / (10 * 5 * 2) + 4 / (50 * 2)
    found = precision(plan)
    assert found.se == pytest.approx(math.sqrt(by_hand))
    assert found.half_width == pytest.approx(T_975[9] * found.se, rel=1e-5)
    assert found.detectable == pytest.approx((T_975[9] + 0.883404) * found.se, rel=1e-5)


def test_one_person_has_no_interval() -> None:
    found = precision(Plan(people=1, prompts_per_person=20))
    assert found.se > 0
    assert math.isnan(found.half_width)
    assert math.isnan(found.detectable)


def test_a_half_width_that_prompts_alone_exceed_cannot_be_bought_with_people() -> None:
    plan = Plan(people=1, prompts_per_person=20, bank_prompts=40, human_item_sd=3)
    assert people_for(0.3, plan) is None
    assert people_for(2.0, plan) is not None


def test_the_needed_number_is_the_smallest_one_even_where_few_people_meet_few_prompts() -> None:
    plan = Plan(people=1, prompts_per_person=5, bank_prompts=2000, human_item_sd=2)
    needed = people_for(0.3, plan)
    assert needed is not None
    assert precision(replace(plan, people=needed)).half_width <= 0.3
    assert precision(replace(plan, people=needed - 1)).half_width > 0.3


def test_balanced_batches_and_more_people_help_and_missing_answers_do_not() -> None:
    plan = Plan(people=100, prompts_per_person=20)
    width = precision(plan).half_width
    assert precision(replace(plan, balanced=True)).half_width < width
    assert precision(replace(plan, people=101)).half_width < width
    assert precision(replace(plan, missing=0.3)).half_width > width


def test_costs_are_people_and_calls() -> None:
    plan = Plan(people=100, prompts_per_person=20, missing=0.1)
    cost = cost_of(plan, Prices(pay=50, overhead=5, judge_call=0.01, calls_per_answer=2))
    assert (cost.people, cost.judge, cost.total) == pytest.approx((5500, 36, 5536))


def test_nested_batches_fall_apart_and_matrix_sampling_does_not() -> None:
    rng = np.random.default_rng(1)
    nested = design_of(NESTED, people=246, prompts=820, per_person=20, rng=rng).linkage()
    matrix = design_of(MATRIX, people=246, prompts=820, per_person=20, rng=rng).linkage()
    assert (nested.components, nested.fewest_people, nested.fewest_neighbours) == (41, 6, 19)
    assert (matrix.components, matrix.fewest_people, matrix.asked) == (1, 6, 820)
    assert matrix.fewest_neighbours > 80


@pytest.mark.parametrize("kind", [NESTED, MATRIX])
def test_nobody_is_asked_a_prompt_twice_and_short_batches_keep_their_prompts(kind: str) -> None:
    design = design_of(kind, people=9, prompts=10, per_person=4, rng=np.random.default_rng(2))
    pairs = {(int(i), int(j)) for i, j in zip(design.person, design.prompt, strict=True)}
    assert (len(pairs), len(design.person)) == (30, 30)
    assert set(np.bincount(design.prompt)) == {3}


@pytest.mark.parametrize("kind", [NESTED, MATRIX])
def test_batches_that_are_to_be_alike_in_information_are(kind: str) -> None:
    rng = np.random.default_rng(3)
    information = np.exp(1.2 * rng.standard_normal(820))
    sums = [
        np.bincount(design.person, information[design.prompt])
        for alike_in in (information, None)
        for design in [design_of(kind, people=82, prompts=820, per_person=20, rng=rng, alike_in=alike_in)]
    ]
    spread = [one.std() / one.mean() for one in sums]
    assert spread[0] < spread[1] / 2
    assert set(np.bincount(design_of(kind, people=82, prompts=820, per_person=20, rng=rng).prompt)) == {2}


def test_one_person_is_one_component_and_unasked_prompts_are_none() -> None:
    design = design_of(NESTED, people=1, prompts=50, per_person=5, rng=np.random.default_rng(1))
    found = design.linkage()
    assert (found.components, found.asked, found.fewest_people, found.fewest_neighbours) == (1, 5, 1, 4)


def test_an_unknown_design_is_refused() -> None:
    with pytest.raises(ValueError, match="no design is called"):
        design_of("ring", people=1, prompts=5, per_person=5, rng=np.random.default_rng(1))
