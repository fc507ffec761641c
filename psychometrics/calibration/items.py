"""The items that minimise F given the abilities: every item is a problem of its own.

With S = sum (theta - m)^2 and T = sum theta y over an item's n responses (y centred by item, m the mean of
their theta), c = a m and log a = u is the root of

    S e^(2u) - T e^u + L u = 0,      L = ridge N / J.

A second local minimum needs a least-squares discrimination T / S above 10.9, which real banks do not have.
"""

from dataclasses import dataclass

import numpy as np

from psychometrics.calibration.model import Objective
from psychometrics.calibration.responses import Responses
from psychometrics.irt.transform import Array

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
        u = log_discrimination(s, sxy, shrinkage, start=u)
    else:
        u = np.zeros_like(m)
    a = np.exp(u)
    squares = float((data.squares - 2 * a * sxy + a**2 * s).sum())
    return Items(u, m, squares / data.total + penalty(theta, u, objective))


def penalty(theta: Array, u: Array, objective: Objective) -> float:
    return objective.ridge * float((u**2).mean()) + objective.centring * float(theta.mean()) ** 2


def log_discrimination(s: Array, t: Array, shrinkage: float, *, start: Array | None = None) -> Array:
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
