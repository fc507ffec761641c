"""The published optimiser as a cross-check: Adam with a step of 0.01 over 10,007 steps (GIM paper, I.9.2).

It moves theta, log a and b along the gradient of F and ends near the optimum that `alternating` finds
exactly: at this step size it keeps jittering. Kingma and Ba (2015), with their defaults for the moments.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from psychometrics.calibration.alternating import figures
from psychometrics.calibration.model import Calibration, NotCalibratable, Objective
from psychometrics.calibration.responses import DenseResponses, Responses
from psychometrics.irt.transform import Array

STEPS, RATE = 10_007, 0.01
FIRST_DECAY, SECOND_DECAY, EPSILON = 0.9, 0.999, 1e-8
MAX_CELLS = 1_000_000  # some minutes
REPORT_EVERY = 100


def calibrate_with_adam(
    data: Responses,
    objective: Objective,
    *,
    steps: int = STEPS,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Calibration:
    """The bank after `steps` steps as it is then; neither gauge nor items are brought to their optimum.

    Raises NotCalibratable for a matrix that is sparse or has more than a million cells.
    """
    if not isinstance(data, DenseResponses) or np.prod(data.shape) > MAX_CELLS:
        raise NotCalibratable(
            f"adam is a cross-check for well-filled matrices of up to {MAX_CELLS:,} cells; use als"
        )
    persons, items = data.shape
    y = data.y + data.seen * data.item_means
    point = np.concatenate([data.start(), np.zeros(items), -data.item_means])
    first, second = np.zeros_like(point), np.zeros_like(point)
    for step in range(1, steps + 1):
        slope = _gradient(point, y, data, objective)
        first += (1 - FIRST_DECAY) * (slope - first)
        second += (1 - SECOND_DECAY) * (slope**2 - second)
        scale = np.sqrt(second / (1 - SECOND_DECAY**step)) + EPSILON
        point = point - RATE * first / (1 - FIRST_DECAY**step) / scale
        if step % REPORT_EVERY == 0:
            progress(step, steps)
    theta, u, b = np.split(point, [persons, persons + items])
    gradient = float(np.abs(_gradient(point, y, data, objective)[:persons]).max())
    found = figures(data, theta, u, np.exp(u) * b + data.item_means, objective)
    return replace(found, sweeps=steps, gradient=gradient)


def _gradient(point: Array, y: Array, data: DenseResponses, objective: Objective) -> Array:
    """The derivatives of F by theta (I,), u (J,) and b (J,), in this order."""
    persons, items = data.shape
    theta, u, b = np.split(point, [persons, persons + items])
    a = np.exp(u)
    residuals = np.multiply.outer(theta, a)
    residuals -= a * b
    residuals *= data.seen
    np.subtract(y, residuals, out=residuals)
    sums, products = residuals.sum(axis=0), theta @ residuals
    by_theta = -2 * (residuals @ a) / data.total + 2 * objective.centring * theta.mean() / persons
    by_b = 2 * a * sums / data.total
    if objective.discriminating:
        by_u = -2 * a * (products - b * sums) / data.total + 2 * objective.ridge * u / items
    else:
        by_u = np.zeros(items)
    return np.concatenate([by_theta, by_u, by_b])
