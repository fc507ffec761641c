"""Every model of the app, so that Django finds them."""

from batches.models.batches import Batch, BatchPlan, BatchPrompt, BatchSlot
from batches.models.clock import ClockWatch
from batches.models.practice import PracticeAnswer
from batches.models.sessions import (
    Answer,
    Revision,
    RevisionOutcome,
    Session,
    SessionEvent,
    SessionEventKind,
)

__all__ = [
    "Answer",
    "Batch",
    "BatchPlan",
    "BatchPrompt",
    "BatchSlot",
    "ClockWatch",
    "PracticeAnswer",
    "Revision",
    "RevisionOutcome",
    "Session",
    "SessionEvent",
    "SessionEventKind",
]
