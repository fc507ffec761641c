"""Every model of the app, so that Django finds them."""

from scoring.models.judging import AnswerScore, CriterionScore, JudgeCall, ScoringRun
from scoring.models.results import BenchmarkMetric, Estimate, ResultGroup, ResultSet, TaskAccuracy
from scoring.models.screening import AnswerFlag, ParticipantFlag, Verdict, VerdictDecision

__all__ = [
    "AnswerFlag",
    "AnswerScore",
    "BenchmarkMetric",
    "CriterionScore",
    "Estimate",
    "JudgeCall",
    "ParticipantFlag",
    "ResultGroup",
    "ResultSet",
    "ScoringRun",
    "TaskAccuracy",
    "Verdict",
    "VerdictDecision",
]
