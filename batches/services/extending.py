"""More time: before the start, while the clock runs, after it ran out, after handing in early, or given back.

Whoever moves a deadline holds the session's row; the sweep claims a session together with the deadline it
read, so a session whose deadline was moved is not swept. Saves look at the deadline and at `Answer.is_open`.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import Session, SessionEventKind
from batches.rules.statuses import SESSION_MOVES, SessionStatus
from batches.selectors.sessions import ended_too_early, last_activity, session_of
from batches.services.trail import session_event
from presentation.numbers import numbered
from studies.models import Participant, User
from studies.roles import Can
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right
from studies.services.twice import made_just_now

MAX_MINUTES = 7 * 24 * 60


class TimeRefused(Refused):
    """The time stays as it is."""


class ReasonMissing(TimeRefused):
    """Whoever changes somebody's time says why."""


class MinutesInvalid(TimeRefused):
    """That many minutes cannot be given."""


class TimeSettled(TimeRefused):
    """The clock has started, so extra time for the start comes too late."""


class SessionWithdrawn(TimeRefused):
    """The person withdrew; nothing in their session changes any more."""


class NotStarted(TimeRefused):
    """The person has no session whose time could change."""


class NothingToReopen(TimeRefused):
    """The session was not handed in, or no time was left when it was."""


class NothingToRevive(TimeRefused):
    """The session has not expired, or nothing shows that it did so before its deadline."""


class DeadlineMoved(TimeRefused):
    """Somebody changed the deadline since the page was shown, perhaps the same person by a second click."""


class GivenJustNow(TimeRefused):
    """The same minutes for the same reason, by the same person: a button pressed twice."""


class ReopenInstead(TimeRefused):
    """The session was handed in early: reopening gives back the time that was left."""


def extra_time_grant(
    *, participant: Participant, minutes: int, reason: str, now: datetime, actor: User | None = None
) -> Participant:
    """Set the minutes that are added to the budget at the start; 0 takes them back. Raises a TimeRefused."""
    reason = _reason(reason)
    _require_minutes(minutes, least=0)
    with transaction.atomic():
        # The lock that a start takes: the clock starts with the old minutes or with the new ones.
        participant = participant_lock(participant)
        require_right(actor, participant.study, Can.GIVE_TIME)
        if has_withdrawn(participant):
            raise TimeSettled(_("This person has withdrawn, so there is no start to give extra time for."))
        if session_of(participant) is not None:
            raise TimeSettled(_("This person has started; extend the running session instead."))
        if participant.extra_minutes == minutes:
            return participant
        before, participant.extra_minutes = participant.extra_minutes, minutes
        participant.save(update_fields=["extra_minutes"])
        participant_event(
            participant,
            StudyEventKind.EXTRA_TIME_GRANTED,
            now,
            actor=actor,
            minutes=minutes,
            minutes_before=before,
            reason=reason,
        )
    return participant


def session_extend(
    *,
    session: Session,
    minutes: int,
    reason: str,
    now: datetime,
    actor: User | None = None,
    deadline_seen: datetime | None = None,
) -> Session:
    """Move the deadline later; a session that is over runs again, with these minutes from now.

    By the clock: one past its deadline that no sweep has ended is over. The study's closing time is no limit
    here. `deadline_seen` is the deadline the decision was made on. Raises a TimeRefused.
    """
    reason = _reason(reason)
    _require_minutes(minutes, least=1)
    with transaction.atomic():
        session = _locked(session, actor)
        if deadline_seen is not None and deadline_seen != session.deadline_at:
            raise DeadlineMoved(
                _("The deadline has changed since this page was shown. Look at it and decide again.")
            )
        if actor is not None and _given_just_now(session, minutes, reason, actor, now):
            raise GivenJustNow(
                _(
                    "You gave these minutes for this reason less than a minute ago; they are not given "
                    "twice. If more are needed, wait a moment or write another reason."
                )
            )
        if session.status == SessionStatus.SUBMITTED and session.time_left_at_end:
            raise ReopenInstead(
                _(
                    "This question set was handed in early. Reopen it instead: the time that was left comes "
                    "back."
                )
            )
        # All of it can still be used, so a deadline that has passed counts from now.
        deadline_at = max(now, session.deadline_at) + timedelta(minutes=minutes)
        _run_until(session, deadline_at, SessionEventKind.EXTENDED, reason, now, actor, minutes=minutes)
    return session


