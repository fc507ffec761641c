"""How sessions end: submitted, expired, withdrawn. Each move holds a lock or is a conditional update."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models.functions import Coalesce, Least
from django.utils.translation import gettext as _

from batches.models import Session, SessionEventKind
from batches.rules.deadlines import Lateness, has_expired, lateness
from batches.rules.statuses import SESSION_MOVES, SessionStatus
from batches.selectors.sessions import session_of
from batches.services.receipt_mails import receipt_mail_queue
from batches.services.trail import session_event
from presentation.moments import moment_text
from studies.models import MailKind, Participant, User
from studies.roles import Can
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.mails.study_mails import participant_mail_queue, participant_mails_cancel
from studies.services.people.participants import participant_lock
from studies.services.people.vetting_mails import participant_mail
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right

NOTE_CHARACTERS = 2000


class SessionOver(Refused):
    """The session has ended, so nothing in it can change."""


class AlreadySubmitted(SessionOver):
    """The session was submitted before."""


class AlreadyWithdrawn(Refused):
    """The person withdrew before."""


@dataclass(frozen=True, slots=True)
class DeclaredResources:
    """What a person says they used besides the study's model; nothing at all is a valid declaration."""

    categories: Sequence[str]
    note: str


def resources_record(*, session: Session, resources: DeclaredResources, now: datetime) -> None:
    """Keep the declaration. After the end it is possible once, where it was not made in time.

    Raises SessionOver.
    """
    with transaction.atomic():
        session = Session.objects.select_for_update(no_key=True).get(pk=session.pk)
        undeclared = session.resources_recorded_at is None and session.status != SessionStatus.WITHDRAWN
        if not session.is_running(now) and not undeclared:
            raise SessionOver(_over_sentence(session))
        _resources_save(session, resources, now)


def session_submit(
    *, session: Session, resources: DeclaredResources | None, now: datetime, site_url: str | None = None
) -> Session:
    """Hand in the batch with the declaration of resources, None where it is missing.

    The person is mailed a receipt where `site_url` says where people reach the site.

    A click that was on the wire at the deadline still counts, even where the sweep came first. Raises
    AlreadySubmitted or SessionOver; what was saved stays saved.
    """
    with transaction.atomic():
        # The sweep takes no lock: it claims by the status, which it finds changed once this is committed.
        session = Session.objects.select_for_update(no_key=True).get(pk=session.pk)
        late = lateness(now=now, deadline_at=session.deadline_at, tolerance=session.tolerance)
        if session.status == SessionStatus.SUBMITTED:
            raise AlreadySubmitted(_over_sentence(session))
        moves = SESSION_MOVES[SessionStatus(session.status)]
        if SessionStatus.SUBMITTED not in moves or late == Lateness.LATE:
            raise SessionOver(_over_sentence(session))
        if resources is not None:
            _resources_save(session, resources, now)
        session.status, session.ended_at = SessionStatus.SUBMITTED, now
        session.save(update_fields=["status", "ended_at"])
        session.answers.update(is_open=False)
        session_event(session.pk, SessionEventKind.SUBMITTED, now, lateness=late)
        if site_url is not None:
            receipt_mail_queue(session_id=session.pk, site_url=site_url, now=now)
    return session


def session_withdraw(
    *,
    participant: Participant,
    now: datetime,
    reason: str = "",
    actor: User | None = None,
    site_url: str | None = None,
) -> Session | None:
    """Take the person out of the study, before, during or after their session, which is returned.

    Their answers count nowhere from now on, and are deleted at the moment the event names (see
    `batches.services.deletion`). `actor` is who of the study team does it on their wish (None: they did it
    themselves); then they are told by mail, where `site_url` says where people reach the site. Raises
    NotTheirs or AlreadyWithdrawn.
    """
    with transaction.atomic():
        # The same lock as a start takes: a person cannot start and withdraw at the same moment.
        participant = participant_lock(participant)
        if actor is not None:
            require_right(actor, participant.study, Can.DECIDE_PEOPLE)
        if has_withdrawn(participant):
            raise AlreadyWithdrawn(
                _("%(code)s withdrew already; nothing more needs to be done.") % {"code": participant.code}
                if actor
                else _("You have withdrawn from this study already; nothing more needs to be done.")
            )
        session = session_of(participant)
        if session is not None:
            _session_withdraw(session, now)
        participant_mails_cancel(participant, now)
        deletes_at = now + timedelta(days=participant.study.protocol.deletion_days)
        if actor is not None and site_url is not None:
            message = participant_mail(participant, "withdrawn", {"deletes_at": deletes_at}, site_url)
            # No switch keeps it from people that somebody says they wished to leave.
            participant_mail_queue(participant, message, now, kind=MailKind.DECISION, always=True)
        participant_event(
            participant,
            StudyEventKind.WITHDREW,
            now,
            actor=actor or participant.user,
            reason=reason.strip(),
            deletes_at=deletes_at.isoformat(),
        )
    return session


