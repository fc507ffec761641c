"""Flags where the correlation of an answer's criteria is not known: what holds wherever it may lie."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Person
from psychometrics.dif.groups import GroupDif, held_by_all
from psychometrics.inference.estimates import Estimate, Reason, around, without_interval
from psychometrics.inference.measure import Measure
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import ResponseProcess, dgp_r_table
from psychometrics.irt.transform import Transform
from psychometrics.measures.blocks.dif import dif_measures
from psychometrics.measures.inputs import Facts, Inputs, ModelFacts
from psychometrics.models.leaderboard import Configuration, Leaderboard


def shift(value: float, p: float) -> GroupDif:
    return GroupDif(around(value, 0.1, 2.0), p, 100, 8)


def test_a_shift_is_as_sure_as_where_it_is_least_and_none_where_its_sign_is_open() -> None:
    found = held_by_all([shift(0.5, 0.01), shift(0.3, 0.04), shift(0.6, 0.001)])

    assert (found.estimate.value, found.p) == (0.5, 0.04)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((0.1, 0.8))
    assert held_by_all([shift(0.5, 0.01), shift(-0.5, 0.01)]).p == 1
    assert held_by_all([shift(0.5, 0.01)]) == shift(0.5, 0.01)
    none = replace(shift(0.5, math.nan), estimate=without_interval(0.5, Reason.ONE_CLUSTER))
    assert held_by_all([none, shift(0.3, 0.04)]) == none


@pytest.fixture(scope="module")
def study() -> tuple[Cohort, ItemBank, np.ndarray]:
    """96 people on 160 prompts without any DIF, criteria met together by 0.1; and 20 models, five epochs."""
    rng = np.random.default_rng(21)
    names = tuple(f"q{number:03}" for number in range(160))
    a, b = np.exp(rng.normal(0, 0.5, 160)), rng.normal(0, 2, 160)
    bank = ItemBank(names, a, b, names, Transform(scale=0.998, offset=0.001), 2.5)
    responses = dgp_r_table(bank, rng, ResponseProcess(icc=0.1))
    people, size = 96, 20
    batch = np.arange(people) % 8
    items = (batch[:, np.newaxis] * size + np.arange(size)).ravel()
    person = np.repeat(np.arange(people), size)
    p = responses.scores(0.8 * rng.standard_normal(people), items, person, rng)
    prompts = [
        AskedPrompt(name, category="AB"[j % 2], criteria=int(n))
        for j, (name, n) in enumerate(zip(bank.prompt_ids, responses.criteria, strict=True))
    ]
    rows = [
        (int(i), int(j), int(batch[i]), 1, score, score, "scored")
        for i, j, score in zip(person, items, p.tolist(), strict=True)
    ]
    cohort = cohort_of(
        people=[Person(f"P{i:03}") for i in range(people)], prompts=prompts, bank=bank, rows=rows
    )
    return cohort, bank, responses.epoch_scores(rng.standard_normal(20), 5, rng)


def measured(cohort: Cohort, models: ModelFacts | None) -> dict[tuple[str, str], Measure]:
    inputs = Inputs(Facts(5, models=models), cohort, None, np.random.default_rng(1), 10, lambda *_: None)
    return {(one.name, one.subset): one for one in dif_measures(inputs)}


def test_models_epochs_tell_the_correlation_and_without_them_flags_hold_wherever_it_may_lie(
    study: tuple[Cohort, ItemBank, np.ndarray],
) -> None:
    cohort, bank, p = study
    board = Leaderboard(tuple(Configuration(f"m{n}") for n in range(len(p))), p, ())

    told, untold = measured(cohort, ModelFacts("bank", bank, board)), measured(cohort, None)

    details: dict[str, Any] = dict(told["dif.sd", ""].details)
    assert details["criteria_correlation"] == pytest.approx(0.1, abs=0.03)
    assert details["criteria_correlation_low"] == details["criteria_correlation_high"]
    assert details["criteria_cells"] > 1000
    details = dict(untold["dif.sd", ""].details)
    assert [details[f"criteria_correlation{end}"] for end in ("", "_low", "_high")] == [0.4, 0.1, 0.7]
    assert details["criteria_cells"] == 0
    by_models, by_nothing = (one["dif.slope.excess", ""] for one in (told, untold))
    assert width(by_nothing.estimate) > 1.5 * width(by_models.estimate)
    assert all(float(str(one.details["p"])) > 0.05 for one in (by_models, by_nothing))
    category = untold["dif.group", "category:A"]
    assert category.estimate.low < 0 < category.estimate.high
    assert not category.details["flagged"]


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low
