"""Calibrate an item bank on a response matrix; what callers need is imported from here.

`fit_matrix` checks the design, chooses the model and reports; `calibrate` is the bare solver.
"""

from psychometrics.calibration.alternating import calibrate
from psychometrics.calibration.fitting import BankFit, FitOptions, fit_matrix
from psychometrics.calibration.model import Calibration, NotCalibratable, Objective
from psychometrics.calibration.reporting import item_parameters_of

__all__ = [
    "BankFit",
    "Calibration",
    "FitOptions",
    "NotCalibratable",
    "Objective",
    "calibrate",
    "fit_matrix",
    "item_parameters_of",
]
