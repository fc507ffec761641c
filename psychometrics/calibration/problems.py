"""The two models behind one face: fit, score one examinee on a finished bank, fit again without somebody.

Leave one configuration out, fit the bank on the others, score it on that bank (GIM paper, I.9.3).

The difference theta^(-i) - theta, which I.9.3 reports, says how much a configuration's ability depends on its
own part in the calibration. The mean of the others is 0 in their fit, which moves the scale by
theta_i / (I - 1): a convention, not a finding. `aligned` takes it out; `difference`, as there, does not.
A configuration that alone links parts of the matrix has no such refit: NaN.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from psychometrics.calibration.alternating import alternate
from psychometrics.calibration.design import components
from psychometrics.calibration.logistic import calibrate_logistic, logistic_ability
from psychometrics.calibration.model import Calibration, Objective, Steps, unheard
from psychometrics.calibration.responses import Responses
from psychometrics.irt.transform import Array

MAX_CONFIGURATIONS = 500


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """Responses and what is minimised on them."""

    data: Responses
    objective: Objective
    form: ClassVar[str]
    most_refitted: ClassVar[float]  # responses times refits that still end within about a minute

    @abstractmethod
    def fit(self, *, warm: Calibration | None = None, progress: Steps = unheard) -> Calibration:
        """The bank; `warm` is a similar fit with the same persons and items."""

    def ability_of(self, person: int, a: Array, b: Array) -> float:
        """One person's theta (logits) on items that are given (J,)."""
        items, y = self.data.row(person)
        return self.ability(a[items], b[items], y)

    @staticmethod
    @abstractmethod
    def ability(a: Array, b: Array, y: Array) -> float:
        """Theta (logits) of squeezed logits y (n,) on these items (n,)."""

    @property
    def name(self) -> str:
        return f"{self.form} {'2PL' if self.objective.discriminating else '1PL'}"

    @property
    def may_be_refitted(self) -> bool:
        """Whether refitting without each configuration ends soon."""
        persons = self.data.shape[0]
        return 2 < persons <= MAX_CONFIGURATIONS and persons * self.data.total <= self.most_refitted

    def without(self, person: int) -> Self:
        return type(self)(self.data.without(person), self.objective)


class LeastSquares(Problem):
    """Logits with normal errors: scores that are means of several responses, or of several criteria."""

    form = "logit-normal"
    most_refitted = 1e9

    def fit(self, *, warm: Calibration | None = None, progress: Steps = unheard) -> Calibration:
        start, u = (None, None) if warm is None else (warm.theta, np.log(warm.a))
        return alternate(self.data, self.objective, start=start, u=u, progress=progress)

    @staticmethod
    def ability(a: Array, b: Array, y: Array) -> float:
        return float(a @ (y + a * b) / (a @ a))


class Logistic(Problem):
    """Single responses, right or wrong."""

    form = "logistic"
    most_refitted = 2e7

    def fit(self, *, warm: Calibration | None = None, progress: Steps = unheard) -> Calibration:
        return calibrate_logistic(self.data, self.objective, warm=warm, progress=progress)

    ability = staticmethod(logistic_ability)


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Held-out minus joint ability per configuration (I,) in logits, as published and with aligned scales."""

    difference: Array
    aligned: Array

    @property
    def unlinked(self) -> NDArray[np.intp]:
        """Positions of configurations without which the matrix falls apart."""
        return np.flatnonzero(np.isnan(self.difference))


def leave_one_out(problem: Problem, fit: Calibration, *, progress: Steps = unheard) -> LeaveOneOut:
    """Refit without each configuration, from the full fit; `progress` hears how many are done."""
    difference, aligned = np.full((2, len(fit.theta)), np.nan)
    for person, theta in enumerate(fit.theta):
        rest = problem.without(person)
        if rest.data.item_counts.all() and components(rest.data.logits())[0] <= 1:
            others = np.delete(fit.theta, person)
            refit = rest.fit(warm=replace(fit, theta=others))
            difference[person] = problem.ability_of(person, refit.a, refit.b) - float(theta)
            aligned[person] = difference[person] + float(others.mean())
        progress(person + 1)
    return LeaveOneOut(difference, aligned)
