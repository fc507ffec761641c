"""The solver's second opinions: sparse against full, Newton, Adam, leave-one-out, the logistic model."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from psychometrics.calibration import Objective, calibrate
from psychometrics.calibration.adam import calibrate_with_adam
from psychometrics.calibration.alternating import alternate, gradient_at, items_at
from psychometrics.calibration.logistic import LogisticResponses, calibrate_logistic, logistic_ability
from psychometrics.calibration.model import Calibration, NotCalibratable
from psychometrics.calibration.newton import newton_check, schur_hessian
from psychometrics.calibration.problems import LeastSquares, Logistic, leave_one_out
from psychometrics.calibration.responses import SparseLogits, responses_of
from psychometrics.data.response_matrix import compressed
from psychometrics.irt.transform import Array, Transform

PUBLISHED = Transform(scale=0.998, offset=0.001)
ROUNDING = 1e-12


def logits(persons: int, items: int, *, seed: int, missing: float = 0.1, spread: float = 2.0) -> Array:
    rng = np.random.default_rng(seed)
    a, b, theta = np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 2, items), rng.standard_normal(persons)
    y: Array = a * (theta[:, np.newaxis] - b) + spread * rng.standard_normal((persons, items))
    y[rng.random(y.shape) < missing] = np.nan
    return y


def right_or_wrong(persons: int, items: int, *, seed: int) -> tuple[Array, Array, Array, Array]:
    """Squeezed logits of 0/1 responses with the true theta, log a (mean 0) and b."""
    rng = np.random.default_rng(seed)
    u, b, theta = rng.normal(0, 0.6, items), rng.normal(0, 1.5, items), rng.standard_normal(persons)
    u -= u.mean()
    p = (rng.random((persons, items)) < expit(np.exp(u) * (theta[:, np.newaxis] - b))).astype(float)
    p[rng.random(p.shape) < 0.1] = np.nan
    return PUBLISHED.to_logit(p), theta, u, b


def as_sparse(y: Array) -> SparseLogits:
    return compressed(y, ~np.isnan(y))


def test_a_sparse_matrix_gives_the_bank_of_the_same_full_one() -> None:
    y = logits(30, 60, seed=1, missing=0.6)

    full, sparse = calibrate(y), calibrate(as_sparse(y))

    assert sparse.theta == pytest.approx(full.theta, abs=1e-8)
    assert sparse.a == pytest.approx(full.a, abs=1e-8)
    assert sparse.b == pytest.approx(full.b, abs=1e-7)
    assert sparse.loss == pytest.approx(full.loss, abs=1e-12)
    assert sparse.r_squared == pytest.approx(full.r_squared, abs=1e-12)


def test_a_logit_of_zero_in_a_sparse_matrix_is_a_response() -> None:
    y = sp.csr_array(([0.0, 2.0, 2.0, 4.0], [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))

    fit = calibrate(y)

    assert fit.theta == pytest.approx([-1, 1], abs=1e-9)
    assert fit.b == pytest.approx([-1, -3], abs=1e-9)


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    y = logits(25, 40, seed=2)
    rng = np.random.default_rng(3)
    rows, columns = rng.permutation(25), rng.permutation(40)

    fit, shuffled = calibrate(y), calibrate(y[rows][:, columns])

    assert shuffled.theta == pytest.approx(fit.theta[rows], abs=1e-8)
    assert shuffled.a == pytest.approx(fit.a[columns], abs=1e-8)
    assert shuffled.loss == pytest.approx(fit.loss, abs=1e-12)


def test_moving_all_logits_moves_the_difficulties_alone() -> None:
    y = logits(25, 40, seed=4)

    fit, moved = calibrate(y), calibrate(y + 1000)

    assert moved.theta == pytest.approx(fit.theta, abs=1e-8)
    assert moved.a * moved.b == pytest.approx(fit.a * fit.b - 1000, abs=1e-7)
    assert moved.loss == pytest.approx(fit.loss, abs=1e-10)


def test_difficulty_only_is_the_additive_two_way_table_by_hand() -> None:
    # Row means 1, 3, 8 and column means 3, 5 around the grand mean 4; a = 1, b_j = -column mean.
    fit = calibrate(np.array([[0.0, 2.0], [2.0, 4.0], [7.0, 9.0]]), discriminating=False)

    assert fit.theta == pytest.approx([-3, -1, 4], abs=1e-9)
    assert fit.a.tolist() == [1, 1]
    assert fit.b == pytest.approx([-3, -5], abs=1e-9)


@pytest.mark.parametrize("sparse", [False, True], ids=["full", "sparse"])
@pytest.mark.parametrize("discriminating", [True, False], ids=["2PL", "1PL"])
def test_the_gradient_and_the_schur_hessian_agree_with_finite_differences(
    *, sparse: bool, discriminating: bool
) -> None:
    y = logits(10, 24, seed=5)
    data = responses_of(as_sparse(y) if sparse else y)
    objective = Objective(centring=0.01, discriminating=discriminating)
    uncentred = Objective(centring=0, discriminating=discriminating)
    theta = np.random.default_rng(6).standard_normal(10)
    items = items_at(data, theta, objective)
    step, units = 1e-5, np.eye(10)

    def loss(at: Array) -> float:
        return items_at(data, at, objective).loss

    def slope(at: Array) -> Array:
        return gradient_at(data, at, items_at(data, at, uncentred), uncentred)

    by_loss = [(loss(theta + step * unit) - loss(theta - step * unit)) / (2 * step) for unit in units]
    by_slope = [(slope(theta + step * unit) - slope(theta - step * unit)) / (2 * step) for unit in units]

    assert gradient_at(data, theta, items, objective) == pytest.approx(np.array(by_loss), abs=1e-8)
    assert schur_hessian(data, theta, items, uncentred) == pytest.approx(np.array(by_slope), abs=1e-9)


def test_newton_confirms_a_converged_fit_and_completes_an_early_one() -> None:
    data = responses_of(logits(25, 60, seed=7))
    exact, early = alternate(data, Objective()), alternate(data, Objective(), max_sweeps=3)

    confirmed, check = newton_check(data, exact, Objective())
    completed, correction = newton_check(data, early, Objective())

    assert check.minimum
    assert check.move < 1e-8
    assert check.gradient_after < 1e-15
    assert confirmed.theta == pytest.approx(exact.theta, abs=1e-9)
    assert correction.move == pytest.approx(np.abs(exact.theta - early.theta).max(), rel=0.1)
    assert correction.gradient_after < 0.01 * correction.gradient
    assert completed.loss <= early.loss


def test_a_saddle_is_no_minimum() -> None:
    # All abilities 0 is stationary for items that differ in direction, and the curvature says what it is.
    data = responses_of(logits(12, 30, seed=8, missing=0))
    flat = Calibration(np.zeros(12), np.ones(30), np.zeros(30), 1, 0, 0, 0, 0, converged=True)

    unchanged, check = newton_check(data, flat, Objective())

    assert not check.minimum
    assert unchanged is flat


def test_ten_random_starts_end_at_the_same_loss() -> None:
    data = responses_of(logits(25, 40, seed=9))
    rng = np.random.default_rng(10)
    losses = [alternate(data, Objective(), start=rng.standard_normal(25)).loss for _ in range(10)]

    assert losses == pytest.approx([losses[0]] * 10, abs=1e-11)


def test_adam_comes_near_the_exact_optimum_and_never_below_it() -> None:
    data = responses_of(logits(12, 25, seed=11))

    exact, adam = alternate(data, Objective()), calibrate_with_adam(data, Objective(), steps=4_000)

    assert exact.loss - ROUNDING <= adam.loss < exact.loss + 1e-4
    assert adam.theta == pytest.approx(exact.theta, abs=0.01)
    assert np.log(adam.a) == pytest.approx(np.log(exact.a), abs=0.02)


def test_adam_finds_difficulties_alone_too_and_refuses_sparse_matrices() -> None:
    y = logits(8, 10, seed=12)
    objective = Objective(discriminating=False)

    adam = calibrate_with_adam(responses_of(y), objective, steps=3_000)

    assert adam.a.tolist() == [1] * 10
    assert adam.theta == pytest.approx(calibrate(y, discriminating=False).theta, abs=0.01)
    with pytest.raises(NotCalibratable, match="use als"):
        calibrate_with_adam(responses_of(as_sparse(y)), objective)


@pytest.mark.parametrize("sparse", [False, True], ids=["full", "sparse"])
def test_leaving_one_out_is_a_fit_of_the_others_and_a_score_on_their_bank(*, sparse: bool) -> None:
    y = logits(12, 40, seed=13)
    problem = LeastSquares(responses_of(as_sparse(y) if sparse else y), Objective())
    fit = problem.fit()

    found = leave_one_out(problem, fit)

    others = calibrate(np.delete(y, 4, axis=0))
    seen = ~np.isnan(y[4])
    a, b = others.a[seen], others.b[seen]
    alone = a @ (y[4][seen] + a * b) / (a @ a)
    assert found.difference[4] == pytest.approx(alone - fit.theta[4], abs=1e-7)
    assert found.aligned[4] == pytest.approx(found.difference[4] - fit.theta[4] / 11, abs=1e-7)


def test_with_complete_data_and_difficulties_alone_nobody_s_ability_depends_on_being_in() -> None:
    problem = LeastSquares(responses_of(logits(10, 20, seed=14, missing=0)), Objective(discriminating=False))

    assert leave_one_out(problem, problem.fit()).aligned == pytest.approx(np.zeros(10), abs=1e-9)


def test_the_only_link_between_two_parts_cannot_be_left_out() -> None:
    y = logits(9, 20, seed=15, missing=0)
    y[:4, 10:] = np.nan
    y[5:, :10] = np.nan
    problem = LeastSquares(responses_of(y), Objective())

    found = leave_one_out(problem, problem.fit())

    assert found.unlinked.tolist() == [4]
    assert np.isfinite(np.delete(found.difference, 4)).all()


def test_the_logistic_gradient_agrees_with_finite_differences() -> None:
    y, *_ = right_or_wrong(8, 6, seed=16)
    responses = LogisticResponses.of(responses_of(y), Objective())
    point = 0.3 * np.random.default_rng(17).standard_normal(8 + 2 * 6)
    step = 1e-6

    def loss(at: Array) -> float:
        return responses.loss_and_gradient(at, Objective())[0]

    numeric = [(loss(point + step * unit) - loss(point - step * unit)) / (2 * step) for unit in np.eye(20)]

    assert responses.loss_and_gradient(point, Objective())[1] == pytest.approx(np.array(numeric), abs=1e-7)


def test_the_logistic_model_recovers_a_simulated_bank() -> None:
    y, theta, u, b = right_or_wrong(150, 100, seed=18)

    fit = calibrate_logistic(responses_of(y), Objective())

    assert fit.converged
    assert fit.theta.mean() == pytest.approx(0, abs=1e-12)
    assert np.log(fit.a).mean() == pytest.approx(0, abs=1e-12)
    assert np.corrcoef(theta, fit.theta)[0, 1] > 0.94
    assert np.corrcoef(u, np.log(fit.a))[0, 1] > 0.7
    assert np.corrcoef(np.exp(u) * b, fit.a * fit.b)[0, 1] > 0.94
    assert 0.8 < np.polyfit(theta, fit.theta, 1)[0] < 1.3


def test_an_item_everybody_fails_and_a_person_who_fails_everything_stay_finite() -> None:
    y, *_ = right_or_wrong(25, 30, seed=19)
    y[:, 3] = PUBLISHED.to_logit(np.array([0.0]))[0]
    y[7, :] = PUBLISHED.to_logit(np.array([0.0]))[0]

    fit = calibrate_logistic(responses_of(y), Objective())

    assert fit.b[3] == fit.b.max()
    assert fit.theta[7] == fit.theta.min()
    assert np.abs(fit.a * fit.b).max() < 20
    assert fit.theta.min() > -20


def test_without_discriminations_the_logistic_score_equation_holds_for_everybody() -> None:
    y, *_ = right_or_wrong(20, 30, seed=20)

    fit = calibrate_logistic(responses_of(y), Objective(discriminating=False))

    assert fit.a.tolist() == [1] * 30
    expected = expit(fit.theta[:, np.newaxis] - fit.b)
    assert np.nansum(expit(y) - expected, axis=1) == pytest.approx(np.zeros(20), abs=1e-5)
    seen = ~np.isnan(y[0])
    assert logistic_ability(fit.a[seen], fit.b[seen], y[0][seen]) == pytest.approx(fit.theta[0], abs=1e-5)


def test_leaving_one_out_works_for_the_logistic_model() -> None:
    y, *_ = right_or_wrong(10, 30, seed=21)
    problem = Logistic(responses_of(y), Objective(discriminating=False))

    found = leave_one_out(problem, problem.fit())

    assert np.abs(found.aligned).max() < 0.3
    assert np.abs(found.aligned).max() > 0


def test_no_sweep_ends_above_the_start_however_little_the_data_say() -> None:
    y = logits(40, 60, seed=22, missing=0.85, spread=5)
    y = y[:, (~np.isnan(y)).any(axis=0)]
    data = responses_of(y)
    start = items_at(data, data.start(), Objective()).loss

    losses = [alternate(data, Objective(), max_sweeps=sweeps).loss for sweeps in range(1, 40)]

    assert max(losses) <= start
    assert losses[-1] == pytest.approx(min(losses), abs=1e-9)


def test_sweeps_and_steps_are_heard() -> None:
    y, *_ = right_or_wrong(10, 30, seed=23)
    sweeps: list[int] = []
    steps: list[int] = []

    fit = LeastSquares(responses_of(logits(10, 30, seed=23)), Objective()).fit(progress=sweeps.append)
    logistic = Logistic(responses_of(y), Objective()).fit(progress=steps.append)

    assert sweeps == list(range(1, fit.sweeps + 1))
    assert steps == list(range(1, logistic.sweeps + 1))
