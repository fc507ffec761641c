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
from studies.models.contact import Announcement, Audience, Message
from studies.models.people import (
    ComprehensionAttempt,
    Consent,
    Credential,
    Invitation,
    Participant,
    ProfileForm,
    VettingStatus,
)
from studies.models.sign_in import LimitedUse, OutgoingMail
from studies.models.studies import Amendment, Study, StudyEvent, StudyStatus

__all__ = [
    "Amendment",
    "Announcement",
    "Attachment",
    "Audience",
    "Bank",
    "BankVersion",
    "ComprehensionAttempt",
    "Consent",
    "Credential",
    "Criterion",
    "Invitation",
    "Item",
    "ItemBank",
    "JudgeProtocol",
    "LimitedUse",
    "Message",
    "OutgoingMail",
    "Participant",
    "ProfileForm",
    "Prompt",
    "Study",
    "StudyEvent",
    "StudyStatus",
    "User",
    "VettingStatus",
]
