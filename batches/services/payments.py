"""The list of whom to pay, and the facts to decide how much; what was paid is the payer's business.

It has addresses, so the trail says who took it.
"""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Q

from batches.models import Session
from batches.rules.statuses import SessionStatus
from formats.cells import csv_cell
from studies.models import Participant, Study, User, VettingStatus
from studies.selectors.participants import withdrew
from studies.services.events import StudyEventKind, event_record

PAYMENT_COLUMNS = ("code", "address", "profile", "reference", "started_at", "ended_at", "ended_how")
NOT_STARTED = "not_started"


def payments_list(*, study: Study, actor: User, now: datetime) -> list[list[str]]:
    """The rows of the file, its columns first, safe to open in a spreadsheet program."""
    rows = [[csv_cell(value) for value in row] for row in payment_rows(study, now)]
    event_record(study=study, kind=StudyEventKind.PAYMENTS_LISTED, now=now, actor=actor, number=len(rows))
    return [list(PAYMENT_COLUMNS), *rows]


def payment_rows(study: Study, now: datetime) -> Iterator[tuple[str | None, ...]]:
    """Everyone approved or ever started, by code: excluded and withdrawn people too, test people not."""
    worked_or_may = Q(vetting_status=VettingStatus.APPROVED) | Q(session__isnull=False)
    people = Participant.objects.filter(worked_or_may, study=study, is_test=False)
    people = people.annotate(has_withdrawn=withdrew()).select_related("user", "session")
    for participant in people.order_by("code"):
        session = getattr(participant, "session", None)
        how = SessionStatus.WITHDRAWN if participant.has_withdrawn else NOT_STARTED
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
