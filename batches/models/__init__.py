"""Every model of the app, so that Django finds them."""

from batches.models.batches import Batch, BatchPlan, BatchPrompt
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
    "Revision",
    "RevisionOutcome",
    "Session",
    "SessionEvent",
    "SessionEventKind",
]
