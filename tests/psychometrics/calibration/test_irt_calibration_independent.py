"""The stated objectives, written out cell by cell and minimised by scipy: no other bank is better."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from psychometrics.calibration import Calibration, Objective
from psychometrics.calibration.logistic import calibrate_logistic
from psychometrics.calibration.problems import LeastSquares, Logistic, Problem, leave_one_out
from psychometrics.calibration.responses import responses_of
from psychometrics.data.response_matrix import compressed
from psychometrics.irt.transform import Array, Transform

PERSONS, ITEMS = 14, 9
PUBLISHED = Transform(scale=0.998, offset=0.001)
CellLoss = Callable[[Array, Array], Array]  # logits and a (theta - b), both (N,)


def squares(y: Array, eta: Array) -> Array:
    return (y - eta) ** 2


def deviances(y: Array, eta: Array) -> Array:
    q, pi = expit(y), expit(eta)
    return np.pi**2 / 3 * 2 * (q * np.log(q / pi) + (1 - q) * np.log((1 - q) / (1 - pi)))


def logits(*, right_or_wrong: bool) -> Array:
    rng = np.random.default_rng(31)
    a, b = np.exp(rng.normal(0, 0.5, ITEMS)), rng.normal(0, 1, ITEMS)
    y: Array = a * (rng.standard_normal((PERSONS, 1)) - b) + rng.standard_normal((PERSONS, ITEMS))
    if right_or_wrong:
        y = PUBLISHED.to_logit((y > 0).astype(float))
    y[rng.random(y.shape) < 0.2] = np.nan
    return y


@cache
def best_loss(cell_loss: CellLoss, objective: Objective) -> float:
    """The least value of the objective from two starts, with scipy's own derivatives."""
    y = logits(right_or_wrong=cell_loss is deviances)
    seen: NDArray[np.bool_] = ~np.isnan(y)
    number = PERSONS + ITEMS * (1 + objective.discriminating)

    def loss(point: Array) -> float:
        theta, b, rest = np.split(point, [PERSONS, PERSONS + ITEMS])
        u = rest if objective.discriminating else np.zeros(ITEMS)
        eta = (np.exp(u) * (theta[:, np.newaxis] - b))[seen]
        centring = objective.centring * theta.mean() ** 2
        return float(cell_loss(y[seen], eta).mean() + objective.ridge * (u**2).mean() + centring)

    rng = np.random.default_rng(32)
    starts = [np.zeros(number), 0.5 * rng.standard_normal(number)]
    return min(float(minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).fun) for start in starts)


@pytest.mark.parametrize("sparse", [False, True], ids=["full", "sparse"])
@pytest.mark.parametrize("discriminating", [True, False], ids=["2PL", "1PL"])
@pytest.mark.parametrize(
    ("model", "cell_loss"), [(LeastSquares, squares), (Logistic, deviances)], ids=["normal", "logistic"]
)
def test_a_general_minimiser_finds_no_better_bank(
    model: type[Problem], cell_loss: CellLoss, *, discriminating: bool, sparse: bool
) -> None:
    y = logits(right_or_wrong=model is Logistic)
    objective = Objective(ridge=0.3, centring=0.02, discriminating=discriminating)

    fit = model(responses_of(compressed(y, ~np.isnan(y)) if sparse else y), objective).fit()

    assert fit.converged
    best = best_loss(cell_loss, objective)
    assert fit.loss <= best + 1e-8
    assert fit.loss == pytest.approx(best, abs=1e-4)  # numerical derivatives end a little above the optimum
    assert loss_by_hand(y, fit, cell_loss, objective) == pytest.approx(fit.loss, abs=1e-9)
    assert np.abs([fit.theta.mean(), np.log(fit.a).mean()]).max() < 1e-9


def loss_by_hand(y: Array, fit: Calibration, cell_loss: CellLoss, objective: Objective) -> float:
    cells = [
        cell_loss(y[i, j : j + 1], fit.a[j] * (fit.theta[i : i + 1] - fit.b[j]))[0]
        for i, j in np.argwhere(~np.isnan(y))
    ]
    return float(np.mean(cells) + objective.ridge * np.mean(np.log(fit.a) ** 2))


def test_leaving_one_out_of_the_logistic_model_is_a_fit_of_the_others_and_a_score_on_their_bank() -> None:
    y = logits(right_or_wrong=True)
    objective = Objective(ridge=5)  # quickly fitted
    problem = Logistic(responses_of(y), objective)
    fit = problem.fit()
    others = Logistic(responses_of(np.delete(y, 3, axis=0)), objective).fit()
    seen = ~np.isnan(y[3])

    def pull(theta: float) -> float:
        return float(others.a[seen] @ (expit(y[3][seen]) - expit(others.a[seen] * (theta - others.b[seen]))))

    held_out = fit.theta[3] + leave_one_out(problem, fit).difference[3]

    assert pull(held_out) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("ridge", [5, 50, 1e6])
def test_the_logistic_search_ends_by_itself_whatever_the_weight_of_the_ridge(ridge: float) -> None:
    fit = calibrate_logistic(responses_of(logits(right_or_wrong=True)), Objective(ridge))

    assert fit.converged
    assert fit.sweeps < 2_000
