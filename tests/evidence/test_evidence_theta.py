"""Our abilities and their errors are those of other people's regressions on the same answers."""

import math
from typing import Any

import numpy as np
import pytest

from psychometrics.inference.between_person import own_abilities
from psychometrics.inference.clusters import Codes, linear_estimate, t_quantile
from psychometrics.inference.jackknife import prompt_thetas_without, quasi_thetas_without, theta_prompt
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.inference.standard_errors import Fit, cluster_error, pooled_fit, quasi_fit, twoway_error
from psychometrics.irt.quasi_likelihood import theta_ql
from tests.evidence.frozen_results import TRANSFORM, frozen, given, pairs_given

EXACT: dict[str, Any] = {"rel": 1e-9, "abs": 1e-11}


@pytest.mark.parametrize("program", ["r_base", "statsmodels"])
def test_pooled_theta_is_the_regression_of_z_on_a_without_an_intercept(program: str) -> None:
    assert pooled_fit(pairs_given(program)).theta == pytest.approx(frozen(program)["theta_pool"], **EXACT)


def test_theta_ql_is_the_quasi_binomial_regression_with_an_offset() -> None:
    pairs = pairs_given("r_base")
    found = theta_ql(pairs.a, pairs.b, pairs.p)
    assert found == pytest.approx(frozen("r_base")["theta_ql"], **EXACT)


def test_theta_by_prompt_means() -> None:
    found = theta_prompt(pairs_given("r_base"), TRANSFORM)
    assert found == pytest.approx(frozen("r_base")["theta_prompt"], **EXACT)


def test_abilities_of_single_people_and_what_their_errors_rest_on() -> None:
    own, said = own_abilities(pairs_given("r_base")), frozen("r_base")
    assert own.theta == pytest.approx(said["theta_of_people"], **EXACT)
    assert 1 / np.sqrt(own.information) == pytest.approx(said["error_per_sigma_of_people"], **EXACT)
    assert math.sqrt(own.s1_squared) == pytest.approx(said["residual_sd"], **EXACT)


def cr1(fit: Fit, clusters: Codes) -> float:
    """The error of the other programs, from our summands: ours (CR2) weigh each cluster's by its leverage."""
    sums = np.bincount(clusters, fit.scores / fit.bread)
    number = np.unique(clusters).size
    return math.sqrt(number / (number - 1) * float(sums @ sums))


def test_errors_of_the_pooled_theta_by_people_and_by_prompts() -> None:
    for program in ("r_sandwich", "statsmodels"):
        pairs = pairs_given(program)
        fit, said = pooled_fit(pairs), frozen(program)["pool" if program == "r_sandwich" else "se_clustered"]
        for clusters, theirs in ((pairs.person, said["person"]), (pairs.prompt, said["prompt"])):
            assert cr1(fit, clusters) == pytest.approx(theirs, **EXACT)
            assert theirs < cluster_error(fit, clusters).se < 1.02 * theirs
    pairs = pairs_given("r_clubSandwich")
    theirs = frozen("r_clubSandwich")["CR1"]
    assert cr1(pooled_fit(pairs), pairs.person) == pytest.approx(theirs, **EXACT)
    assert theirs < linear_estimate(pairs.a, pairs.z, pairs.person).estimate.se < 1.02 * theirs


def test_errors_of_theta_ql_by_people_and_by_prompts() -> None:
    pairs, said = pairs_given("r_sandwich"), frozen("r_sandwich")["ql"]
    for clusters, theirs in ((pairs.person, said["person"]), (pairs.prompt, said["prompt"])):
        assert cr1(quasi_fit(pairs), clusters) == pytest.approx(theirs, **EXACT)
        assert theirs < cluster_error(quasi_fit(pairs), clusters).se < 1.02 * theirs
    estimate = quasi_estimate(pairs.a, pairs.b, pairs.p, pairs.person).estimate
    assert estimate.se == pytest.approx(cluster_error(quasi_fit(pairs), pairs.person).se, **EXACT)


def test_errors_by_people_and_prompts_at_once_which_ours_are_not_below_either_of_both() -> None:
    """Two batches, as ours refuses it with one; their number has no part in it."""
    said = frozen("r_sandwich")
    pairs = pairs_given("r_sandwich")
    pairs.batch[pairs.person % 2 == 1] = 1
    theirs = said["ql"]["two_way"]
    assert theirs < twoway_error(quasi_fit(pairs), pairs).se < 1.02 * theirs
    assert said["pool"]["two_way"] < said["pool"]["person"]
    by_people = cluster_error(pooled_fit(pairs), pairs.person).se
    assert twoway_error(pooled_fit(pairs), pairs).se == pytest.approx(by_people, **EXACT)


def test_estimates_without_each_person_which_the_jackknife_rests_on() -> None:
    pairs, said = pairs_given("r_base"), frozen("r_base")
    people = int(pairs.person.max()) + 1
    assert quasi_thetas_without(pairs, pairs.person, people) == pytest.approx(
        said["ql_without_person"], **EXACT
    )
    by_prompt = prompt_thetas_without(pairs, pairs.person, people, TRANSFORM)
    assert by_prompt == pytest.approx(said["prompt_without_person"], **EXACT)


def test_the_logistic_model_has_its_maximum_likelihood_at_theta_ql() -> None:
    own, said = given("r_base", "right_or_wrong"), frozen("r_base")
    a, b = np.array(own["a"]), np.array(own["b"])
    found = [theta_ql(a, b, right) for right in own["right"]]
    assert found == pytest.approx(said["logistic_theta"], **EXACT)
    errors = [
        1 / math.sqrt(np.sum(a**2 * (pi := 1 / (1 + np.exp(-a * (theta - b)))) * (1 - pi))) for theta in found
    ]
    assert errors == pytest.approx(said["logistic_se"], rel=1e-8)
    # girth looks for the maximum in [-6, 6] to within 1e-5.
    assert found == pytest.approx(frozen("girth")["ability_mle"], abs=2e-5)


def test_quantiles_of_t() -> None:
    degrees = given("r_base", "simple")["df"]
    assert [t_quantile(0.95, df) for df in degrees] == pytest.approx(frozen("r_base")["t_975"], rel=1e-10)
