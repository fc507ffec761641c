"""Newton's method for the logistic 2PL from a point near the optimum, as where one configuration is left out.

The objective is that of `logistic`. Its second derivatives join abilities with items only, and items not
with each other: eliminating the 2 x 2 block of each item (u_j, c_j) leaves I equations for the abilities,
S d = -r, with S the Schur complement. Moving all abilities and c together changes nothing, so one direction
is held. From a fit of all configurations two or three steps reach the optimum of all but one. Nothing is
returned where a step leaves the neighbourhood in which the second derivatives are positive: L-BFGS goes on
from there.

Source: Nocedal and Wright (2006), chapters 3 and 16.
"""

import numpy as np
from scipy.special import expit

from psychometrics.calibration.model import Objective
from psychometrics.irt.transform import Array

STEPS = 12
CLOSE = 1e-5  # logits, of theta, log a and c: what is left after a step so small is its square
LARGEST_STEP = 2.0

Point = tuple[Array, Array, Array]


def newton(
    q: Array, seen: Array, start: Point, objective: Objective, weight: float
) -> tuple[Point, int] | None:
    """Abilities (I,), log a and c (J,) at the optimum, and the steps taken; None where they do not arrive.

    q are squeezed scores (I, J), 0 where `seen` is; a response has the `weight` that it has in F.
    """
    (theta, u, c), ridge = start, 2 * objective.ridge / len(start[1])
    for step in range(1, STEPS + 1):
        a = np.exp(u)
        pi = expit(np.outer(theta, a) - c)
        errors = weight * (pi - q) * seen
        w = weight * pi * (1 - pi) * seen
        of_item = theta @ errors
        of_c = -errors.sum(axis=0)
        cc, c_theta = w.sum(axis=0), -w * a
        wx = theta @ w
        if objective.discriminating:
            of_u = a * of_item + ridge * u
            uu = a**2 * (theta**2 @ w) + a * of_item + ridge
            uc = -a * wx
            determinant = uu * cc - uc**2
            if not ((determinant > 0) & (uu > 0)).all():
                return None
            u_theta = w * np.outer(theta, a**2) + errors * a
            inverse_uu, inverse_uc, inverse_cc = cc / determinant, -uc / determinant, uu / determinant
            to_u, to_c = (
                u_theta * inverse_uu + c_theta * inverse_uc,
                u_theta * inverse_uc + c_theta * inverse_cc,
            )
            taken = to_u @ u_theta.T + to_c @ c_theta.T
            rest = errors @ a - to_u @ of_u - to_c @ of_c
        else:
            to_c = c_theta / cc
            taken, rest = to_c @ c_theta.T, errors @ a - to_c @ of_c
        of_theta = w @ a**2
        schur = np.diag(of_theta) - taken + of_theta.mean() / len(theta)
        try:
            np.linalg.cholesky(schur)
        except np.linalg.LinAlgError:
            return None
        by_theta = -np.linalg.solve(schur, rest)
        left_c = of_c + by_theta @ c_theta
        if objective.discriminating:
            left_u = of_u + by_theta @ u_theta
            by_u = -(inverse_uu * left_u + inverse_uc * left_c)
            by_c = -(inverse_uc * left_u + inverse_cc * left_c)
        else:
            by_u, by_c = np.zeros_like(u), -left_c / cc
        largest = max(float(np.abs(each).max()) for each in (by_theta, by_u, by_c))
        if not largest < LARGEST_STEP:
            return None
        theta, u, c = theta + by_theta, u + by_u, c + by_c
        if largest < CLOSE:
            return (theta, u, c), step
    return None
