"""A rehearsed design finds again what was put in."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from psychometrics.inference.estimates import Reason
from psychometrics.irt.responses import dgp_r_table
from psychometrics.planning import simulated_design
from psychometrics.planning.formulas import Plan, precision
from psychometrics.planning.records import MATRIX, MAX_CHOSEN, NESTED, Recovery, SimulatedDesign
from psychometrics.planning.simulated_design import (
    Draw,
    population_of,
    simulate_design,
    synthetic_bank,
)

PLAN = Plan(people=82, prompts_per_person=20, between_sd=0.9)


def rehearsed(
    kind: str, seed: int = 1, studies: int = 60, plan: Plan = PLAN, top: int = 10
) -> SimulatedDesign:
    return simulate_design(
        plan, kind, mean=0.3, top_size=top, studies=studies, rng=np.random.default_rng(seed)
    )


@cache
def sixty_studies(kind: str) -> SimulatedDesign:
    """Of the plan above; several tests look at them."""
    return rehearsed(kind)


def recovery(found: SimulatedDesign, name: str) -> Recovery:
    return next(one for one in found.recoveries if one.name == name)


def test_abilities_have_the_wanted_mean_and_sd_on_the_scale_of_the_scorer() -> None:
    rng = np.random.default_rng(3)
    population = population_of(dgp_r_table(synthetic_bank(300, 2.08, rng), rng), 0.7, 0.9)
    drawn = population.truth(population.centre + population.spread * rng.standard_normal(100_000))
    assert (drawn.mean(), drawn.std()) == pytest.approx((0.7, 0.9), abs=0.01)
    assert population.expected() == pytest.approx(0.7, abs=1e-6)


@pytest.mark.parametrize(("kind", "other"), [(NESTED, "se.batch"), (MATRIX, "se.twoway")])
def test_the_pooled_theta_is_unbiased_and_its_errors_are_what_the_plan_states(kind: str, other: str) -> None:
    found = sixty_studies(kind)
    by_person = recovery(found, "theta.pool, se.participant")
    stated = precision(PLAN).se
    assert by_person.bias == pytest.approx(0, abs=4 * by_person.spread / math.sqrt(60))
    assert by_person.spread == pytest.approx(stated, rel=0.3)
    assert by_person.mean_se == pytest.approx(stated, rel=0.15)
    assert by_person.coverage >= 0.85
    assert recovery(found, f"theta.pool, {other}").coverage >= 0.85


def test_the_published_top_is_too_high_and_the_others_are_not() -> None:
    found = sixty_studies(NESTED)
    assert recovery(found, "top.paper").bias > 0.4
    assert abs(recovery(found, "top.crossfit5").bias) < 0.2
    assert abs(recovery(found, "top.eb").bias) < 0.15
    assert 0.5 < found.correlation < 0.95


def test_theta_ql_finds_its_own_truth_and_the_cross_fitted_top_has_an_interval() -> None:
    found = sixty_studies(NESTED)
    by_ql = recovery(found, "theta.ql, se.participant")
    assert by_ql.bias == pytest.approx(0, abs=4 * by_ql.spread / math.sqrt(60))
    assert by_ql.truth < recovery(found, "theta.pool, se.participant").truth  # pulled to 0 by the deviations
    assert by_ql.coverage >= 0.85
    assert recovery(found, "top.crossfit5").coverage >= 0.85


def test_the_coverage_of_few_studies_has_an_error_even_where_all_intervals_hold_the_truth() -> None:
    held = simulated_design._recovery("theta.pool", [Draw(0.1, 0.0, 0.1, held=True)] * 100)
    missed = simulated_design._recovery("theta.pool", [Draw(0.9, 0.0, 0.1, held=False)] * 100)
    assert (held.coverage, missed.coverage) == (1, 0)
    assert held.error == missed.error == pytest.approx(0.98 / 103.84, abs=1e-4)


def test_a_large_top_of_many_studies_is_rehearsed_without_its_interval() -> None:
    most = MAX_CHOSEN
    small = Plan(people=60, prompts_per_person=5, bank_prompts=40)
    found = rehearsed(NESTED, studies=most // 55 + 1, plan=small, top=55)
    assert math.isnan(recovery(found, "top.crossfit5").coverage)
    assert not math.isnan(recovery(found, "top.crossfit5").bias)


def test_prompts_that_differ_for_people_widen_what_studies_find_as_planned() -> None:
    small = Plan(people=60, prompts_per_person=20, bank_prompts=60, between_sd=0.5, human_item_sd=3.0)
    by_person = recovery(rehearsed(NESTED, plan=small), "theta.pool, se.participant")
    assert by_person.spread == pytest.approx(precision(small).se, rel=0.3)
    assert by_person.mean_se < 0.7 * by_person.spread  # people alone do not tell how prompts differ


def test_the_same_seed_rehearses_the_same() -> None:
    assert rehearsed(NESTED, studies=3).recoveries[0] == rehearsed(NESTED, studies=3).recoveries[0]
    assert rehearsed(NESTED, studies=3).recoveries[0] != rehearsed(NESTED, seed=2, studies=3).recoveries[0]


def test_every_row_of_top_stays_and_says_why_it_has_no_number() -> None:
    few = Plan(people=4, prompts_per_person=5, bank_prompts=40)
    short = Plan(people=8, prompts_per_person=1, bank_prompts=40, missing=0.0)
    alone = Plan(people=1, prompts_per_person=10, bank_prompts=40, missing=0.0)
    said = {
        (plan, name): (one.studies, one.undefined)
        for plan, top in ((few, 5), (short, 5), (alone, 1))
        for name in ("top.paper", "top.crossfit5", "top.eb")
        for one in (recovery(rehearsed(NESTED, studies=2, plan=plan, top=top), name),)
    }
    assert said[short, "top.paper"] == (2, {})
    assert said[short, "top.crossfit5"] == said[short, "top.eb"] == (0, {Reason.TOO_FEW_PAIRS: 2})
    for name in ("top.paper", "top.crossfit5", "top.eb"):
        assert said[few, name] == (0, {Reason.TOO_FEW_PEOPLE: 2})
        assert said[alone, name] == (0, {Reason.TOO_FEW_PEOPLE: 2})  # Top would be everybody


def test_a_given_bank_is_rehearsed_and_its_size_is_that_of_the_design() -> None:
    bank = synthetic_bank(30, 1.5, np.random.default_rng(4))
    plan = Plan(people=12, prompts_per_person=10, bank_prompts=30)
    found = [
        simulate_design(
            plan, NESTED, mean=0.1, top_size=3, studies=3, rng=np.random.default_rng(1), bank=one
        ).recoveries[0]
        for one in (bank, bank, replace(bank, a=bank.a * 2), None)
    ]
    assert found[0] == found[1]
    assert len({one.mean for one in found}) == 3


@pytest.mark.parametrize("people", [1, 2])
def test_one_person_has_estimates_and_no_coverage(people: int) -> None:
    plan = Plan(people=people, prompts_per_person=5, bank_prompts=10 * people, between_sd=0.0)
    found = rehearsed(NESTED, studies=2, plan=plan)
    first = found.recoveries[0]
    assert math.isnan(first.coverage) == (people == 1)
    assert not math.isnan(first.mean)


def test_a_study_in_which_hardly_anybody_answers_has_no_numbers_instead_of_wrong_ones() -> None:
    plan = Plan(people=1, prompts_per_person=1, missing=0.95, between_sd=5.0)
    for kind in (NESTED, MATRIX):
        found = rehearsed(kind, plan=plan, studies=5, top=1)
        assert {one.studies for one in found.recoveries} == {0}
        assert all(math.isnan(one.bias) for one in found.recoveries)
        assert math.isnan(found.correlation)


def test_abilities_no_score_can_reach_are_rehearsed_at_the_edge_of_the_bank() -> None:
    plan = Plan(people=20, prompts_per_person=10, bank_prompts=40, between_sd=1.0)
    found = simulate_design(plan, NESTED, mean=50.0, top_size=5, studies=3, rng=np.random.default_rng(1))
    assert recovery(found, "theta.pool, se.participant").truth < 20
