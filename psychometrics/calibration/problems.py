"""The two models behind one face: fit, fit again without somebody, score one examinee on a finished bank."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from psychometrics.calibration.alternating import alternate
from psychometrics.calibration.logistic import calibrate_logistic, logistic_ability
from psychometrics.calibration.model import Calibration, Objective, Steps, unheard
from psychometrics.calibration.responses import Responses
from psychometrics.irt.transform import Array


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """Responses and what is minimised on them."""

    data: Responses
    objective: Objective
    most_refitted: ClassVar[float]  # responses times refits that still end within about a minute

    @abstractmethod
    def fit(self, *, warm: Calibration | None = None, progress: Steps = unheard) -> Calibration:
        """The bank; `warm` is a similar fit with the same persons and items."""

    @abstractmethod
    def ability_of(self, person: int, a: Array, b: Array) -> float:
        """One person's theta (logits) on items that are given (J,)."""

    def without(self, person: int) -> Self:
        return type(self)(self.data.without(person), self.objective)


class LeastSquares(Problem):
    """Logits with normal errors: scores that are means of several responses, or of several criteria."""

    most_refitted = 1e9

    def fit(self, *, warm: Calibration | None = None, progress: Steps = unheard) -> Calibration:
        if warm is None:
            return alternate(self.data, self.objective, progress=progress)
        start, u = warm.theta, np.log(warm.a)
        return alternate(self.data, self.objective, start=start, u=u, progress=progress)

    def ability_of(self, person: int, a: Array, b: Array) -> float:
        items, y = self.data.row(person)
        a, b = a[items], b[items]
        return float(a @ (y + a * b) / (a @ a))


class Logistic(Problem):
    """Single responses, right or wrong."""

    most_refitted = 2e7

    def fit(self, *, warm: Calibration | None = None, progress: Steps = unheard) -> Calibration:
        return calibrate_logistic(self.data, self.objective, warm=warm, progress=progress)

    def ability_of(self, person: int, a: Array, b: Array) -> float:
        items, y = self.data.row(person)
        return logistic_ability(a[items], b[items], y)
