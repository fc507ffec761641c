"""The exact minimum of the published objective by alternating least squares with acceleration.

Given the abilities the items separate (`items`); given the items

    theta_i = sum_j a_j (y_ij + c_j) / sum_j a_j^2.

The two halves are one sweep. After each the gauge mean(theta) = mean(log a) = 0 is restored, which is the
exact optimum of both penalties. Anderson's extrapolation of the last five sweeps speeds this up; where it
raises F, the plain sweep is taken instead and the extrapolation starts afresh.
"""

from collections import deque
from dataclasses import replace

import numpy as np

from psychometrics.calibration.anderson import DEPTH, extrapolated
from psychometrics.calibration.items import Items, items_at, penalty
from psychometrics.calibration.model import CENTRING, RIDGE, Calibration, Objective, Steps, unheard
from psychometrics.calibration.responses import LogitMatrix, Responses, responses_of
from psychometrics.irt.transform import Array

TOLERANCE = 1e-10  # logits
MAX_SWEEPS = 500
ROUNDING = 1e-14  # of F: a smaller rise says nothing about the extrapolation


def calibrate(
    y: LogitMatrix,
    *,
    ridge: float = RIDGE,
    centring: float = CENTRING,
    discriminating: bool = True,
    tolerance: float = TOLERANCE,
    max_sweeps: int = MAX_SWEEPS,
) -> Calibration:
    """Fit abilities and items to logits `y` (configurations x items, NaN or no entry = missing).

    Stops when a sweep moves no ability by more than `tolerance` logits. Raises NotCalibratable where a row or
    a column is empty.
    """
    objective = Objective(ridge, centring, discriminating)
    return alternate(responses_of(y), objective, tolerance=tolerance, max_sweeps=max_sweeps)


def alternate(
    data: Responses,
    objective: Objective,
    *,
    start: Array | None = None,
    u: Array | None = None,
    tolerance: float = TOLERANCE,
    max_sweeps: int = MAX_SWEEPS,
    progress: Steps = unheard,
) -> Calibration:
    """`start` (I,) and `u` (J,) of a similar fit make the search shorter; they do not change its end."""
    theta = data.start() if start is None else start - start.mean()
    items = items_at(data, theta, objective, u=u)
    history: deque[tuple[Array, Array]] = deque(maxlen=DEPTH + 1)
    for sweeps in range(1, max_sweeps + 1):
        progress(sweeps)
        image = abilities_at(data, items)
        converged = bool(np.abs(image - theta).max() <= tolerance)
        if converged:
            break
        history.append((theta, image))
        theta = extrapolated(history)
        found = items_at(data, theta, objective, u=items.u)
        if not found.loss <= items.loss * (1 + ROUNDING):
            theta, found = image, items_at(data, image, objective, u=items.u)
            history.clear()
        items = found
    return calibration_at(data, image, objective, u=items.u, sweeps=sweeps, converged=converged)


def abilities_at(data: Responses, items: Items) -> Array:
    """The abilities (I,) that minimise F given the items, in the gauge mean(theta) = mean(u) = 0."""
    above, below = data.person_sums(items.a, items.a * items.m)
    theta = above / below
    in_gauge: Array = (theta - theta.mean()) * np.exp(items.u.mean())
    return in_gauge


def gradient_at(data: Responses, theta: Array, items: Items, objective: Objective) -> Array:
    """The derivative (I,) of min F over the items by the abilities (envelope theorem)."""
    above, below = data.person_sums(items.a, items.a * items.m)
    slope: Array = 2 * (theta * below - above) / data.total
    slope += 2 * objective.centring * float(theta.mean()) / len(theta)
    return slope


def calibration_at(
    data: Responses,
    theta: Array,
    objective: Objective,
    *,
    u: Array | None = None,
    sweeps: int,
    converged: bool,
) -> Calibration:
    """The best bank at these abilities, with its figures."""
    items = items_at(data, theta, objective, u=u)
    found = figures(data, theta, items.u, items.a * items.m, objective)
    gradient = gradient_at(data, theta, items, objective)
    return replace(found, sweeps=sweeps, converged=converged, gradient=float(np.abs(gradient).max()))


def figures(data: Responses, theta: Array, u: Array, c: Array, objective: Objective) -> Calibration:
    """A bank (u and c = a b + ybar, both (J,)) as a result; R^2 is NaN where all logits are equal."""
    a = np.exp(u)
    squares = data.residual_squares(theta, a, c)
    spread = data.spread
    return Calibration(
        theta=theta,
        a=a,
        b=(c - data.item_means) / a,
        sigma_hat=float(np.sqrt(squares / data.total)),
        r_squared=1 - squares / spread if spread > 0 else np.nan,
        loss=squares / data.total + penalty(theta, u, objective),
        sweeps=0,
        gradient=np.nan,
        converged=True,
    )
