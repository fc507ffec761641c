"""Newton's check of a fit: is the gradient 0, is the curvature positive, how far is the exact optimum.

With the items eliminated F is a function of the abilities alone. Its gradient is that of F itself (envelope
theorem); its Hessian is the Schur complement of the item block,

    H = 2/N sum_j a_j^2 (diag(w_j) - w_j w_j' / n_j) - sum_j h_j h_j' / k_j,
    h_ij = w_ij (4 a_j^2 (theta_i - m_j) - 2 a_j y_ij) / N,
    k_j = (4 a_j^2 S_j - 2 a_j T_j) / N + 2 ridge / J,

where w_ij is 1 for an observed score. Moving all abilities leaves F as it is, so the direction 1 gets a
curvature of its own before the system is solved; the gradient has no part in it.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from psychometrics.calibration.alternating import Items, figures, gradient_at, items_at
from psychometrics.calibration.model import Calibration, Objective
from psychometrics.calibration.responses import Responses
from psychometrics.irt.transform import Array

MAX_ABILITIES = 2_000  # the Hessian is I x I
MAX_STEPS = 3
NEGLIGIBLE = 1e-10  # logits: after a step as short as this only rounding is left


@dataclass(frozen=True)
class NewtonCheck:
    """`gradient` is the largest absolute derivative of F by an ability before the check, `gradient_after`
    behind the steps taken. `move` is the largest change of an ability (logits) the first step proposes: the
    distance to the exact optimum. `minimum` says that the curvature is positive in every direction.
    """

    gradient: float
    gradient_after: float
    move: float
    minimum: bool
    steps: int


def newton_check(data: Responses, fit: Calibration, objective: Objective) -> tuple[Calibration, NewtonCheck]:
    """The fit, bettered by Newton steps with one Hessian as far as they lower the gradient, and the check."""
    theta, items = fit.theta, items_at(data, fit.theta, objective, u=np.log(fit.a))
    gradient = gradient_at(data, theta, items, objective)
    before = size = float(np.abs(gradient).max())
    try:
        hessian = schur_hessian(data, theta, items, objective)
        factor = cho_factor(hessian + np.trace(hessian) / len(hessian) ** 2)  # the direction 1 is curved, too
    except LinAlgError:
        return fit, NewtonCheck(before, before, np.nan, minimum=False, steps=0)
    move, steps = float(np.abs(cho_solve(factor, gradient)).max()), 0
    for _ in range(MAX_STEPS):
        step = cho_solve(factor, gradient)
        proposed = theta - step
        proposed -= proposed.mean()
        found = items_at(data, proposed, objective, u=items.u)
        slope = gradient_at(data, proposed, found, objective)
        if not np.abs(slope).max() < size:
            break
        theta, items, gradient, steps = proposed, found, slope, steps + 1
        size = float(np.abs(gradient).max())
        if np.abs(step).max() <= NEGLIGIBLE:
            break
    check = NewtonCheck(before, size, move, minimum=True, steps=steps)
    if not steps:
        return fit, check
    better = figures(data, theta, items.u, items.a * items.m, objective)
    return replace(better, sweeps=fit.sweeps, converged=fit.converged, gradient=size), check


def schur_hessian(data: Responses, theta: Array, items: Items, objective: Objective) -> Array:
    """The second derivatives (I x I) of min F over the items, without the centring term."""
    a, n = items.a, data.item_counts
    _, weights = data.person_sums(a, np.zeros_like(a))
    hessian: Array = np.diag(2 * weights / data.total)
    hessian -= data.seen_products(2 * a**2 / n / data.total)
    if objective.discriminating:
        sx, sxx, sxy = data.item_sums(theta)
        curvature = (4 * a**2 * (sxx - sx * items.m) - 2 * a * sxy) / data.total
        curvature += 2 * objective.ridge / len(a)
        hessian -= data.slope_products(theta, a, items.m, 1 / curvature / data.total**2)
    return hessian
