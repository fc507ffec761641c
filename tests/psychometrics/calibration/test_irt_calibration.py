import math

import numpy as np
import pytest

from psychometrics.calibration import Calibration, NotCalibratable, calibrate, item_parameters_of
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import expected_logits, logit_normal_scores
from psychometrics.irt.transform import Array, Transform

PUBLISHED = Transform(scale=0.998, offset=0.001)
NAN = math.nan


def simulated_bank(items: int, *, seed: int) -> ItemBank:
    rng = np.random.default_rng(seed)
    log_a = rng.normal(0, 0.59, items)
    return ItemBank(
        prompt_ids=tuple(f"p{number}" for number in range(items)),
        a=np.exp(log_a - log_a.mean()),
        b=rng.normal(0, 2, items),
        subcategories=("",) * items,
        transform=PUBLISHED,
        sigma_hat=2.5,
    )


def responses(
    examinees: int, items: int, *, seed: int, missing: float = 0.1
) -> tuple[Array, Array, ItemBank]:
    """(logits, true abilities, true bank) with a share of the cells missing."""
    rng = np.random.default_rng(seed)
    bank = simulated_bank(items, seed=seed)
    theta = rng.standard_normal(examinees)
    p = logit_normal_scores(theta, bank, sigma=2.5, rng=rng)
    p[rng.random(p.shape) < missing] = NAN
    return PUBLISHED.to_logit(p), theta, bank


def objective(
    theta: Array, u: Array, c: Array, y: Array, *, ridge: float = 0.5, centring: float = 0.0
) -> float:
    """The published objective, written out independently of the solver."""
    residuals = y - np.exp(u) * theta[:, np.newaxis] + c
    return float(np.nanmean(residuals**2) + ridge * np.mean(u**2) + centring * np.mean(theta) ** 2)


def objective_at(fit: Calibration, y: Array) -> float:
    return objective(fit.theta, np.log(fit.a), fit.a * fit.b, y)


def test_one_item_is_solved_by_hand() -> None:
    # With a single item mean(log a) = 0 forces a = 1, and the abilities fit exactly: theta = y - mean(y).
    fit = calibrate(np.array([[1.0], [2.0], [6.0]]))

    assert fit.theta == pytest.approx([-2, -1, 3], abs=1e-9)
    assert fit.a == pytest.approx([1], abs=1e-9)
    assert fit.b == pytest.approx([-3], abs=1e-9)
    assert fit.loss == pytest.approx(0, abs=1e-15)


def test_two_equal_items_are_solved_by_hand() -> None:
    # Cells 0, 2 / 2, 4: rows differ by 2, columns by 2, no interaction, so a = 1 fits exactly.
    fit = calibrate(np.array([[0.0, 2.0], [2.0, 4.0]]))

    assert fit.theta == pytest.approx([-1, 1], abs=1e-9)
    assert fit.a == pytest.approx([1, 1], abs=1e-9)
    assert fit.b == pytest.approx([-1, -3], abs=1e-9)
    assert fit.r_squared == pytest.approx(1, abs=1e-12)
    assert fit.sigma_hat == pytest.approx(0, abs=1e-9)


def test_the_solution_is_stationary_in_every_parameter() -> None:
    y, _, _ = responses(12, 25, seed=1)
    fit = calibrate(y)
    point = np.concatenate([fit.theta, np.log(fit.a), fit.a * fit.b])

    def value(x: Array) -> float:
        return objective(x[:12], x[12:37], x[37:], y, centring=0.01)

    step = 1e-5
    slopes = [(value(point + step * unit) - value(point - step * unit)) / (2 * step) for unit in np.eye(62)]

    assert fit.converged
    assert fit.gradient < 1e-8
    assert np.abs(slopes).max() < 1e-7
    assert fit.loss == pytest.approx(objective_at(fit, y), abs=1e-12)


def test_the_centring_weight_has_no_effect_because_the_means_are_zero() -> None:
    y, _, _ = responses(12, 25, seed=2)

    fit = calibrate(y)

    assert fit.theta.mean() == pytest.approx(0, abs=1e-9)
    assert np.log(fit.a).mean() == pytest.approx(0, abs=1e-8)


