"""The exact minimum of the published objective by alternating least squares with acceleration.

Given the abilities every item is a problem of its own. With S = sum (theta - m)^2 and T = sum theta y over an
item's n responses (y centred by item, m the mean of their theta), c = a m and log a = u is the root of

    S e^(2u) - T e^u + L u = 0,      L = ridge N / J.

A second local minimum needs a least-squares discrimination T / S above 10.9, which real banks do not have.
Given the items

    theta_i = sum_j a_j (y_ij + c_j) / sum_j a_j^2.

The two halves are one sweep. After each the gauge mean(theta) = mean(log a) = 0 is restored, which is the
exact optimum of both penalties. Anderson's extrapolation of the last five sweeps speeds this up; where it
raises F, the plain sweep is taken instead and the extrapolation starts afresh (Anderson 1965; Walker and Ni
2011, type II).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from psychometrics.calibration.model import CENTRING, RIDGE, Calibration, Objective, Steps, unheard
from psychometrics.calibration.responses import LogitMatrix, Responses, responses_of
from psychometrics.irt.transform import Array

TOLERANCE = 1e-10  # logits
MAX_SWEEPS = 500
ROUNDING = 1e-14  # of F: a smaller rise says nothing about the extrapolation
DEPTH = 5  # sweeps that are extrapolated from
LOWEST_LOG_A, HIGHEST_LOG_A = -25.0, 6.0
NEWTON_STEPS = 60
NEWTON_TOLERANCE = 1e-13


@dataclass(frozen=True, eq=False)
class Items:
    """Log discrimination `u` (J,), mean ability `m` (J,) of those who answered, and F at these abilities."""

    u: Array
    m: Array
    loss: float

    @property
    def a(self) -> Array:
        return np.exp(self.u)


def items_at(data: Responses, theta: Array, objective: Objective, *, u: Array | None = None) -> Items:
    """The best items given theta (I,); `u` (J,) of similar abilities makes the search shorter."""
    sx, sxx, sxy = data.item_sums(theta)
    m = sx / data.item_counts
    s = np.maximum(sxx - sx * m, 0)
    if objective.discriminating:
        shrinkage = objective.ridge * data.total / data.shape[1]
        u = _log_discrimination(s, sxy, shrinkage, start=u)
    else:
        u = np.zeros_like(m)
    a = np.exp(u)
    squares = float((data.squares - 2 * a * sxy + a**2 * s).sum())
    return Items(u, m, squares / data.total + _penalty(theta, u, objective))


def _penalty(theta: Array, u: Array, objective: Objective) -> float:
    return objective.ridge * float((u**2).mean()) + objective.centring * float(theta.mean()) ** 2


def _log_discrimination(s: Array, t: Array, shrinkage: float, *, start: Array | None = None) -> Array:
    """The root u (J,) of S e^2u - T e^u + L u = 0 per item: Newton's method, kept inside a bracket."""
    low, high = np.full_like(s, LOWEST_LOG_A), np.full_like(s, HIGHEST_LOG_A)
    u = np.zeros_like(s) if start is None else start
    for _ in range(NEWTON_STEPS):
        a = np.exp(u)
        sa = s * a
        value, slope = (sa - t) * a + shrinkage * u, (2 * sa - t) * a + shrinkage
        low, high = np.where(value < 0, u, low), np.where(value > 0, u, high)
        newton = u - value / np.where(slope > 0, slope, np.nan)
        before, u = u, np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
        if np.abs(u - before).max() <= NEWTON_TOLERANCE:
            break
    return u


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
        # The abilities that minimise F given the items, in the gauge mean(theta) = mean(u) = 0.
        above, below = data.person_sums(items.a, items.a * items.m)
        image = above / below
        image = (image - image.mean()) * np.exp(items.u.mean())
        converged = bool(np.abs(image - theta).max() <= tolerance)
        if converged:
            break
        history.append((theta, image))
        theta = _extrapolated(history)
        mixed = items_at(data, theta, objective, u=items.u)
        if not mixed.loss <= items.loss * (1 + ROUNDING):
            theta, mixed = image, items_at(data, image, objective, u=items.u)
            history.clear()
        items = mixed
    items = items_at(data, image, objective, u=items.u)
    found = figures(data, image, items.u, items.a * items.m, objective)
    gradient = float(np.abs(gradient_at(data, image, items, objective)).max())
    return replace(found, sweeps=sweeps, converged=converged, gradient=gradient)


def _extrapolated(history: Sequence[tuple[Array, Array]]) -> Array:
    """The mix of the last images whose predicted move is smallest; `history` holds (point, image) pairs."""
    _, image = history[-1]
    if len(history) == 1:
        return image
    images = np.array([image for _, image in history])
    moves = np.array([image - point for point, image in history])
    mix, *_ = np.linalg.lstsq(np.diff(moves, axis=0).T, moves[-1], rcond=None)
    mixed: Array = image - mix @ np.diff(images, axis=0)
    return mixed


def gradient_at(data: Responses, theta: Array, items: Items, objective: Objective) -> Array:
    """The derivative (I,) of min F over the items by the abilities (envelope theorem)."""
    above, below = data.person_sums(items.a, items.a * items.m)
    slope: Array = 2 * (theta * below - above) / data.total
    slope += 2 * objective.centring * float(theta.mean()) / len(theta)
    return slope


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
        loss=squares / data.total + _penalty(theta, u, objective),
        sweeps=0,
        gradient=np.nan,
        converged=True,
    )
