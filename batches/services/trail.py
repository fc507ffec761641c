"""The trail of a session: what happened, and when. Rows are only ever added."""

from datetime import datetime
from uuid import UUID

from batches.models import SessionEvent, SessionEventKind
from studies.models import User


def session_event(
    session_id: UUID,
    kind: SessionEventKind,
    recorded_at: datetime,
    *,
    happened_at: datetime | None = None,
    actor: User | None = None,
    **details: object,
) -> None:
    """Add one event, with an actor where the study team did it; call it inside the change's transaction.

    It happened when it was recorded, unless `happened_at` says otherwise.
    """
    SessionEvent.objects.create(
        session_id=session_id,
        kind=kind,
        details=details,
        actor=actor,
        happened_at=happened_at or recorded_at,
        recorded_at=recorded_at,
    )
