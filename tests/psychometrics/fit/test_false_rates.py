"""Small versions of benchmarks/measurement/false_rates.py, and what the flags rest on."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.measurement.false_rates import (
    PROCESSES,
    possible_residuals,
    slope_flagged,
    study_of,
    world_of,
)
from psychometrics.data.cohort import Cohort, Pairs, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.dif.prompts import fitted_residuals
from psychometrics.fit.reference import ASSUMED, judged_process, references_of
from psychometrics.inference.between_person import between_person_sd, own_abilities
from psychometrics.top.crossfit import crossfit
from psychometrics.top.null import null_reference, unplaced_rows
from psychometrics.top.ranking import by_raw_mean, top_paper_curve
from tests.support.top_cohorts import bank_with


def test_equally_able_people_whose_informative_answers_scatter_more_are_not_said_to_differ() -> None:
    rng, people, answers = np.random.default_rng(3), 195, 18
    person = np.repeat(np.arange(people), answers)
    rows = np.arange(len(person))
    nothing = np.zeros(len(person), dtype=np.int64)
    told = 0
    for _ in range(60):
        a = np.exp(rng.normal(0, 0.6, len(person)))
        y = a**0.1 * rng.standard_normal(len(person))
        own = own_abilities(Pairs(person, rows, nothing, np.full(len(a), 0.5), a, np.zeros(len(a)), y))
        told += between_person_sd(own).low > 0
    assert told <= 6  # 97.5 % of such studies have fewer, where 1 in 20 is told of


@pytest.fixture
def halves() -> tuple[list[float], list[float]]:
    """Of 24 studies of equally able people, half of their prompts without parameters: top.paper, its null."""
    rng, papers, nulls = np.random.default_rng(8), [], []
    for _ in range(24):
        cohort = half_known(40, rng)
        papers.append(float(top_paper_curve(cohort.pairs, by_raw_mean(cohort), [6])[0]))
        codes = [one.code for one in cohort.people]
        null = null_reference(cohort.pairs, codes, 6, 40, rng, unplaced_rows(cohort))
        nulls.append(null.expected.value)
    return papers, nulls


def half_known(people: int, rng: np.random.Generator) -> Cohort:
    """Eight batches of 20 prompts, every second with item parameters; answers right or wrong by chance."""
    names = [f"p{number:03}" for number in range(160)]
    rows = [
        (person, prompt, person % 8, 1, p, p, Outcome.SCORED)
        for person in range(people)
        for prompt in range(20 * (person % 8), 20 * (person % 8) + 20)
        for p in [float(rng.random() < 0.5)]
    ]
    return cohort_of(
        people=[Person(f"P{number:02}") for number in range(people)],
        prompts=[AskedPrompt(name) for name in names],
        bank=bank_with(tuple(names[::2])),
        rows=rows,
    )


def test_the_null_of_top_chooses_by_answers_without_parameters_too(
    halves: tuple[list[float], list[float]],
) -> None:
    papers, nulls = map(np.array, halves)

    apart = papers - nulls
    assert apart.mean() == pytest.approx(0, abs=3 * apart.std() / len(apart) ** 0.5)
    assert nulls.mean() > 0.3  # luck is worth that much


def test_a_chosen_group_without_a_pair_is_left_out_of_the_null() -> None:
    everybody = half_known(16, np.random.default_rng(1))
    first = np.array([one.prompt_id for one in everybody.prompts]) < "p020"
    lonely = replace(everybody, a=np.where(first, everybody.a, np.nan))
    codes = [one.code for one in lonely.people]

    null = null_reference(lonely.pairs, codes, 2, 50, np.random.default_rng(2), unplaced_rows(lonely))

    assert 0 < len(null.drawn) < 50
    assert np.isfinite(null.drawn).all()


def test_another_seed_hardly_moves_the_crossfitted_top() -> None:
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(80), 18)
    y = np.where(rng.random(len(person)) < 0.4 + 0.3 * rng.random(80)[person], 6.9, -6.9)
    p, nothing = (y > 0).astype(float), np.zeros(len(person), dtype=np.int64)
    pairs = Pairs(person, np.arange(len(person)), nothing, p, np.ones(len(y)), np.zeros(len(y)), y)
    codes = [f"P{number:02}" for number in range(80)]

    by_seed = [crossfit(pairs, codes, np.random.default_rng(seed)).values([3, 12]) for seed in range(20)]

    of_few, of_many = np.std(by_seed, axis=0, ddof=1)
    assert of_few < 0.25
    assert of_many < 0.07


def test_the_interval_of_top_is_that_of_its_draws_around_the_mean_of_all_splits() -> None:
    cohort = half_known(40, np.random.default_rng(5))
    codes = [one.code for one in cohort.people]
    crossed = crossfit(cohort.pairs, codes, np.random.default_rng(6))
    few = replace(crossed, orders=crossed.orders[: crossed.drawn])

    [of_all], [of_few] = (one.estimates([6], 200, np.random.default_rng(7)) for one in (crossed, few))

    moved = of_all.value - of_few.value
    assert moved != 0
    assert of_all.se == pytest.approx(of_few.se)
    assert (of_all.low, of_all.high) == pytest.approx((of_few.low + moved, of_few.high + moved))


def test_the_confidences_of_the_judge_are_the_studys_own() -> None:
    cohort = half_known(40, np.random.default_rng(9))
    right = np.flatnonzero(cohort.is_pair & (cohort.p == 1))
    p = cohort.p.copy()
    less = round(0.4 * len(right))
    p[right[:less]] = 0.8

    assert judged_process(cohort) == replace(ASSUMED, certain_share=1.0)
    assert judged_process(cohort.with_scores(p)) == replace(
        ASSUMED, certain_share=1 - less / len(right), uncertain_confidence=0.8
    )
    assert judged_process(cohort.with_scores(np.full(len(p), np.nan))) == ASSUMED


def test_few_repeated_prompts_leave_the_deviations_as_assumed() -> None:
    rng = np.random.default_rng(10)
    one_each, many = half_known(8, rng), half_known(40, rng)

    alone = fitted_residuals(one_each.pairs, references_of(one_each)).deviation
    together = fitted_residuals(many.pairs, references_of(many)).deviation

    assert (alone.sd, alone.fitted) == (ASSUMED.sigma_deviation, False)
    assert not alone.influence.any()
    assert together.fitted


@pytest.mark.parametrize("name", list(PROCESSES))
def test_a_process_other_than_the_assumed_one_is_no_slope(name: str, shared_data: Path) -> None:
    rng = np.random.default_rng(7)
    world = world_of(PROCESSES[name], rng)
    taken_for_granted = "fixed" if "criteria" in name else "granted"
    before, now = [], []
    for _ in range(6):
        cohort = study_of(world, 0.8, 195, rng)
        before.append(slope_flagged(possible_residuals(world, cohort, taken_for_granted)))
        now.append(slope_flagged(possible_residuals(world, cohort, "told")))

    assert sum(now) <= 1  # 97 % of such six have no more, where 1 in 20 is flagged
    assert sum(before) >= 5 or name == "DGP-R"
