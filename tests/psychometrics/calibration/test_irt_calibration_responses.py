"""Banks from single responses, from matrices that hang by a cell, and from published tables."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from formats.item_parameters import ResponseModel, read_item_parameters, write_item_parameters
from psychometrics.calibration import FitOptions, Objective, calibrate, fit_matrix, item_parameters_of
from psychometrics.calibration.fitting import PUBLISHED
from psychometrics.calibration.logistic import calibrate_logistic
from psychometrics.calibration.reporting import description_of, parameters_of, report_of
from psychometrics.calibration.responses import responses_of
from psychometrics.data.response_matrix import response_matrix
from psychometrics.irt.bank import item_bank_from
from psychometrics.irt.responses import dgp_r_table
from psychometrics.irt.transform import Array
from tests.support.calibrations import fitted, refusal_of, scores, seconds

NAN = np.nan


def test_single_right_or_wrong_responses_are_fitted_by_the_logistic_model() -> None:
    rng = np.random.default_rng(2)
    p = (rng.random((25, 40)) < np.linspace(0.2, 0.8, 25)[:, np.newaxis]).astype(float)

    found = fitted(p)

    assert (found.model, found.solver, found.check) == ("logistic 2PL", "lbfgs", None)
    assert found.reason.endswith("so they are taken as single responses")
    assert "theta_QL" in found.notes[0]
    assert "single responses" in description_of(found)
    assert "use the solver als" in refusal_of(p, FitOptions(solver="adam"))


def test_configurations_that_are_right_or_wrong_throughout_are_named() -> None:
    p = (np.random.default_rng(2).random((25, 40)) < 0.5).astype(float)
    assert not any("every score" in note for note in fitted(p).notes)
    p[[3, 4]], p[7], p[4, :9], p[7, 20:] = 1, 0, NAN, NAN  # what is missing is neither

    right, wrong = (note for note in report_of(fitted(p))["notes"] if "no finite ability" in note)

    assert right.startswith("every score is 1: m3, m4; ")
    assert wrong.startswith("every score is 0: m7; ")


@pytest.mark.parametrize("single", [True, False], ids=["single responses", "means"])
def test_configurations_of_one_score_have_no_ability_under_either_model(single: bool) -> None:
    p = np.random.default_rng(2).random((25, 40))
    p = (p < 0.5).astype(float) if single else p
    p[3], p[7] = 1, 0
    found = fitted(p)
    report = json.loads(json.dumps(report_of(found), allow_nan=False))["abilities"]
    assert {name for name, theta in report.items() if theta is None} == {"m3", "m7"}
    assert {name for name, theta in found.abilities.items() if np.isnan(theta)} == {"m3", "m7"}
    assert sum("no finite ability" in note for note in found.notes) == 2


def single_responses(persons: int = 25, items: int = 60) -> Array:
    """Right-or-wrong scores of the 2PL."""
    rng = np.random.default_rng(3)
    a, b, theta = np.exp(rng.normal(0, 0.4, items)), rng.normal(0, 1, items), rng.standard_normal(persons)
    return (rng.random((persons, items)) < expit(a * (theta[:, np.newaxis] - b))).astype(float)


def test_one_cell_of_twelve_thousand_moves_no_parameter_by_its_standard_error() -> None:
    p = single_responses(60, 200)
    before = calibrate_logistic(responses_of(PUBLISHED.to_logit(p)), Objective())
    p[0, np.flatnonzero(p[0])[0]] = 0.95  # a judge that is not quite sure
    found = fitted(p)
    after = found.fit
    assert found.model == "logistic 2PL"
    pi = expit(before.a * (before.theta[:, np.newaxis] - before.b))
    weights = pi * (1 - pi)
    by_easiness = 1 / np.sqrt(weights.sum(axis=0))
    by_slope = 1 / np.sqrt((weights * (before.a * before.theta[:, np.newaxis]) ** 2).sum(axis=0))
    assert (np.abs(after.a * after.b - before.a * before.b) < by_easiness).all()
    assert (np.abs(np.log(after.a / before.a)) < by_slope).all()
    assert np.abs(after.theta - before.theta).max() < 0.05


def test_right_answers_with_confidences_are_single_responses() -> None:
    p = single_responses()
    p *= np.where(np.random.default_rng(4).random(p.shape) < 0.4, 0.8, 1)
    assert fitted(p).model == "logistic 2PL"
    assert fitted(p, FitOptions(model=ResponseModel.LOGIT_NORMAL)).model == "logit-normal 2PL"


def test_scores_that_are_neither_means_nor_single_responses_are_left_to_the_operator() -> None:
    p = single_responses()
    p[:, :6] = np.linspace(0.2, 0.6, 6)  # 90 % near 0 or 1: one cell could otherwise decide
    assert "90.0 % of the scores are near 0 or 1" in refusal_of(p)
    assert 'FitOptions(model=...), "2PL_logit_normal" or "2PL_logistic"' in refusal_of(p)
    asked = fitted(p, FitOptions(model=ResponseModel.LOGISTIC))
    assert (asked.model, asked.reason[:12]) == ("logistic 2PL", "as asked for")
    assert "as asked for; 90.0 %" in description_of(asked)
    assert report_of(asked)["model_reason"] == asked.reason


def test_blocks_that_hang_by_one_cell_are_named() -> None:
    p = scores(50, 60, missing=0)
    p[:30, 30:], p[30:, :30] = NAN, NAN
    p[7, 45] = 0.5
    (note,) = (one for one in fitted(p).notes if "hang on" in one)
    assert note.startswith("20 of 50 configurations (m30, m31, ")
    assert "by p45 alone (responses on one side: 1)" in note
    p[:8, 40:50] = 0.5
    assert not any("hang on" in one for one in fitted(p).notes)


def test_of_two_equal_blocks_one_is_named() -> None:
    p = scores(60, 60, missing=0)
    p[:30, 30:], p[30:, :30] = NAN, NAN
    p[7, 45] = 0.5
    assert sum("hang on" in one for one in fitted(p).notes) == 1


def test_one_cell_of_means_moves_no_parameter_by_its_standard_error() -> None:
    p = scores(60, 200, missing=0)
    before = fitted(p)
    p[0, 0] = p[0, 0] + 0.05 if p[0, 0] < 0.9 else p[0, 0] - 0.05
    after = fitted(p)
    assert before.model == after.model == "logit-normal 2PL"
    by_item = before.fit.sigma_hat / np.sqrt(60)
    assert np.abs(after.fit.a * after.fit.b - before.fit.a * before.fit.b).max() < by_item
    assert np.abs(after.fit.a - before.fit.a).max() < by_item


def test_a_written_bank_read_back_scores_the_configurations_as_the_fit_does(tmp_path: Path) -> None:
    p = scores(25, 40, missing=0)
    found = fitted(p)
    path = tmp_path / "bank.json"

    write_item_parameters(path, parameters_of(found), description=description_of(found))
    parameters = read_item_parameters(path)

    assert parameters == parameters_of(found)
    assert (parameters.n_models, parameters.r_squared) == (25, found.fit.r_squared)
    bank, y = item_bank_from(parameters), PUBLISHED.to_logit(p)
    assert (y + bank.a * bank.b) @ bank.a / (bank.a @ bank.a) == pytest.approx(found.fit.theta, abs=1e-9)


def test_the_public_bank_comes_back_from_fifty_three_simulated_models_with_five_responses(
    shared_data: Path,
) -> None:
    # Published: sigma_hat 2.53, R^2 0.67; one simulation of them spreads by about 0.05 and 0.03.
    rng = np.random.default_rng(4)
    bank = item_bank_from(read_item_parameters(shared_data / "gim" / "irt_params.json"))
    theta = rng.standard_normal(53)
    p = dgp_r_table(bank, rng).epoch_means(theta, 5, rng)
    p[rng.random(p.shape) < 0.1] = NAN

    fit = calibrate(PUBLISHED.to_logit(p))

    assert np.corrcoef(theta, fit.theta)[0, 1] > 0.99
    assert np.corrcoef(np.log(bank.a), np.log(fit.a))[0, 1] > 0.8
    assert np.corrcoef(bank.a * bank.b, fit.a * fit.b)[0, 1] > 0.98
    assert fit.sigma_hat == pytest.approx(2.53, abs=0.2)
    assert fit.r_squared == pytest.approx(0.63, abs=0.1)


def test_sub_categories_are_optional() -> None:
    fit = fitted(scores(20, 3)).fit

    parameters = item_parameters_of(fit, prompt_ids=["x", "y", "z"], transform=PUBLISHED)

    assert [item.subcategory for item in parameters.items] == ["", "", ""]


def test_the_thirteen_columns_of_bbeh_give_a_bank_of_its_tasks(shared_data: Path) -> None:
    table = json.loads((shared_data / "bbeh" / "paper_table2.json").read_text())
    p = np.array([table["accuracy_percent"][task] for task in table["tasks"]]).T / 100
    clock = seconds()

    found = fit_matrix(
        response_matrix(table["models"], table["tasks"], p),
        options=FitOptions(),
        clock=lambda: next(clock),
    )

    assert found.matrix.p.shape == (13, 23)
    assert found.model == "logit-normal 1PL"
    theta = dict(zip(found.matrix.configurations, found.fit.theta, strict=True))
    assert max(theta, key=theta.__getitem__) == "o3-mini (high)"
    assert min(theta, key=theta.__getitem__) == "Random"
    y = PUBLISHED.to_logit(p)
    assert found.fit.theta == pytest.approx(y.mean(axis=1) - y.mean(), abs=1e-9)
