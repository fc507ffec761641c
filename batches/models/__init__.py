"""Every model of the app, so that Django finds them."""

from batches.models.answers import Answer, Draft, PracticeAnswer, PracticeClock, Revision, RevisionOutcome
from batches.models.batches import Batch, BatchPlan, BatchPrompt, BatchSlot
from batches.models.payments import PaidState, PaymentReport, PaymentRule
from batches.models.sessions import PAGE_REPORTS, Session, SessionContact, SessionEvent, SessionEventKind

__all__ = [
    "PAGE_REPORTS",
    "Answer",
    "Batch",
    "BatchPlan",
    "BatchPrompt",
    "BatchSlot",
    "Draft",
    "PaidState",
    "PaymentReport",
    "PaymentRule",
    "PracticeAnswer",
    "PracticeClock",
    "Revision",
    "RevisionOutcome",
    "Session",
    "SessionContact",
    "SessionEvent",
    "SessionEventKind",
]
