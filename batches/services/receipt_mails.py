"""The receipt of a session that ended, by mail: when, how many answers, under which reference; no texts."""

import uuid
from dataclasses import asdict, dataclass
from datetime import datetime

from django.core.mail import EmailMultiAlternatives

from batches.models import Session
from batches.rules.statuses import SessionStatus
from studies.models import MailKind, Participant
from studies.services.mails.study_mails import participant_mail_queue, participant_mails_cancel
from studies.services.people.vetting_mails import participant_mail


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """What a receipt says."""

    submitted: bool
    ended_at: datetime
    total: int
    answered: int
    reference: str


def receipt_mail_queue(*, session_id: uuid.UUID, site_url: str, now: datetime) -> None:
    """Leave the receipt to a worker, where the study mails them; an earlier one that waits is cancelled."""
    session = Session.objects.select_related("participant__user", "participant__study").get(pk=session_id)
    facts = ReceiptFacts(
        submitted=session.status == SessionStatus.SUBMITTED,
        ended_at=session.ended_at or session.deadline_at,
        total=session.answers.count(),
        answered=session.answers.filter(has_text=True).count(),
        reference=session.reference,
    )
    participant_mails_cancel(session.participant, now, MailKind.RECEIPT)
    message = receipt_mail(session.participant, facts, site_url)
    participant_mail_queue(session.participant, message, now, kind=MailKind.RECEIPT)


def receipt_mail(participant: Participant, facts: ReceiptFacts, site_url: str) -> EmailMultiAlternatives:
    """What the person is mailed once their session has ended."""
    return participant_mail(participant, "receipt", asdict(facts), site_url)
