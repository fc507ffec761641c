"""Psychometrics of human and AI baselines: abilities, cohorts, calibration, agreement, planning.

    import psychometrics as pm

The names of `__all__` are the public interface; README.md has examples. They are loaded when the first of
them is used, so that importing one module of the library does not load the others.
"""
# ruff: noqa: F403, F405  (a type checker reads the names from the interface)

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "Agreement", "BankFit", "Block", "Cohort", "CohortRefused", "Estimate", "FitOptions", "GroupAbility",
    "ItemBank", "ItemParametersRefused", "Measure", "NotCalibratable", "Plan", "Planned", "Prices", "Reason",
    "ResponseMatrix", "ResponseMatrixRefused", "ResponseModel", "Results", "ScoreOutOfRange",
    "ScoreTableRefused", "Scores", "ScoresRefused", "Share", "Transform", "ability", "agreement_of",
    "calibrate", "cohort_from_columns", "item_bank", "item_bank_of", "load_cohort", "load_item_bank",
    "load_response_matrix", "load_scores", "measure", "plan", "quasi_likelihood", "response_matrix",
    "save_item_bank", "scores_of",
]  # fmt: skip

if TYPE_CHECKING:
    from psychometrics.interface import *
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("psychometrics.interface"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