def _given_just_now(session: Session, minutes: int, reason: str, actor: User, now: datetime) -> bool:
    """Whoever goes back in their browser finds the form as they sent it, or anew with what they wrote."""
    given = session.events.filter(
        kind=SessionEventKind.EXTENDED, details__minutes=minutes, details__reason=reason
    )
    return made_just_now(given, moment="happened_at", now=now, actor=actor) is not None


def session_reopen(*, session: Session, reason: str, now: datetime, actor: User | None = None) -> Session:
    """Let a batch that was handed in early be worked on again, with the time that was left then.

    Raises a TimeRefused.
    """
    reason = _reason(reason)
    with transaction.atomic():
        session = _locked(session, actor)
        if session.status != SessionStatus.SUBMITTED:
            raise NothingToReopen(
                _("Only a question set that was handed in can be reopened; extend the time instead.")
            )
        left = session.time_left_at_end
        if not left:
            raise NothingToReopen(
                _(
                    "No time was left when this question set was handed in; extend the time to let the "
                    "person go on."
                )
            )
        # Never earlier than before, even where the server's clock was set back since.
        deadline_at = max(now, session.deadline_at - left) + left
        _run_until(session, deadline_at, SessionEventKind.REOPENED, reason, now, actor)
    return session


def session_revive(*, session: Session, reason: str, now: datetime, actor: User | None = None) -> Session:
    """Let a session run again that a wrong clock ended, with the time that was left then.

    When that was, no right clock says: the time counts from the last sign of the person in the trail. The
    study's closing time is no limit here. Raises a TimeRefused.
    """
    reason = _reason(reason)
    with transaction.atomic():
        session = _locked(session, actor)
        if not ended_too_early(session, now):
            raise NothingToRevive(
                "Nothing shows that a clock ended this session too early; extend the time instead."
            )
        left = session.deadline_at - last_activity(session)
        deadline_at = max(now, session.deadline_at - left) + left
        _run_until(session, deadline_at, SessionEventKind.REVIVED, reason, now, actor)
    return session


def _run_until(
    session: Session,
    deadline_at: datetime,
    kind: SessionEventKind,
    reason: str,
    now: datetime,
    actor: User | None,
    **details: Any,
) -> None:
    """Make the locked session active until then, its answers open, and leave an event."""
    status_before, deadline_before = session.status_at(now), session.deadline_at
    later = deadline_at - deadline_before
    session.status, session.ended_at, session.deadline_at = SessionStatus.ACTIVE, None, deadline_at
    session.extended_seconds += round(later.total_seconds())
    session.counted_at = None
    session.save(update_fields=["status", "ended_at", "deadline_at", "extended_seconds", "counted_at"])
    session.answers.update(is_open=True)
    session_event(
        session.pk,
        kind,
        now,
        actor=actor,
        deadline_at=deadline_at.isoformat(),
        deadline_before=deadline_before.isoformat(),
        before=status_before.value,
        reason=reason,
        **details,
    )


def _locked(session: Session, actor: User | None) -> Session:
    """The session, held until the end of the transaction. Raises NotTheirs or SessionWithdrawn."""
    session = Session.objects.select_for_update(no_key=True).get(pk=session.pk)
    require_right(actor, session.participant.study, Can.GIVE_TIME)
    status = SessionStatus(session.status)
    if session.voided_at is not None:
        raise SessionWithdrawn(_("This session has been voided, which is for good."))
    if status != SessionStatus.ACTIVE and SessionStatus.ACTIVE not in SESSION_MOVES[status]:
        raise SessionWithdrawn(_("This person has withdrawn, so their session cannot go on."))
    return session


def _require_minutes(minutes: int, *, least: int) -> None:
    if not least <= minutes <= MAX_MINUTES:
        limits = {"least": least, "most": MAX_MINUTES}
        raise MinutesInvalid(numbered(_("Give between %(least)d and %(most)d minutes."), limits))


def _reason(text: str) -> str:
    reason = text.strip()
    if not reason:
        raise ReasonMissing(_("Write why this person's time changes; the reason is kept in the history."))
    return reason
