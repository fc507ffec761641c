"""Every model of the app, so that Django finds them."""

from scoring.models.agreement import Agreement
from scoring.models.audits import AuditItem, AuditSample
from scoring.models.checklist import ChecklistAnswer
from scoring.models.judges import JudgeChange, JudgeConfig, JudgeGrant, JudgeSlice
from scoring.models.judging import (
    OPEN_RUN_STATES,
    AnswerScore,
    CriterionScore,
    JudgeCall,
    JudgingRun,
    PauseReason,
    RowOrigin,
    RowState,
    RunPurpose,
    RunState,
    ScoringRun,
)
from scoring.models.leaderboards import ModelConfiguration, ModelScore
from scoring.models.measurement import Measurement, MeasureRow
from scoring.models.results import BenchmarkMetric, Estimate, ResultGroup, ResultSet, TaskAccuracy
from scoring.models.screening import AnswerFlag, ParticipantFlag, Verdict, VerdictDecision

__all__ = [
    "OPEN_RUN_STATES",
    "Agreement",
    "AnswerFlag",
    "AnswerScore",
    "AuditItem",
    "AuditSample",
    "BenchmarkMetric",
    "ChecklistAnswer",
    "CriterionScore",
    "Estimate",
    "JudgeCall",
    "JudgeChange",
    "JudgeConfig",
    "JudgeGrant",
    "JudgeSlice",
    "JudgingRun",
    "MeasureRow",
    "Measurement",
    "ModelConfiguration",
    "ModelScore",
    "ParticipantFlag",
    "PauseReason",
    "ResultGroup",
    "ResultSet",
    "RowOrigin",
    "RowState",
    "RunPurpose",
    "RunState",
    "ScoringRun",
    "TaskAccuracy",
    "Verdict",
    "VerdictDecision",
]
