"""Every model of the app, so that Django finds them."""

from scoring.models.agreement import JudgeComparison
from scoring.models.leaderboards import ModelConfiguration, ModelScore
from scoring.models.measurement import Measurement, MeasureRow
from scoring.models.results import ResultGroup, ResultSet

__all__ = [
    "JudgeComparison",
    "MeasureRow",
    "Measurement",
    "ModelConfiguration",
    "ModelScore",
    "ResultGroup",
    "ResultSet",
]
