"""Every model of the app, so that Django finds them."""

from judging.models.audits import AuditItem, AuditSample
from judging.models.judges import JudgeChange, JudgeConfig
from judging.models.runs import (
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

__all__ = [
    "OPEN_RUN_STATES",
    "AnswerScore",
    "AuditItem",
    "AuditSample",
    "CriterionScore",
    "JudgeCall",
    "JudgeChange",
    "JudgeConfig",
    "JudgingRun",
    "PauseReason",
    "RowOrigin",
    "RowState",
    "RunPurpose",
    "RunState",
    "ScoringRun",
]
