"""Every model of the app, so that Django finds them."""

from scoring.models.agreement import Agreement
from scoring.models.leaderboards import ModelConfiguration, ModelScore
from scoring.models.measurement import Measurement, MeasureRow
from scoring.models.results import BenchmarkMetric, Estimate, ResultGroup, ResultSet, TaskAccuracy

__all__ = [
    "Agreement",
    "BenchmarkMetric",
    "Estimate",
    "MeasureRow",
    "Measurement",
    "ModelConfiguration",
    "ModelScore",
    "ResultGroup",
    "ResultSet",
    "TaskAccuracy",
]
