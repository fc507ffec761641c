"""The mails of a study: queued with a record, switched off by kind, tried again, cancelled.

Nobody is mailed in a study with simulated people.
"""

from datetime import datetime, timedelta

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from studies.models import (
    MailKind,
    MailOutcome,
    MailRecord,
    MailSwitch,
    OutgoingMail,
    Participant,
    Study,
    StudyEvent,
    User,
)
from studies.services.events import StudyEventKind, event_record
from studies.services.limits import Limit, limit_take
from studies.services.mails.mails import mail_queue, mails_hint
from studies.services.refusals import Refused

VALID_FOR = timedelta(days=2)
TESTS = Limit("test mails", amount=20, seconds=3600)


class MailGone(Refused):
    """The mail is sent, cancelled or too old: nothing is left to try again."""


class AlwaysSent(Refused):
    """This kind of mail has no switch."""


class TooManyTests(Refused):
    """The person has had very many test mails within the last hour."""


def is_switched_off(study: Study, kind: MailKind) -> bool:
    """Whether the study sends no mails of this kind."""
    return MailSwitch.objects.filter(study=study, kind=kind).exists()


def said_of_mail(study: Study, kind: MailKind, *, always: bool = False) -> str:
    """What the team reads after a change that people are mailed about: whether they are."""
    if study.is_simulated:
        return _("Nobody is mailed: this study is simulated.")
    if is_switched_off(study, kind) and not always:
        return _("Nobody is mailed: mails of this kind are switched off in this study.")
    return _("They are told by mail.")


def participant_mail_queue(
    participant: Participant,
    message: EmailMessage,
    now: datetime,
    *,
    kind: MailKind,
    valid_for: timedelta = VALID_FOR,
    always: bool = False,
) -> OutgoingMail | None:
    """Leave the mail to a worker, where the study sends this kind, or `always`.

    The event that tells of it keeps its number as `mail`.
    """
    study = participant.study
    if study.is_simulated or (is_switched_off(study, kind) and not always):
        return None
    return _queue(study, message, now, valid_for, kind=kind, participant=participant)


def digest_mail_queue(
    *, member: User, message: EmailMessage, now: datetime, valid_for: timedelta
) -> OutgoingMail:
    """Leave the digest of somebody of a team to a worker."""
    return _queue(None, message, now, valid_for, kind=MailKind.DIGEST, member=member)


def mail_test_send(
    *, study: Study, kind: MailKind, message: EmailMessage, actor: User, now: datetime
) -> None:
    """Mail an example of this kind to whoever asks, also where it is switched off. Raises TooManyTests."""
    if not limit_take(limit=TESTS, whom=str(actor.pk), now=now):
        raise TooManyTests(_("You have had many test mails within an hour. Please try it again later."))
    message.to = [actor.email]
    message.subject = _("Test: %(subject)s") % {"subject": message.subject}
    _queue(study, message, now, VALID_FOR, kind=kind, member=actor, is_test=True)


@transaction.atomic
def mail_switch(*, study: Study, kind: MailKind, is_on: bool, actor: User, now: datetime) -> bool:
    """Send mails of this kind from now on, or none any more; False where that was so before.

    What is queued still goes out. Raises AlwaysSent.
    """
    if kind == MailKind.INVITATION:
        raise AlwaysSent(_("An invitation is mailed whenever somebody asks for it; it has no switch."))
    if is_on:
        is_changed = bool(MailSwitch.objects.filter(study=study, kind=kind).delete()[0])
    else:
        _row, is_changed = MailSwitch.objects.get_or_create(
            study=study, kind=kind, defaults={"switched_off_at": now, "switched_off_by": actor}
        )
    if is_changed:
        event = StudyEventKind.MAILS_SWITCHED_ON if is_on else StudyEventKind.MAILS_SWITCHED_OFF
        event_record(study, event, now, actor=actor, mails=kind)
    return is_changed


@transaction.atomic
def mail_retry(*, study: Study, number: int, actor: User, now: datetime) -> None:
    """Try a mail that waits or failed again at once. Raises MailGone."""
    record = MailRecord.objects.select_for_update().filter(study=study, pk=number).first()
    if record is None or record.mail_id is None:
        raise MailGone(_("This mail is not waiting any more: it was sent, cancelled or dropped."))
    OutgoingMail.objects.filter(pk=record.mail_id).update(due_at=now, attempts=0, expires_at=now + VALID_FOR)
    record.outcome = MailOutcome.WAITING
    record.save(update_fields=["outcome"])
    event_record(study, StudyEventKind.MAIL_RETRIED, now, actor=actor, mails=record.kind, record=record.pk)
    transaction.on_commit(mails_hint)


def participant_mails_cancel(participant: Participant, now: datetime, *kinds: MailKind) -> None:
    """Delete every queued mail to the person, or those of these kinds only."""
    waiting = MailRecord.objects.filter(participant=participant, mail__isnull=False)
    if kinds:
        waiting = waiting.filter(kind__in=kinds)
    numbers = list(waiting.values_list("mail", flat=True))
    waiting.update(outcome=MailOutcome.CANCELLED, decided_at=now)
    OutgoingMail.objects.filter(pk__in=numbers).delete()


def mails_cancel(events: QuerySet[StudyEvent], now: datetime) -> None:
    """Delete the mails of these events that are still queued: what they say does not hold any more.

    One that is being sent at this moment is not tried again should it fail.
    """
    numbers = [number for number in events.values_list("details__mail", flat=True) if number]
    MailRecord.objects.filter(mail__in=numbers).update(outcome=MailOutcome.CANCELLED, decided_at=now)
    OutgoingMail.objects.filter(pk__in=numbers).delete()


def _queue(
    study: Study | None,
    message: EmailMessage,
    now: datetime,
    valid_for: timedelta,
    *,
    kind: MailKind,
    participant: Participant | None = None,
    member: User | None = None,
    is_test: bool = False,
) -> OutgoingMail:
    with transaction.atomic():
        mail = mail_queue(message=message, now=now, valid_for=valid_for)
        MailRecord.objects.create(
            study=study,
            kind=kind,
            participant=participant,
            member=member,
            is_test=is_test,
            mail=mail,
            queued_at=now,
        )
    return mail
