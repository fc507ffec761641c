"""The trail of a session: what happened, and when. Rows are only ever added."""

from datetime import datetime

from batches.models import Session, SessionEvent, SessionEventKind


def session_event(
    *,
    session: Session,
    kind: SessionEventKind,
    happened_at: datetime,
    recorded_at: datetime,
    **details: object,
) -> SessionEvent:
    """Add one event; call it inside the change's transaction."""
    return SessionEvent.objects.create(
        session=session, kind=kind, details=details, happened_at=happened_at, recorded_at=recorded_at
    )
