"""Every model of the app, so that Django finds them."""

from studies.models.accounts import User
from studies.models.banks import (
    Attachment,
    Bank,
    BankVersion,
    Criterion,
    Item,
    ItemBank,
    JudgeProtocol,
    Prompt,
)
from studies.models.studies import (
    Amendment,
    Consent,
    Participant,
    Study,
    StudyEvent,
    StudyStatus,
    VettingStatus,
)

__all__ = [
    "Amendment",
    "Attachment",
    "Bank",
    "BankVersion",
    "Consent",
    "Criterion",
    "Item",
    "ItemBank",
    "JudgeProtocol",
    "Participant",
    "Prompt",
    "Study",
    "StudyEvent",
    "StudyStatus",
    "User",
    "VettingStatus",
]
