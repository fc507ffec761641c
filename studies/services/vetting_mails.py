"""What people are mailed about their place in a study. Nobody is, in a study with simulated people."""

from datetime import datetime, timedelta

from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from studies.models import OutgoingMail, Participant, StudyStatus
from studies.services.mails import mail_queue

VALID_FOR = timedelta(days=2)


def decision_mail(participant: Participant, *, approved: bool, reason: str, site_url: str) -> EmailMessage:
    """What a person is told of the decision on them, with the next step or the reason; also its preview."""
    decision = "approved" if approved else "rejected"
    return participant_mail(participant, decision, {"reason": reason}, site_url)


def participant_mail(
    participant: Participant, template: str, facts: dict[str, object], site_url: str
) -> EmailMessage:
    """A mail from `studies/mail/`. Without a known address of the site it has no link."""
    study = participant.study
    page = site_url.rstrip("/") + reverse("study_home", args=[study.slug]) if site_url else ""
    is_closed = study.status == StudyStatus.CLOSED
    context = {**facts, "study": study, "minutes": study.protocol.time_budget_minutes, "page": page,
               "is_closed": is_closed}  # fmt: skip
    subject = " ".join(render_to_string(f"studies/mail/{template}_subject.txt", context).split())
    body = render_to_string(f"studies/mail/{template}_message.txt", context).strip() + "\n"
    return EmailMessage(subject, body, None, [participant.user.email])


def participant_mail_queue(
    participant: Participant, message: EmailMessage, now: datetime
) -> OutgoingMail | None:
    """Leave the mail to a worker."""
    if participant.study.is_simulated:
        return None
    return mail_queue(message=message, now=now, valid_for=VALID_FOR)
