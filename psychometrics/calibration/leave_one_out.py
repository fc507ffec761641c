"""Leave one configuration out, fit the bank on the others, score it on that bank (GIM paper, I.9.3).

The difference theta^(-i) - theta, which I.9.3 reports, says how much a configuration's ability depends on its
own part in the calibration. The mean of the others is 0 in their fit, which moves the scale by
theta_i / (I - 1): a convention, not a finding. `aligned` takes it out; `difference`, as there, does not.
A configuration that alone links parts of the matrix has no such refit: NaN.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from psychometrics.calibration.design import components
from psychometrics.calibration.model import Calibration, Steps, unheard
from psychometrics.calibration.problems import Problem
from psychometrics.irt.transform import Array

MAX_CONFIGURATIONS = 500


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Held-out minus joint ability per configuration (I,) in logits, as published and with aligned scales."""

    difference: Array
    aligned: Array

    @property
    def unlinked(self) -> NDArray[np.intp]:
        """Positions of configurations without which the matrix falls apart."""
        return np.flatnonzero(np.isnan(self.difference))


def is_feasible(problem: Problem) -> bool:
    """Whether refitting without each configuration ends soon."""
    persons = problem.data.shape[0]
    return 2 < persons <= MAX_CONFIGURATIONS and persons * problem.data.total <= problem.most_refitted


def leave_one_out(problem: Problem, fit: Calibration, *, progress: Steps = unheard) -> LeaveOneOut:
    """Refit without each configuration, from the full fit; `progress` hears how many are done."""
    differences = []
    for person in range(len(fit.theta)):
        differences.append(_left_out(problem, fit, person))
        progress(person + 1)
    difference, aligned = np.array(differences).T
    return LeaveOneOut(difference, aligned)


def _left_out(problem: Problem, fit: Calibration, person: int) -> tuple[float, float]:
    rest = problem.without(person)
    if not rest.data.item_counts.all() or components(rest.data.logits())[0] > 1:
        return np.nan, np.nan
    others = np.delete(fit.theta, person)
    refit = rest.fit(warm=replace(fit, theta=others))
    held_out = problem.ability_of(person, refit.a, refit.b)
    difference = held_out - float(fit.theta[person])
    return difference, difference + float(others.mean())
