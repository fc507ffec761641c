"""Mailing people who have not started that the study closes soon: once for each closing time."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from studies.models import (
    MailKind,
    MailSwitch,
    Participant,
    StudyEvent,
    StudyStatus,
    User,
    VettingStatus,
)
from studies.selectors.participants import has_declined, has_valid_consent, withdrew
from studies.selectors.studies import study_is_open
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.mails.study_mails import VALID_FOR, participant_mail_queue
from studies.services.people.participants import participant_lock
from studies.services.people.vetting_mails import participant_mail
from studies.services.refusals import Refused

BEFORE_CLOSING = timedelta(days=3)
# Somebody who was just told what comes next is not reminded of it on the same day.
NOT_SINCE = timedelta(days=1)
TOLD = (StudyEventKind.PARTICIPANT_ADDED, StudyEventKind.APPROVED, StudyEventKind.REMINDED)


def reminders_queue(*, now: datetime, site_url: str) -> int:
    """Leave a mail for everybody who is due one; return how many. Running it twice does no harm."""
    return sum(_remind(participant, now, site_url) for participant in _due(now))


def _due(now: datetime) -> QuerySet[Participant]:
    """Who has not started in a study that closes within three days, reminded of it or not."""
    lately = StudyEvent.objects.filter(
        participant=OuterRef("pk"),
        kind__in=TOLD[:2],
        happened_at__gt=now - NOT_SINCE,
    )
    switched_off = MailSwitch.objects.filter(study=OuterRef("study"), kind=MailKind.REMINDER)
    return (
        Participant.objects.filter(
            study__status=StudyStatus.FROZEN,
            study__is_simulated=False,
            study__closes_at__gt=now,
            study__closes_at__lte=now + BEFORE_CLOSING,
            session=None,
        )
        .exclude(vetting_status=VettingStatus.REJECTED)
        .exclude(withdrew())
        .exclude(Exists(lately))
        .exclude(Exists(switched_off))
        .order_by("pk")
    )


class NotReminded(Refused):
    """A reminder would tell the person nothing."""


@transaction.atomic
def reminder_send(*, participant: Participant, actor: User, now: datetime, site_url: str) -> Participant:
    """Leave a reminder to one person to a worker, whenever the study closes.

    Raises NotReminded where they started, have nothing to do, cannot start, or were mailed within a day.
    """
    person = participant_lock(participant)
    if not study_is_open(person.study, now):
        raise NotReminded(_("The study is not open, so there is nothing to remind anybody of."))
    if hasattr(person, "session") or has_withdrawn(person) or _has_nothing_to_do(person):
        raise NotReminded(_("%(code)s has nothing left to do.") % {"code": person.code})
    told = StudyEvent.objects.filter(participant=person, kind__in=TOLD, happened_at__gt=now - NOT_SINCE)
    if told.exists():
        raise NotReminded(
            _("%(code)s was mailed within the last day; remind them later.") % {"code": person.code}
        )
    message = participant_mail(person, "reminder", {"is_reminder": True}, site_url)
    mail = participant_mail_queue(person, message, now, kind=MailKind.REMINDER)
    participant_event(person, StudyEventKind.REMINDED, now, actor=actor, mail=mail.pk if mail else None)
    return person


@transaction.atomic
def _remind(participant: Participant, now: datetime, site_url: str) -> bool:
    """Whether the person was still due it once nobody else could change them."""
    participant_lock(participant)
    person = _due(now).select_related("study", "user").filter(pk=participant.pk).first()
    if person is None or person.study.closes_at is None or _has_nothing_to_do(person):
        return False
    closes_at = person.study.closes_at.isoformat()
    reminded = StudyEvent.objects.filter(participant=person, kind=StudyEventKind.REMINDED)
    if reminded.filter(details__closes_at=closes_at).exists():
        return False
    message = participant_mail(person, "reminder", {}, site_url)
    valid_for = min(VALID_FOR, person.study.closes_at - now)
    mail = participant_mail_queue(person, message, now, kind=MailKind.REMINDER, valid_for=valid_for)
    participant_event(
        person, StudyEventKind.REMINDED, now, closes_at=closes_at, mail=mail.pk if mail else None
    )
    return True


def _has_nothing_to_do(person: Participant) -> bool:
    """Whether the next step is the study team's, or the person has declined to take any."""
    if person.vetting_status in {VettingStatus.RESERVE, VettingStatus.REJECTED}:
        return True
    is_waiting = person.vetting_status == VettingStatus.SUBMITTED and has_valid_consent(person)
    return is_waiting or has_declined(person)
