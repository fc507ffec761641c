"""What people are mailed about their place in a study."""

from datetime import datetime
from typing import Literal

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from studies.models import Participant, StudyStatus
from studies.services.languages import mail_zone
from studies.services.mails.texts import MailButton, mail_of

Decision = Literal["approved", "reserve", "rejected"]


def decision_mail(
    participant: Participant, *, decision: Decision, reason: str, site_url: str, now: datetime
) -> EmailMultiAlternatives:
    """What a person is told of the decision on them, with the next step or the reason; also its preview."""
    study = participant.study
    # What an approval means to the person now.
    stage = "open"
    if hasattr(participant, "session"):
        stage = "started"
    elif study.status == StudyStatus.DRAFT:
        stage = "draft"
    elif study.status == StudyStatus.CLOSED or (study.closes_at is not None and study.closes_at <= now):
        stage = "closed"
    facts: dict[str, object] = {
        "reason": reason,
        "stage": stage,
        "opens_at": study.opens_at if study.opens_at and now < study.opens_at else None,
    }
    return participant_mail(participant, decision, facts, site_url)


def participant_mail(
    participant: Participant, template: str, facts: dict[str, object], site_url: str
) -> EmailMultiAlternatives:
    """A mail from `studies/mail/`, in the person's language. Without a known address of the site it has no
    link.
    """
    study, user = participant.study, participant.user
    page = site_url.rstrip("/") + reverse("study_home", args=[study.slug]) if site_url else ""
    context = {**facts, "study": study, "minutes": participant.budget_minutes, "page": page}
    button = MailButton(page, _("Open the study")) if page else None
    return mail_of(
        template, context, to=user.email, language=user.language, zone=mail_zone(study, user), button=button,
        study=study,
    )  # fmt: skip
