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

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit

from psychometrics.calibration.model import Calibration, Objective, Steps, unheard
from psychometrics.calibration.newton_logistic import newton
from psychometrics.calibration.responses import Indices, Responses, SparseLogits
from psychometrics.irt.transform import Array

LOGIT_VARIANCE = np.pi**2 / 3
MAX_STEPS = 2_000
GRADIENT_TOLERANCE = 1e-9
ENTRIES = 1 << 16  # responses at once
MAX_CELLS = 3_000_000  # for Newton's method, which takes the whole matrix at once
FARTHEST_ABILITY = 1e3  # logits; a bracket, not a limit anybody reaches


@dataclass(frozen=True, eq=False)
class LogisticResponses:
    """Squeezed scores `q` (I x J, an entry per response), and the scale of the variables (I + 2 J,).

    `own` is the mean log likelihood of the squeezed scores themselves, with the opposite sign. Whatever has a
    number for each response is computed for some rows at a time.
    """

    q: SparseLogits
    shape: tuple[int, int]
    own: float
    scale: Array

    @classmethod
    def of(cls, data: Responses, objective: Objective) -> "LogisticResponses":
        q = data.logits()
        persons, items = data.person_counts / data.total, data.item_counts / data.total
        # About the curvature of F in each variable: a strong ridge would stop the search otherwise.
        scale = np.sqrt(np.concatenate([persons, items + objective.ridge / data.shape[1], items]))
        own = 0.0
        for at in range(0, len(q.data), ENTRIES):
            y = q.data[at : at + ENTRIES]
            chance = expit(y)
            own += float((np.logaddexp(0, y) - chance * y).sum())
            q.data[at : at + ENTRIES] = chance
        return cls(q, data.shape, own / len(q.data), scale)

    def blocks(self) -> Iterator[tuple[Indices, Indices, Array]]:
        """Rows, columns and q of some responses at a time (n,)."""
        indptr = self.q.indptr
        first = 0
        while first < self.shape[0]:
            last = max(int(np.searchsorted(indptr, indptr[first] + ENTRIES, "right")) - 1, first + 1)
            part = slice(indptr[first], indptr[last])
            rows = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
            yield rows, self.q.indices[part], self.q.data[part]
            first = last

    def parts(self, point: Array) -> tuple[Array, Array, Array]:
        """The abilities (I,), u (J,) and c (J,) of a vector of all variables."""
        persons, items = self.shape
        theta, u, c = np.split(point, [persons, persons + items])
        return theta, u, c

    def loss_and_gradient(self, scaled: Array, objective: Objective) -> tuple[float, Array]:
        theta, u, c = self.parts(scaled / self.scale)
        a, total = np.exp(u), 0.0
        by_person, by_item, sums = np.zeros(len(theta)), np.zeros(len(c)), np.zeros(len(c))
        for rows, columns, q in self.blocks():
            eta = a[columns] * theta[rows] - c[columns]
            total += float((np.logaddexp(0, eta) - q * eta).sum())
            errors = expit(eta) - q
            by_person += np.bincount(rows, errors * a[columns], len(theta))
            by_item += np.bincount(columns, errors * theta[rows], len(c))
            sums += np.bincount(columns, errors, len(c))
        weight = self.weight
        by_u = weight * a * by_item + 2 * objective.ridge * u / len(u)
        gradient = np.concatenate([weight * by_person, by_u * objective.discriminating, -weight * sums])
        deviance = 2 * (total / len(self.q.data) - self.own)
        loss = LOGIT_VARIANCE * deviance + objective.ridge * float((u**2).mean())
        return loss, gradient / self.scale

    @property
    def weight(self) -> float:
        """What a response's error counts in the gradient of F."""
        return 2 * float(LOGIT_VARIANCE) / len(self.q.data)


def calibrate_logistic(
    data: Responses, objective: Objective, *, warm: Calibration | None = None, progress: Steps = unheard
) -> Calibration:
    """Fit abilities and items to 0/1 responses given as squeezed logits; `warm` is a similar fit.

    From a similar fit Newton's method is tried first, where the matrix is not too large for it.
    In the result `r_squared` is the share of the deviance explained beyond one common chance, and `sigma_hat`
    the root mean squared distance of the squeezed logits from a (theta - b): what a scorer that treats single
    responses as logits would see.
    """
    responses = LogisticResponses.of(data, objective)
    if warm is None:
        start = (data.start(), np.zeros(data.shape[1]), -data.item_means)
    else:
        start = (warm.theta, np.log(warm.a), warm.a * warm.b)
        if math.prod(data.shape) <= MAX_CELLS:
            q = responses.q
            seen = sp.csr_array((np.ones(len(q.data)), q.indices, q.indptr), shape=q.shape).toarray()
            if optimum := newton(q.toarray(), seen, start, objective, responses.weight):
                return _result(responses, np.concatenate(optimum[0]), optimum[1], objective)
    steps = count(1)
    result = minimize(
        responses.loss_and_gradient,
        np.concatenate(start) * responses.scale,
        args=(objective,),
        jac=True,
        method="L-BFGS-B",
        callback=lambda _: progress(next(steps)),
        options={"maxiter": MAX_STEPS, "maxcor": 20, "ftol": 0, "gtol": GRADIENT_TOLERANCE},
    )
    return _result(responses, result.x / responses.scale, int(result.nit), objective)


def logistic_ability(a: Array, b: Array, y: Array) -> float:
    """Theta (logits) of one examinee with squeezed logits y (n,): the root of sum a (q - pi(theta))."""
    q = expit(y)
    return float(brentq(lambda t: a @ (q - expit(a * (t - b))), -FARTHEST_ABILITY, FARTHEST_ABILITY))


def _result(responses: LogisticResponses, point: Array, steps: int, objective: Objective) -> Calibration:
    theta, u, c = responses.parts(point)
    c, theta = c - np.exp(u) * theta.mean(), (theta - theta.mean()) * np.exp(u.mean())
    u = u - u.mean()
    a = np.exp(u)
    point = np.concatenate([theta, u, c]) * responses.scale
    loss, gradient = responses.loss_and_gradient(point, objective)
    n = len(responses.q.data)
    chance = responses.q.data.sum() / n
    common = np.log(chance / (1 - chance))
    squares, total, deviance = 0.0, 0.0, (loss - objective.ridge * float((u**2).mean())) / LOGIT_VARIANCE
    for rows, columns, q in responses.blocks():
        squares += float(((logit(q) - a[columns] * theta[rows] + c[columns]) ** 2).sum())
        eta = np.full(len(rows), common)
        total += float((np.logaddexp(0, eta) - q * eta).sum())
    least = 2 * (total / n - responses.own)  # D of one chance that is common to all responses
    return Calibration(
        theta=theta,
        a=a,
        b=c * np.exp(-u),
        sigma_hat=math.sqrt(squares / n),
        r_squared=1 - deviance / least if least > 0 else np.nan,
        loss=loss,
        sweeps=steps,
        gradient=float(np.abs(gradient * responses.scale)[: len(theta)].max()),
        converged=bool(np.abs(gradient).max() < 100 * GRADIENT_TOLERANCE),
    )
