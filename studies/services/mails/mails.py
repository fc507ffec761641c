"""Mails that a request asks for and a worker sends: a row each, so that no page waits for a mail server."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from smtplib import SMTPRecipientsRefused

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext_noop

from studies.models import Invitation, MailKind, MailOutcome, MailRecord, OutgoingMail
from studies.services.events import StudyEventKind, event_record
from studies.services.mails.texts import HTML, html_part
from studies.services.messages import notify_workers

LOG = structlog.get_logger("chiron")
SEND = "batches.tasks.send_mails"
# A page waits no longer for the broker; where it does not answer, the beat sees to the mail.
HINT_SECONDS = 0.25
# Whoever takes a mail has so long for it: a mail server may be slow at each of several steps.
TAKEN_FOR = timedelta(minutes=3)
MAX_ATTEMPTS = 14  # over eleven hours; a code is too old long before
FIRST_PAUSE = timedelta(seconds=5)
# What is left then waits for the next message: a worker that is told to end does so in seconds.
RUN_FOR = timedelta(seconds=10)

ADDRESS_REFUSED = gettext_noop("The mail server refused this address; check it for a typing error.")
NOT_TAKEN = gettext_noop(
    "The mail server could not be reached or did not take the mail; send it again later."
)

# A mail server that hangs takes one thread of a worker, not all.
_sending = threading.Lock()


_kept: ContextVar[list[EmailMessage] | None] = ContextVar("kept", default=None)


@contextmanager
def mails_kept() -> Iterator[list[EmailMessage]]:
    """Within, what this thread would queue is kept in the list and goes to nobody: a rehearsal reads there
    what its simulated people are mailed.
    """
    mails: list[EmailMessage] = []
    before = _kept.set(mails)
    try:
        yield mails
    finally:
        _kept.reset(before)


def mail_queue(
    *,
    message: EmailMessage,
    now: datetime,
    valid_for: timedelta,
    discarded: bool = False,
) -> OutgoingMail:
    """Store a mail to one address and tell the workers; `discarded` as in OutgoingMail.

    One that cannot be sent within `valid_for` is of no use any more and is dropped.
    """
    mail = _row(message, now, valid_for)
    if (kept := _kept.get()) is not None:
        kept.append(message)
        return mail
    mail.discarded = discarded
    mail.save()
    transaction.on_commit(mails_hint)
    return mail


def _row(
    message: EmailMessage, now: datetime, valid_for: timedelta, invitation: Invitation | None = None
) -> OutgoingMail:
    return OutgoingMail(
        to=message.to[0],
        subject=str(message.subject),
        body=str(message.body),
        html=html_part(message),
        sender="" if message.from_email == settings.DEFAULT_FROM_EMAIL else message.from_email,
        reply_to=next(iter(message.reply_to), ""),
        due_at=now,
        expires_at=now + valid_for,
        invitation=invitation,
    )


def mails_hint() -> None:
    """Tell the workers that a mail is due."""
    notify_workers(SEND, timeout=HINT_SECONDS)


def invitation_mails_queue(
    *, letters: Sequence[tuple[EmailMessage, Invitation]], now: datetime, valid_for: timedelta
) -> None:
    """Store a mail for each of these invitations, with its record, and tell the workers once.

    Otherwise as `mail_queue`.
    """
    mails = OutgoingMail.objects.bulk_create(
        _row(message, now, valid_for, invitation) for message, invitation in letters
    )
    MailRecord.objects.bulk_create(
        MailRecord(study_id=invitation.study_id, kind=MailKind.INVITATION, mail=mail, queued_at=now)
        for mail, (_message, invitation) in zip(mails, letters, strict=True)
    )
    transaction.on_commit(mails_hint)


def invitation_mails_cancel(numbers: Sequence[int], now: datetime) -> None:
    """Delete every queued mail of these invitations: the link in it does not hold any more."""
    waiting = OutgoingMail.objects.filter(invitation__in=numbers)
    MailRecord.objects.filter(mail__in=waiting).update(outcome=MailOutcome.CANCELLED, decided_at=now)
    waiting.delete()


def mails_send(*, clock: Callable[[], datetime], may_drop: bool = True) -> int:
    """Send what is due, each mail by one worker; return how many went out.

    What the mail server does not take is tried again after a pause that doubles. After the last attempt it is
    dropped, or where a study keeps a record of it, left for somebody to try again until it is too old. While
    the time is in doubt nothing may be dropped as too old: it waits. Does nothing where this process is
    sending already.
    """
    if not _sending.acquire(blocking=False):
        return 0
    try:
        began, sent = clock(), 0
        OutgoingMail.objects.filter(discarded=True).delete()
        if may_drop:
            _drop(began)
        while (now := clock()) < began + RUN_FOR:
            # What was never tried is due whatever the time is: the clock that dated it may have been ahead.
            due_now = Q(attempts=0) | Q(due_at__lte=now)
            # Of an archived study only what people were promised to be told, such as that they are out.
            goes = Q(record__study__archived_at=None) | Q(record__kind=MailKind.DECISION)
            sendable = OutgoingMail.objects.filter(due_now, goes, discarded=False, expires_at__gt=now)
            due = sendable.select_related("invitation__study").order_by("due_at").first()
            if due is None:
                break
            # The pause after an attempt begins with the attempt; nothing is changed where another has it.
            own = OutgoingMail.objects.filter(pk=due.pk, due_at=due.due_at)
            due.attempts, due.due_at = due.attempts + 1, now + TAKEN_FOR
            if own.update(due_at=due.due_at, attempts=F("attempts") + 1):
                sent += _send(due, clock)
        return sent
    finally:
        _sending.release()


def _drop(now: datetime) -> None:
    late = OutgoingMail.objects.filter(expires_at__lte=now)
    Invitation.objects.filter(mails__in=late, sent_at=None).update(send_problem=NOT_TAKEN)
    MailRecord.objects.filter(mail__in=late).update(outcome=MailOutcome.TOO_OLD, decided_at=now)
    if number := late.delete()[1].get("studies.OutgoingMail", 0):
        LOG.error("mails were dropped unsent: they are too old", number=number)


def _send(mail: OutgoingMail, clock: Callable[[], datetime]) -> bool:
    # No transaction is open while the mail server is waited for. Whatever is wrong with one mail holds up no
    # other.
    try:
        answers = [mail.reply_to] if mail.reply_to else None
        message = EmailMultiAlternatives(
            mail.subject, mail.body, mail.sender or None, [mail.to], reply_to=answers
        )
        if mail.html:
            message.attach_alternative(mail.html, HTML)
        message.send()
    except SMTPRecipientsRefused as error:
        if mail.invitation is None:
            _failed(mail, type(error).__name__, clock())
        else:  # the study team is told at once: no later attempt makes the address right
            _address_refused(mail, clock())
        return False
    except Exception as error:  # noqa: BLE001
        _failed(mail, type(error).__name__, clock())
        return False
    _sent(mail, clock())
    return True


def _lock(mail: OutgoingMail) -> bool:
    """Lock what belongs to a mail as whoever cancels it does, the mail last; whether it is still this process
    that sends it: one that took too long says nothing more.
    """
    if mail.invitation is not None:
        invitation = Invitation.objects.select_for_update(no_key=True).filter(pk=mail.invitation.pk)
        list(invitation.values_list("pk"))
    list(MailRecord.objects.select_for_update(no_key=True).filter(mail=mail.pk).values_list("pk"))
    own = OutgoingMail.objects.select_for_update().filter(pk=mail.pk, due_at=mail.due_at)
    return bool(list(own.values_list("pk")))


@transaction.atomic
def _sent(mail: OutgoingMail, now: datetime) -> None:
    _lock(mail)
    invitation = mail.invitation
    record = MailRecord.objects.filter(mail=mail)
    record.update(outcome=MailOutcome.SENT, problem="", attempts=mail.attempts, decided_at=now, mail=None)
    mail.delete()
    # Nothing is noted where the link was replaced meanwhile: that sending reports for itself.
    if invitation is not None and Invitation.objects.filter(
        pk=invitation.pk, token_sha256=invitation.token_sha256
    ).update(sent_at=now, send_problem=""):
        event_record(invitation.study, StudyEventKind.INVITATION_SENT, now, invitation=invitation.pk)


@transaction.atomic
def _address_refused(mail: OutgoingMail, now: datetime) -> None:
    Invitation.objects.filter(mails=mail).update(send_problem=ADDRESS_REFUSED)
    MailRecord.objects.filter(mail=mail).update(
        outcome=MailOutcome.FAILED, problem="SMTPRecipientsRefused", attempts=mail.attempts, decided_at=now
    )
    mail.delete()


@transaction.atomic
def _failed(mail: OutgoingMail, reason: str, now: datetime) -> None:
    if not _lock(mail):
        return
    record = MailRecord.objects.filter(mail=mail)
    is_over = mail.attempts >= MAX_ATTEMPTS
    has_record = bool(
        record.update(
            problem=reason[:100],
            attempts=mail.attempts,
            outcome=MailOutcome.FAILED if is_over else MailOutcome.WAITING,
        )
    )
    if is_over:
        Invitation.objects.filter(mails=mail).update(send_problem=NOT_TAKEN)
    if not is_over:
        LOG.error(
            "a mail was not sent; check CHIRON_MAIL_URL", mail=mail.pk, reason=reason, attempt=mail.attempts
        )
        pause = FIRST_PAUSE * 2 ** (mail.attempts - 1)
        OutgoingMail.objects.filter(pk=mail.pk).update(due_at=now + pause)
    elif has_record:
        LOG.error("a mail of a study is not tried again by itself", mail=mail.pk, reason=reason)
        OutgoingMail.objects.filter(pk=mail.pk).update(due_at=F("expires_at"))
    else:
        LOG.error("a mail was dropped unsent", mail=mail.pk, reason=reason, attempts=mail.attempts)
        mail.delete()
