"""What people are mailed about their place in a study. Nobody is, in a study with simulated people."""

from datetime import datetime, timedelta
from typing import Literal

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from studies.models import OutgoingMail, Participant, StudyEvent, StudyStatus
from studies.services.mails import mail_queue

VALID_FOR = timedelta(days=2)
Decision = Literal["approved", "reserve", "rejected"]


def decision_mail(
    participant: Participant, *, decision: Decision, reason: str, site_url: str, now: datetime
) -> EmailMessage:
    """What a person is told of the decision on them, with the next step or the reason; also its preview."""
    opens_at = participant.study.opens_at
    facts: dict[str, object] = {
        "reason": reason,
        "stage": _stage(participant, now),
        "opens_at": opens_at if opens_at and now < opens_at else None,
    }
    return participant_mail(participant, decision, facts, site_url)


def _stage(participant: Participant, now: datetime) -> Literal["started", "draft", "closed", "open"]:
    """What an approval means to the person now."""
    study = participant.study
    if hasattr(participant, "session"):
        return "started"
    if study.status == StudyStatus.DRAFT:
        return "draft"
    is_over = study.closes_at is not None and study.closes_at <= now
    return "closed" if is_over or study.status == StudyStatus.CLOSED else "open"


def participant_mail(
    participant: Participant, template: str, facts: dict[str, object], site_url: str
) -> EmailMessage:
    """A mail from `studies/mail/`. Without a known address of the site it has no link."""
    study = participant.study
    page = site_url.rstrip("/") + reverse("study_home", args=[study.slug]) if site_url else ""
    context = {**facts, "study": study, "minutes": participant.budget_minutes, "page": page}
    return mail_of(template, context, to=participant.user.email)


def mail_of(template: str, context: dict[str, object], *, to: str, language: str = "") -> EmailMessage:
    """A mail from `studies/mail/`.

    It is in the site's language unless the reader's is known: not in that of whoever causes it.
    """
    with translation.override(language or settings.LANGUAGE_CODE):
        subject = " ".join(render_to_string(f"studies/mail/{template}_subject.txt", context).split())
        body = render_to_string(f"studies/mail/{template}_message.txt", context).strip() + "\n"
    return EmailMessage(subject, body, None, [to])


def participant_mail_queue(
    participant: Participant, message: EmailMessage, now: datetime, valid_for: timedelta = VALID_FOR
) -> OutgoingMail | None:
    """Leave the mail to a worker. The event that tells of it keeps its number as `mail`."""
    if participant.study.is_simulated:
        return None
    return mail_queue(message=message, now=now, valid_for=valid_for)


def mails_cancel(events: QuerySet[StudyEvent]) -> None:
    """Delete the mails of these events that are still queued: what they say does not hold any more.

    One that is being sent at this moment is not tried again should it fail.
    """
    numbers = [number for number in events.values_list("details__mail", flat=True) if number]
    OutgoingMail.objects.filter(pk__in=numbers).delete()
