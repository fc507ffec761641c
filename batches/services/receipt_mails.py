"""The receipt of a session that ended, by mail: when, how many answers, under which reference; no texts."""

import uuid
from datetime import datetime

from django.core.mail import EmailMultiAlternatives

from batches.models import Session
from batches.rules.statuses import SessionStatus
from studies.models import MailKind
from studies.services.people.vetting_mails import participant_mail
from studies.services.study_mails import participant_mail_queue


def receipt_mail_queue(*, session_id: uuid.UUID, site_url: str, now: datetime) -> None:
    """Leave the receipt to a worker, where the study mails receipts."""
    session = Session.objects.select_related("participant__user", "participant__study").get(pk=session_id)
    message = receipt_mail(session, site_url)
    participant_mail_queue(session.participant, message, now, kind=MailKind.RECEIPT)


def receipt_mail(session: Session, site_url: str) -> EmailMultiAlternatives:
    """What the person is mailed once their session has ended."""
    answers = session.answers
    facts: dict[str, object] = {
        "submitted": session.status == SessionStatus.SUBMITTED,
        "ended_at": session.ended_at or session.deadline_at,
        "total": answers.count(),
        "answered": answers.filter(has_text=True).count(),
        "reference": session.reference,
    }
    return participant_mail(session.participant, "receipt", facts, site_url)
