"""Leaving configurations out of a logistic calibration: by Newton's method, on one thread, if asked for."""

import time
import tracemalloc

import numpy as np
import pytest

import psychometrics as pm
from psychometrics.calibration import Objective, logistic, responses
from psychometrics.calibration.blas import _controls, one_blas_thread
from psychometrics.calibration.logistic import calibrate_logistic
from psychometrics.calibration.model import Calibration
from psychometrics.calibration.responses import responses_of
from psychometrics.data import response_matrix
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.irt.transform import Array, Transform

PUBLISHED = Transform(scale=0.998, offset=0.001)


def right_or_wrong(persons: int, items: int, *, missing: float = 0.0) -> Array:
    rng = np.random.default_rng(17)
    theta, a, b = rng.normal(size=(persons, 1)), rng.lognormal(0, 0.3, items), 1.5 * rng.normal(size=items)
    p = (rng.random((persons, items)) < 1 / (1 + np.exp(-a * (theta - b)))).astype(float)
    p[rng.random(p.shape) < missing] = np.nan
    return p


def matrix_of(p: Array) -> ResponseMatrix:
    return pm.response_matrix(range(p.shape[0]), range(p.shape[1]), p)


@pytest.mark.parametrize("discriminating", [True, False])
def test_from_the_fit_of_all_newton_finds_what_a_search_finds(
    discriminating: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    objective = Objective(discriminating=discriminating)
    y = PUBLISHED.to_logit(right_or_wrong(30, 60, missing=0.1))
    whole = calibrate_logistic(responses_of(y), objective)
    rest = np.delete(y, 4, axis=0)
    warm = Calibration(np.delete(whole.theta, 4), whole.a, whole.b, 0, 0, 0, 0, 0, True)

    found = calibrate_logistic(responses_of(rest), objective, warm=warm)
    monkeypatch.setattr(logistic, "MAX_CELLS", 0)
    searched = calibrate_logistic(responses_of(rest), objective, warm=warm)

    assert found.sweeps <= 6 < searched.sweeps
    assert np.abs(found.theta - searched.theta).max() <= 1e-5
    assert np.abs(np.log(found.a) - np.log(searched.a)).max() <= 1e-4
    assert found.loss == pytest.approx(searched.loss, abs=1e-9)
    assert found.converged


def test_far_from_the_optimum_the_search_takes_over() -> None:
    y = PUBLISHED.to_logit(right_or_wrong(30, 60))
    whole = calibrate_logistic(responses_of(y), Objective())
    far = Calibration(-5 * whole.theta, whole.a**3, whole.b + 4, 0, 0, 0, 0, 0, True)

    found = calibrate_logistic(responses_of(y), Objective(), warm=far)

    assert found.theta == pytest.approx(whole.theta, abs=1e-4)


def test_leaving_out_a_hundred_configurations_takes_seconds_and_none_if_nobody_asks() -> None:
    matrix = matrix_of(right_or_wrong(100, 400))
    began = time.process_time()
    fit = pm.calibrate(matrix)
    # Two seconds are the target on a quiet processor; a search for each took twelve.
    assert time.process_time() - began < 5
    assert fit.left_out is not None

    alone = pm.calibrate(matrix, pm.FitOptions(leave_one_out=False))

    assert alone.left_out is None
    assert not any("leave-one" in note for note in alone.notes)
    assert alone.fit.theta == pytest.approx(fit.fit.theta)


def test_one_thread_is_for_the_while_only() -> None:
    before = [get() for get, _ in _controls()]
    with one_blas_thread():
        assert [get() for get, _ in _controls()] == [1] * len(before)
    assert [get() for get, _ in _controls()] == before


@pytest.mark.parametrize("model", list(pm.ResponseModel))
def test_a_large_matrix_is_not_held_more_than_four_times(
    model: pm.ResponseModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small parts instead of a large matrix: what is held at once does not grow with it."""
    monkeypatch.setattr(logistic, "ENTRIES", 1 << 12)
    monkeypatch.setattr(logistic, "MAX_STEPS", 3)
    monkeypatch.setattr(responses, "CELLS", 1 << 13)
    monkeypatch.setattr(response_matrix, "AT_ONCE", 1 << 12)
    p = right_or_wrong(2_100, 300)  # above 2,000 configurations nothing is compared in pairs
    tracemalloc.start()
    try:
        matrix = matrix_of(p)
        del p
        tracemalloc.reset_peak()
        pm.calibrate(matrix, pm.FitOptions(model=model))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 4 * 8 * 2_100 * 300
