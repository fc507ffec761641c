"""Sessions that a wrong clock ended: what shows it, and how far the person had come."""

from datetime import datetime

from batches.models import Answer, Revision, Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus


def ended_too_early(session: Session, now: datetime) -> bool:
    """Whether the session expired although its deadline was ahead.

    It still is; or something was recorded after the expiry, in whatever session, at an earlier time than the
    deadline. Events are numbered as they are written.
    """
    expired = _expiry(session)
    if session.status != SessionStatus.EXPIRED or expired is None:
        return False
    later = SessionEvent.objects.filter(pk__gt=expired.pk, recorded_at__lt=session.deadline_at)
    return now < session.deadline_at or later.exists()


def last_activity(session: Session) -> datetime:
    """The last time before the deadline at which the person is known to have used the session."""
    expired = _expiry(session)
    before = session.events.exclude(kind=SessionEventKind.EXPIRED)
    if expired is not None:
        before = before.filter(pk__lt=expired.pk)
    moments = [
        session.started_at,
        *before.values_list("recorded_at", flat=True),
        *Revision.objects.filter(answer__session=session).values_list("received_at", flat=True),
        *Answer.objects.filter(session=session).values_list("first_seen_at", flat=True),
    ]
    return max(moment for moment in moments if moment and moment <= session.deadline_at)


def _expiry(session: Session) -> SessionEvent | None:
    return session.events.filter(kind=SessionEventKind.EXPIRED).order_by("pk").last()
