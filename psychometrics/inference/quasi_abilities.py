"""Abilities of people on the scale of theta_QL, drawn to the group's by how little their answers say.

Model       E p_ij = pi_j(theta + u_i),   Var u = t2,   Var(p_ij | u_i) = phi pi_j (1 - pi_j)
At theta    s_ij = a_j (p_ij - pi_j),   w_ij = a_j^2 pi_j (1 - pi_j),   S_i = sum_j s_ij,   W_i = sum_j w_ij
Moments     t2 = (sum_i S_i^2 - sum s^2) / (sum_i W_i^2 - sum w^2),   phi = (sum s^2 - t2 sum w^2) / sum w
Estimator   theta_i = theta + t2 S_i / (phi + t2 W_i)

This is one scoring step from theta with a normal prior: to first order s_ij = w_ij u_i + noise of variance
phi w_ij. A negative moment is put to zero. t2 rests on two answers of one person; without any it is unknown.
Source: the linearised quasi-likelihood of Breslow and Clayton (1993), with moments as in `mixed_model`.
"""

from dataclasses import dataclass

import numpy as np

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ROUNDING, Array
from psychometrics.inference.estimates import Reason
from psychometrics.inference.standard_errors import quasi_fit
from psychometrics.irt.quasi_likelihood import weights_at


@dataclass(frozen=True, eq=False)
class QuasiAbilities:
    """Shrunken abilities (people,) in logits of theta_QL; NaN throughout with the reason."""

    theta: Array
    reason: Reason | None = None


def quasi_abilities(pairs: Pairs, people: int) -> QuasiAbilities:
    """Of everybody; theta_QL of the group for who has no pair."""
    fit = quasi_fit(pairs)
    if fit.reason is not None or fit.bread == 0:
        return _unknown(people, fit.reason or Reason.NO_VARIATION)
    s, w = fit.scores, weights_at(pairs.a, pairs.b, fit.theta)[1]
    deviation, information = (np.bincount(pairs.person, column, minlength=people) for column in (s, w))
    between, within = float(information @ information), float(w @ w)
    if between - within <= ROUNDING * between:
        return _unknown(people, Reason.TOO_FEW_PAIRS)
    t2 = max((float(deviation @ deviation) - float(s @ s)) / (between - within), 0.0)
    phi = max((float(s @ s) - t2 * within) / float(w.sum()), 0.0)
    noise = phi + t2 * information
    shrunken = np.zeros(people)
    np.divide(t2 * deviation, noise, out=shrunken, where=noise > 0)
    return QuasiAbilities(fit.theta + shrunken)


def _unknown(people: int, reason: Reason) -> QuasiAbilities:
    return QuasiAbilities(np.full(people, np.nan), reason)
