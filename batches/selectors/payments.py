"""Whom to pay, and the facts to decide how much; what was paid is the payer's business."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from batches.models import Session
from batches.rules.statuses import SessionStatus
from studies.models import Participant, Study, StudyEvent, VettingStatus
from studies.services.events import StudyEventKind

PAYMENT_COLUMNS = ("code", "address", "profile", "reference", "started_at", "ended_at", "ended_how")
NOT_STARTED = "not_started"


def payment_rows(study: Study, now: datetime) -> Iterator[tuple[str | None, ...]]:
    """Everyone approved or ever started, by code: excluded and withdrawn people too, test people not."""
    worked_or_may = Q(vetting_status=VettingStatus.APPROVED) | Q(session__isnull=False)
    withdrew = StudyEvent.objects.filter(participant=OuterRef("pk"), kind=StudyEventKind.WITHDREW)
    people = Participant.objects.filter(worked_or_may, study=study, is_test=False)
    people = people.annotate(withdrew=Exists(withdrew))
    for participant in people.select_related("user", "session").order_by("code"):
        session = getattr(participant, "session", None)
        how = SessionStatus.WITHDRAWN if participant.withdrew else NOT_STARTED
        facts = _session_facts(session, now) if session else (None, None, None, how)
        yield (participant.code, participant.user.email, participant.profile, *facts)


def _session_facts(session: Session, now: datetime) -> tuple[str | None, ...]:
    """The end is the true one, whether or not a sweep came by."""
    status = session.status_at(now)
    ended_at = session.deadline_at if status == SessionStatus.EXPIRED else session.ended_at
    return (
        session.reference,
        session.started_at.isoformat(),
        ended_at.isoformat() if ended_at else None,
        status.value,
    )
