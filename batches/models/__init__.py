"""Every model of the app, so that Django finds them."""

from batches.models.batches import Batch, BatchPlan, BatchPrompt, BatchSlot
from batches.models.clock import ClockWatch
from batches.models.drafts import Draft
from batches.models.practice import PracticeAnswer, PracticeClock
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
    "Draft",
    "PracticeAnswer",
    "PracticeClock",
    "Revision",
    "RevisionOutcome",
    "Session",
    "SessionEvent",
    "SessionEventKind",
]