def sessions_expire(*, now: datetime, site_url: str | None = None) -> int:
    """End every session whose deadline and tolerance have passed, as of its deadline; return how many.

    Each person is mailed a receipt where `site_url` says where people reach the site.

    Any number of sweeps may run at once: each session is claimed by one of them.
    """
    overdue = Session.objects.filter(status=SessionStatus.ACTIVE, deadline_at__lt=now)
    candidates = [
        session
        for session in overdue.only("deadline_at", "late_tolerance_seconds").iterator()
        if has_expired(now=now, deadline_at=session.deadline_at, tolerance=session.tolerance)
    ]
    return sum(_session_expire(session, now, site_url) for session in candidates)


def _session_expire(session: Session, now: datetime, site_url: str | None) -> bool:
    """Claim and end one session; False where another sweep, a submission or a withdrawal was first."""
    with transaction.atomic():
        # The deadline is part of the claim: one that was moved since it was read is not swept.
        claimed = Session.objects.filter(
            pk=session.pk, status=SessionStatus.ACTIVE, deadline_at=session.deadline_at
        ).update(status=SessionStatus.EXPIRED, ended_at=session.deadline_at)
        if claimed:
            session_event(session.pk, SessionEventKind.EXPIRED, now, happened_at=session.deadline_at)
            if site_url is not None:
                receipt_mail_queue(session_id=session.pk, site_url=site_url, now=now)
    return bool(claimed)


def _session_withdraw(session: Session, now: datetime) -> None:
    movable = [status for status, moves in SESSION_MOVES.items() if SessionStatus.WITHDRAWN in moves]
    # Work that had ended before keeps its end; a running session ends now, at the latest at its deadline.
    Session.objects.filter(pk=session.pk, status__in=movable).update(
        status=SessionStatus.WITHDRAWN, ended_at=Coalesce("ended_at", Least(now, "deadline_at"))
    )
    session.answers.update(is_open=False)
    session_event(session.pk, SessionEventKind.WITHDRAWN, now)
    session.refresh_from_db()


def _resources_save(session: Session, resources: DeclaredResources, now: datetime) -> None:
    categories, note = list(resources.categories), resources.note.strip()
    unchanged = (session.resources, session.resources_note) == (categories, note)
    # Declaring the same again changes nothing, so it leaves no event either.
    if session.resources_recorded_at is not None and unchanged:
        return
    session.resources, session.resources_note, session.resources_recorded_at = categories, note, now
    session.save(update_fields=["resources", "resources_note", "resources_recorded_at"])
    session_event(
        session.pk,
        SessionEventKind.RESOURCES_RECORDED,
        now,
        categories=session.resources,
        note=session.resources_note,
    )


def _over_sentence(session: Session) -> str:
    if session.status == SessionStatus.SUBMITTED and session.ended_at is not None:
        time = moment_text(session.ended_at, seconds=True)
        return _("You submitted this question set on %(time)s; it stays as submitted.") % {"time": time}
    if session.voided_at is not None:
        return _("The study team has ended this session, so nothing in it changes any more.")
    if session.status == SessionStatus.WITHDRAWN:
        return _("You have withdrawn from this study, so nothing in this session changes any more.")
    time = moment_text(session.deadline_at, seconds=True)
    return _("Your time ended on %(time)s, so this session is over.") % {"time": time}
