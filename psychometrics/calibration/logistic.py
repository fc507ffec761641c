"""The logistic 2PL for single right-or-wrong responses, by joint penalised likelihood.

Model      P(right) = pi_ij = 1 / (1 + exp(-(a_j theta_i - c_j))),   c_j = a_j b_j,   u_j = log a_j
Objective  F = pi^2/3 D + ridge mean_j u_j^2,
           D = 2/N sum_obs [q log(q / pi_ij) + (1 - q) log((1 - q) / (1 - pi_ij))]

q is the squeezed score (0.001 or 0.999): so an item that everybody fails keeps a finite difficulty. pi^2/3,
the variance of the standard logistic, brings the deviance to squared logits, the unit of the other objective,
so that the same ridge means about the same prior for log a. Abilities are parameters and not integrated out:
with many items per configuration that is harmless, and the scale is the one the abilities are compared on.
The gauge is mean(theta) = mean(u) = 0, as in the other objective; both are exact at the optimum.

Logits of 0/1 (y = +-6.9) have no place in least squares: they inflate sigma_hat and the scale
(docs/measurement.md). L-BFGS on variables scaled by responses and ridge; Nocedal and Wright (2006).
"""

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit

from psychometrics.calibration.model import Calibration, Objective, Steps, unheard
from psychometrics.calibration.responses import Responses
from psychometrics.inference.clusters import Codes
from psychometrics.irt.transform import Array

LOGIT_VARIANCE = np.pi**2 / 3
MAX_STEPS = 2_000
GRADIENT_TOLERANCE = 1e-9
FARTHEST_ABILITY = 1e3  # logits; a bracket, not a limit anybody reaches


@dataclass(frozen=True, eq=False)
class LogisticResponses:
    """Squeezed scores `q` per response (N,) with their places, and the scale of the variables (I + 2 J,).

    `own` are the log likelihoods of the squeezed scores themselves (N,), with the opposite sign.
    """

    rows: Codes
    columns: Codes
    shape: tuple[int, int]
    y: Array
    q: Array
    own: Array
    scale: Array

    @classmethod
    def of(cls, data: Responses, objective: Objective) -> "LogisticResponses":
        y = data.logits()
        rows = np.repeat(np.arange(data.shape[0]), np.diff(y.indptr))
        persons, items = data.person_counts / data.total, data.item_counts / data.total
        # About the curvature of F in each variable: a strong ridge would stop the search otherwise.
        scale = np.sqrt(np.concatenate([persons, items + objective.ridge / data.shape[1], items]))
        q = expit(y.data)
        own = np.logaddexp(0, y.data) - q * y.data
        return cls(rows, y.indices.astype(np.int64), data.shape, y.data, q, own, scale)

    def eta(self, theta: Array, u: Array, c: Array) -> Array:
        eta: Array = np.exp(u)[self.columns] * theta[self.rows] - c[self.columns]
        return eta

    def deviance(self, eta: Array) -> float:
        """D: -2 log likelihood per response above that of the squeezed scores themselves."""
        return 2 * float((np.logaddexp(0, eta) - self.q * eta - self.own).mean())

    def parts(self, point: Array) -> tuple[Array, Array, Array]:
        """The abilities (I,), u (J,) and c (J,) of a vector of all variables."""
        persons, items = self.shape
        theta, u, c = np.split(point, [persons, persons + items])
        return theta, u, c

    def loss_and_gradient(self, scaled: Array, objective: Objective) -> tuple[float, Array]:
        theta, u, c = self.parts(scaled / self.scale)
        eta, a = self.eta(theta, u, c), np.exp(u)
        errors = expit(eta) - self.q
        by_person = np.bincount(self.rows, errors * a[self.columns], len(theta))
        by_item = np.bincount(self.columns, errors * theta[self.rows], len(c))
        weight = 2 * LOGIT_VARIANCE / len(self.q)
        by_u = weight * a * by_item + 2 * objective.ridge * u / len(u)
        by_c = -weight * np.bincount(self.columns, weights=errors, minlength=len(c))
        gradient = np.concatenate([weight * by_person, by_u * objective.discriminating, by_c])
        loss = LOGIT_VARIANCE * self.deviance(eta) + objective.ridge * float((u**2).mean())
        return loss, gradient / self.scale


def calibrate_logistic(
    data: Responses, objective: Objective, *, warm: Calibration | None = None, progress: Steps = unheard
) -> Calibration:
    """Fit abilities and items to 0/1 responses given as squeezed logits; `warm` is a similar fit.

    In the result `r_squared` is the share of the deviance explained beyond one common chance, and `sigma_hat`
    the root mean squared distance of the squeezed logits from a (theta - b): what a scorer that treats single
    responses as logits would see.
    """
    responses = LogisticResponses.of(data, objective)
    if warm is None:
        start = (data.start(), np.zeros(data.shape[1]), -data.item_means)
    else:
        start = (warm.theta, np.log(warm.a), warm.a * warm.b)
    steps = count(1)
    found = minimize(
        responses.loss_and_gradient,
        np.concatenate(start) * responses.scale,
        args=(objective,),
        jac=True,
        method="L-BFGS-B",
        callback=lambda _: progress(next(steps)),
        options={"maxiter": MAX_STEPS, "maxcor": 20, "ftol": 0, "gtol": GRADIENT_TOLERANCE},
    )
    return _result(responses, found, objective)


def logistic_ability(a: Array, b: Array, y: Array) -> float:
    """Theta (logits) of one examinee with squeezed logits y (n,): the root of sum a (q - pi(theta))."""
    q = expit(y)
    return float(brentq(lambda t: a @ (q - expit(a * (t - b))), -FARTHEST_ABILITY, FARTHEST_ABILITY))


def _result(responses: LogisticResponses, found: Any, objective: Objective) -> Calibration:
    theta, u, c = responses.parts(found.x / responses.scale)
    c, theta = c - np.exp(u) * theta.mean(), (theta - theta.mean()) * np.exp(u.mean())
    u = u - u.mean()
    point = np.concatenate([theta, u, c]) * responses.scale
    loss, gradient = responses.loss_and_gradient(point, objective)
    eta = responses.eta(theta, u, c)
    chance = responses.q.mean()
    least = responses.deviance(np.full_like(eta, np.log(chance / (1 - chance))))
    return Calibration(
        theta=theta,
        a=np.exp(u),
        b=c * np.exp(-u),
        sigma_hat=float(np.sqrt(((responses.y - eta) ** 2).mean())),
        r_squared=1 - responses.deviance(eta) / least if least > 0 else np.nan,
        loss=loss,
        sweeps=int(found.nit),
        gradient=float(np.abs(gradient * responses.scale)[: len(theta)].max()),
        converged=bool(np.abs(gradient).max() < 100 * GRADIENT_TOLERANCE),
    )
