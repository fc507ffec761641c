"""Calibrate an item bank: the exact minimum of the published objective (GIM paper, section 4, I.9).

Model      y_ij = a_j theta_i - c_j + e_ij,   c_j = a_j b_j,   u_j = log a_j
Objective  F = (1/N) sum_obs (y_ij - a_j theta_i + c_j)^2 + ridge mean_j u_j^2 + centring (mean theta)^2

At the optimum mean(theta) = 0 and mean(u) = 0 exactly, so the centring weight has no effect and is left out.
Given theta the items separate; given the items theta is closed form. The two halves alternate (one sweep) and
Anderson's extrapolation of the last five sweeps speeds them up; a step that raises F is undone.
sigma_hat is the root mean squared residual and R^2 refers to the grand mean, both in logits.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from scoring.irt.transform import Array, Transform
from studies.bank.item_parameters import ItemParameter, ItemParameters

LOWEST_LOG_A, HIGHEST_LOG_A = -25.0, 6.0
NEWTON_STEPS = 60
NEWTON_TOLERANCE = 1e-13
ANDERSON_DEPTH = 5


class NotCalibratable(ValueError):
    """The response matrix does not determine every ability and item."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """A fitted bank: theta (I,), a and b (J,) in logits.

    `gradient` is the largest absolute derivative of F by an ability; it is 0 at the exact optimum.
    `converged` is false where `max_sweeps` ended the search.
    """

    theta: Array
    a: Array
    b: Array
    sigma_hat: float
    r_squared: float
    loss: float
    sweeps: int
    gradient: float
    converged: bool


@dataclass(frozen=True, eq=False)
class _Responses:
    """Logits with 0 where missing, and the mask of what is there, both (I x J)."""

    y: Array
    seen: Array
    ridge: float

    @classmethod
    def of(cls, y: Array, ridge: float) -> Self:
        seen = ~np.isnan(y)
        if y.ndim != 2 or not y.size or not seen.any(axis=0).all() or not seen.any(axis=1).all():
            raise NotCalibratable("every row and every column needs at least one score; leave empty ones out")
        return cls(np.where(seen, y, 0), seen.astype(np.float64), ridge)

    def start(self) -> Array:
        """Row means of the column-centred logits, themselves centred."""
        column_means = self.y.sum(axis=0) / self.seen.sum(axis=0)
        means: Array = (self.y - self.seen * column_means).sum(axis=1) / self.seen.sum(axis=1)
        means -= means.mean()
        return means

    def items_at(self, theta: Array) -> tuple[Array, Array]:
        """(u, c), each (J,), that minimise F given theta."""
        n = self.seen.sum(axis=0)
        sx, sxx, sy, sxy = theta @ self.seen, theta**2 @ self.seen, self.y.sum(axis=0), theta @ self.y
        shrinkage = self.ridge * self.seen.sum() / len(n)
        u = _log_discrimination(sxx - sx**2 / n, sxy - sx * sy / n, shrinkage)
        return u, (np.exp(u) * sx - sy) / n

    def theta_at(self, u: Array, c: Array) -> Array:
        """The abilities (I,) that minimise F given the items, in the gauge mean(theta) = mean(u) = 0."""
        a = np.exp(u)
        theta: Array = (self.y @ a + self.seen @ (a * c)) / (self.seen @ a**2)
        in_gauge: Array = (theta - theta.mean()) * np.exp(u.mean())
        return in_gauge

    def residuals(self, theta: Array, u: Array, c: Array) -> Array:
        return self.y - self.seen * (np.outer(theta, np.exp(u)) - c)

    def loss(self, theta: Array, u: Array, c: Array) -> float:
        squares = float((self.residuals(theta, u, c) ** 2).sum())
        return squares / float(self.seen.sum()) + self.ridge * float((u**2).mean())


def calibrate(y: Array, *, ridge: float = 0.5, tolerance: float = 1e-9, max_sweeps: int = 500) -> Calibration:
    """Fit abilities and items to logits `y` (examinees x items, NaN = missing).

    Stops when a sweep moves no ability by more than `tolerance` logits. Raises NotCalibratable where a row or
    a column is empty.
    """
    data = _Responses.of(y, ridge)
    theta = data.start()
    loss = data.loss(theta, *data.items_at(theta))
    history: deque[tuple[Array, Array]] = deque(maxlen=ANDERSON_DEPTH + 1)
    for sweeps in range(1, max_sweeps + 1):  # noqa: B007 (the count is part of the result)
        image = data.theta_at(*data.items_at(theta))
        converged = bool(np.abs(image - theta).max() <= tolerance)
        if converged:
            break
        history.append((theta, image))
        extrapolated = _extrapolated(history)
        extrapolated_loss = data.loss(extrapolated, *data.items_at(extrapolated))
        if extrapolated_loss <= loss:
            theta, loss = extrapolated, extrapolated_loss
        else:
            theta, loss = image, data.loss(image, *data.items_at(image))
            history.clear()
    return _result(data, image, sweeps=sweeps, converged=converged)


def item_parameters_of(
    fit: Calibration, *, prompt_ids: Sequence[str], subcategories: Sequence[str], transform: Transform
) -> ItemParameters:
    """The fit as the content of a public item-parameter file; columns in the order of `prompt_ids`."""
    columns = zip(prompt_ids, fit.a.tolist(), fit.b.tolist(), subcategories, strict=True)
    return ItemParameters(
        items=tuple(ItemParameter(*column) for column in columns),
        squeeze_scale=transform.scale,
        squeeze_offset=transform.offset,
        sigma_hat=fit.sigma_hat,
        n_models=len(fit.theta),
        r_squared=fit.r_squared,
    )


def _result(data: _Responses, theta: Array, *, sweeps: int, converged: bool) -> Calibration:
    u, c = data.items_at(theta)
    residuals = data.residuals(theta, u, c)
    grand_mean = data.y.sum() / data.seen.sum()
    spread = float((data.seen * (data.y - grand_mean) ** 2).sum())
    return Calibration(
        theta=theta,
        a=np.exp(u),
        b=c / np.exp(u),
        sigma_hat=float(np.sqrt((residuals**2).sum() / data.seen.sum())),
        r_squared=1 - float((residuals**2).sum()) / spread if spread > 0 else np.nan,
        loss=data.loss(theta, u, c),
        sweeps=sweeps,
        gradient=float(np.abs(2 * residuals @ np.exp(u) / data.seen.sum()).max()),
        converged=converged,
    )


def _log_discrimination(s: Array, t: Array, shrinkage: float) -> Array:
    """The root u (J,) of S e^2u - T e^u + L u = 0 per item: Newton's method, kept inside a bracket."""
    low, high = np.full_like(s, LOWEST_LOG_A), np.full_like(s, HIGHEST_LOG_A)
    u = np.zeros_like(s)
    for _ in range(NEWTON_STEPS):
        a = np.exp(u)
        value, slope = (s * a - t) * a + shrinkage * u, (2 * s * a - t) * a + shrinkage
        low, high = np.where(value < 0, u, low), np.where(value > 0, u, high)
        newton = u - value / np.where(slope > 0, slope, np.nan)
        before, u = u, np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
        if np.abs(u - before).max() <= NEWTON_TOLERANCE:
            break
    return u


def _extrapolated(history: Sequence[tuple[Array, Array]]) -> Array:
    """Anderson's step: the mix of the last sweeps' images whose predicted move is smallest."""
    _, image = history[-1]
    if len(history) == 1:
        return image
    images = np.array([image for _, image in history])
    moves = np.array([image - theta for theta, image in history])
    mix, *_ = np.linalg.lstsq(np.diff(moves, axis=0).T, moves[-1], rcond=None)
    extrapolated: Array = image - mix @ np.diff(images, axis=0)
    return extrapolated
