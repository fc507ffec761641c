"""The study team voids a session: it ends and counts nowhere, but the person has not left."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import Session, SessionEventKind
from batches.rules.statuses import SessionStatus
from batches.services.trail import session_event
from studies.models import User
from studies.roles import Can
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right


class VoidRefused(Refused):
    """The session counts nowhere already, or no reason was given."""


def session_void(*, session: Session, reason: str, now: datetime, actor: User | None = None) -> Session:
    """Let nothing of the session count, for good; what was saved stays in the database. Raises VoidRefused.

    The place is free again. The person's data are kept as those of everybody else: they did not withdraw.
    """
    reason = reason.strip()
    if not reason:
        raise VoidRefused(_("Write why this session is void; the reason is kept in the history."))
    with transaction.atomic():
        session = Session.objects.select_for_update(no_key=True).get(pk=session.pk)
        require_right(actor, session.participant.study, Can.VOID)
        if session.voided_at is not None:
            raise VoidRefused(_("This session has been voided before."))
        if session.status == SessionStatus.WITHDRAWN:
            raise VoidRefused(_("This person has withdrawn, so the session counts nowhere already."))
        before = session.status_at(now)
        session.status, session.voided_at = SessionStatus.WITHDRAWN, now
        # What had ended before keeps its end.
        session.ended_at = session.ended_at or min(now, session.deadline_at)
        session.save(update_fields=["status", "voided_at", "ended_at"])
        session.answers.update(is_open=False)
        session_event(
            session.pk, SessionEventKind.VOIDED, now, actor=actor, before=before.value, reason=reason
        )
    return session
