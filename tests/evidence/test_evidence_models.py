"""Spread of people, variance components, regression, corrections and resampling beside other programs."""

import math
from typing import Any

import numpy as np
import pytest

from psychometrics.benchmark.metrics import adjusted_harmonic_mean
from psychometrics.data.cohort import Pairs
from psychometrics.inference.between_person import OwnAbilities, between_person_sd, paule_mandel
from psychometrics.inference.holm import holm
from psychometrics.inference.logistic import logistic_regression
from psychometrics.inference.mixed_model import components_of
from psychometrics.inference.resampling import bootstrap_estimate
from psychometrics.top.empirical_bayes import shrunken_abilities
from tests.evidence.frozen_results import frozen, given, pairs_given

EXACT: dict[str, Any] = {"rel": 1e-9, "abs": 1e-11}
CLOSE: dict[str, Any] = {"rel": 1e-6, "abs": 1e-8}  # the other program searches, and stops about there


def own_of(name: str) -> OwnAbilities:
    """People with the estimates and error variances that the program was given."""
    own = given("r_metafor", "people")
    theta, v = np.array(own[name]), np.array(own["v"])
    return OwnAbilities(np.arange(len(v)), theta, 1 / v, s1_squared=1.0, sa_squared=1.0)


@pytest.mark.parametrize("name", ["differ", "alike"])
def test_the_variance_between_people_is_that_of_paule_and_mandel(name: str) -> None:
    own, said = own_of(name), frozen("r_metafor")[name]
    found = paule_mandel(own.theta, own.variance)
    assert (found.variance, found.mean) == pytest.approx((said["tau2"], said["mean"]), **CLOSE)
    other = frozen("statsmodels")["paule_mandel"][name]
    assert (found.variance, found.mean) == pytest.approx((other["tau2"], other["mean"]), **CLOSE)


@pytest.mark.parametrize("name", ["differ", "alike"])
def test_the_interval_of_the_sd_between_people_is_that_of_the_q_profile(name: str) -> None:
    found = between_person_sd(own_of(name))
    assert [found.low, found.high] == pytest.approx(frozen("r_metafor")[name]["tau_ends"], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("name", ["differ", "alike"])
def test_shrunken_abilities_are_the_best_linear_predictions(name: str) -> None:
    assert shrunken_abilities(own_of(name)).theta == pytest.approx(frozen("r_metafor")[name]["blup"], **CLOSE)


def crossed_pairs(z: np.ndarray[Any, Any]) -> Pairs:
    person, prompt = (index.ravel() for index in np.indices(z.shape))
    ones = np.ones(z.size)
    return Pairs(
        person=person, prompt=prompt, batch=np.zeros_like(person), p=ones / 2, a=ones, b=0 * ones, y=z.ravel()
    )


@pytest.mark.parametrize("program", ["r_lme4", "statsmodels"])
def test_moments_of_a_complete_design_follow_exactly_from_the_reml_components(program: str) -> None:
    """There REML components are those of the analysis of variance, and ours are sums of its mean squares.

    Ours take residuals from the mean as if it were known: with I people, J prompts and mean squares
    MSP = s2 + J t2 and MSI = s2 + I d2, t2 of ours is (J SSP - SST) / (I J (J - 1)), SS = MS times degrees.
    """
    said = frozen(program)["crossed"]
    z = np.array(given(program, "crossed")["z"])
    people, prompts = z.shape
    t2, d2, s2 = (
        said["variances"][one]
        for one in ("person", "prompt", "residual" if program == "statsmodels" else "Residual")
    )
    by_person, by_prompt = (people - 1) * (s2 + prompts * t2), (prompts - 1) * (s2 + people * d2)
    total = by_person + by_prompt + (people - 1) * (prompts - 1) * s2
    found = components_of(crossed_pairs(z))
    near: dict[str, Any] = {"rel": 1e-4 if program == "statsmodels" else 1e-5}
    assert found.theta == pytest.approx(said["mean"], **near)
    assert found.people == pytest.approx((prompts * by_person - total) / (z.size * (prompts - 1)), **near)
    assert found.prompts == pytest.approx((people * by_prompt - total) / (z.size * (people - 1)), **near)


def test_moments_of_an_incomplete_design_are_near_the_reml_components() -> None:
    """Two estimators of one thing: what they share is the order of size, not the digits."""
    said, found = frozen("r_lme4")["answers"], components_of(pairs_given("r_lme4"))
    assert found.theta == pytest.approx(said["mean"], abs=0.05)
    assert math.sqrt(found.people) == pytest.approx(math.sqrt(said["variances"]["person"]), rel=0.15)
    assert math.sqrt(found.answers) == pytest.approx(math.sqrt(said["variances"]["Residual"]), rel=0.15)
    assert found.prompts < 0.1 * found.answers
    assert said["variances"]["prompt"] < 0.1 * said["variances"]["Residual"]


def test_logistic_regression_with_errors_by_clusters() -> None:
    own = {name: np.array(column) for name, column in given("r_sandwich", "regression").items()}
    x = np.column_stack([np.ones(len(own["y"])), own["x1"], own["x2"]])
    fit = logistic_regression(x, own["y"].astype(np.float64), own["cluster"])
    ours = [(one.value, one.se) for one in fit.coefficients]
    said, other = frozen("r_sandwich")["logit"], frozen("statsmodels")["logit"]
    for theirs in (said["coefficients"], other["coefficients"]):
        assert [value for value, _ in ours] == pytest.approx(theirs, **EXACT)
    # Theirs are CR1: ours (CR2) weigh each cluster's sum by its leverage.
    for (_, se), cr1 in zip(ours, said["se"], strict=True):
        assert cr1 < se < 1.03 * cr1


@pytest.mark.parametrize("program", ["r_base", "statsmodels"])
def test_holms_correction(program: str) -> None:
    assert holm(given(program, "simple")["p"]) == pytest.approx(frozen(program)["holm"], **EXACT)


def test_the_adjusted_harmonic_mean_is_the_harmonic_mean_of_percent_plus_one() -> None:
    accuracies = dict(enumerate(given("r_psych", "simple")["accuracy"]))
    found = adjusted_harmonic_mean({str(task): value for task, value in accuracies.items()})
    assert found == pytest.approx(frozen("r_psych")["harmonic_mean_of_percent_plus_1"], **EXACT)


def test_a_bootstrap_of_clusters_given_the_draws_of_another_program() -> None:
    own, said = given("r_boot", "simple"), frozen("r_boot")
    draws = np.array(said["frequencies"], dtype=np.float64)
    resampled = draws @ np.array(own["sum"]) / (draws @ np.array(own["count"]))
    value = sum(own["sum"]) / sum(own["count"])
    found = bootstrap_estimate(value, resampled, len(own["count"]))
    assert value == pytest.approx(said["t0"], **EXACT)
    assert resampled == pytest.approx(said["t"], **EXACT)
    assert found.se == pytest.approx(said["sd"], **EXACT)
    assert [found.low, found.high] == pytest.approx(said["quantiles"], **EXACT)