def test_no_disturbed_solution_is_better() -> None:
    y, _, _ = responses(12, 25, seed=3)
    fit = calibrate(y)
    rng = np.random.default_rng(4)

    for size in (1e-3, 0.1, 1.0):
        theta = fit.theta + size * rng.standard_normal(12)
        u = np.log(fit.a) + size * rng.standard_normal(25)
        assert objective(theta, u, fit.a * fit.b, y) > fit.loss


def test_a_simulated_bank_is_recovered_as_well_as_the_data_allow() -> None:
    y, theta, bank = responses(53, 820, seed=5)

    fit = calibrate(y)

    assert np.corrcoef(theta, fit.theta)[0, 1] > 0.99
    assert np.corrcoef(np.log(bank.a), np.log(fit.a))[0, 1] > 0.65
    assert np.corrcoef(bank.a * bank.b, fit.a * fit.b)[0, 1] > 0.96
    assert fit.sweeps <= 20
    assert 0.3 < fit.r_squared < 0.9


def test_without_noise_and_penalty_the_parameters_come_back_exactly() -> None:
    bank = simulated_bank(10, seed=6)
    theta = np.linspace(-1, 1, 9)

    fit = calibrate(expected_logits(theta, bank), ridge=1e-12, tolerance=1e-12)

    assert fit.theta == pytest.approx(theta, abs=1e-6)
    assert fit.a == pytest.approx(bank.a, abs=1e-6)
    assert fit.b == pytest.approx(bank.b, abs=1e-6)
    assert fit.r_squared == pytest.approx(1, abs=1e-9)


def test_an_item_everybody_fails_keeps_a_moderate_discrimination() -> None:
    # Covariance 0 leaves Var(theta) a^2 + ridge log a = 0 (per-item mean penalty): a is the root of that.
    y, _, _ = responses(53, 40, seed=7, missing=0)
    y[:, 0] = PUBLISHED.to_logit(np.array([0.0]))[0]

    fit = calibrate(y)

    variance = float((fit.theta**2).mean())
    assert variance * fit.a[0] ** 2 + 0.5 * math.log(fit.a[0]) == pytest.approx(0, abs=1e-9)
    assert fit.b[0] > 5


def test_the_search_may_end_before_it_has_converged_and_says_so() -> None:
    y, _, _ = responses(12, 25, seed=8)

    fit = calibrate(y, max_sweeps=1)

    assert not fit.converged
    assert fit.sweeps == 1
    assert fit.loss == pytest.approx(objective_at(fit, y), abs=1e-12)


@pytest.mark.parametrize(
    "y",
    [
        np.array([[1.0, NAN], [2.0, NAN]]),
        np.array([[1.0, 2.0], [NAN, NAN]]),
        np.empty((0, 3)),
        np.array([1.0, 2.0]),
    ],
    ids=["empty column", "empty row", "no rows", "one dimension"],
)
def test_a_matrix_that_does_not_determine_the_bank_is_refused(y: Array) -> None:
    with pytest.raises(NotCalibratable, match="every row and every column needs at least one score"):
        calibrate(y)


def test_a_fit_becomes_an_item_bank_on_which_the_same_people_score_their_abilities() -> None:
    y, _, _ = responses(53, 40, seed=9, missing=0)
    fit = calibrate(y)

    parameters = item_parameters_of(
        fit, prompt_ids=[f"p{j}" for j in range(40)], subcategories=["QR"] * 40, transform=PUBLISHED
    )
    bank = item_bank_from(parameters)

    assert (parameters.n_models, parameters.sigma_hat) == (53, fit.sigma_hat)
    assert bank.b.tolist() == fit.b.tolist()
    theta = (y + bank.a * bank.b) @ bank.a / (bank.a @ bank.a)
    assert theta == pytest.approx(fit.theta, abs=1e-7)


def test_the_same_seed_simulates_the_same_scores() -> None:
    bank = simulated_bank(5, seed=12)
    theta = np.array([-1.0, 1.0])

    first, second = (
        logit_normal_scores(theta, bank, sigma=2.0, rng=np.random.default_rng(13)) for _ in range(2)
    )

    assert first.tolist() == second.tolist()
    assert first.min() >= 0
    assert first.max() <= 1
