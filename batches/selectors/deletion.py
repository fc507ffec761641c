"""Whose data are to be deleted, and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from batches.models import PaymentReport, Revision
from studies.models import Credential, Message, Participant, StudyEvent
from studies.services.events import StudyEventKind


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """When a person withdrew, when their data are deleted, and when that was done."""

    withdrew_at: datetime
    deletes_at: datetime
    deleted_at: datetime | None


def withdrawal_of(participant: Participant) -> Withdrawal | None:
    """The person's withdrawal, if there is one."""
    kinds = (StudyEventKind.WITHDREW, StudyEventKind.DATA_DELETED)
    return withdrawal_among(StudyEvent.objects.filter(participant=participant, kind__in=kinds))


def withdrawal_among(events: Iterable[StudyEvent]) -> Withdrawal | None:
    """The withdrawal that a person's events tell of, the earliest first."""
    first: dict[str, StudyEvent] = {}
    for event in events:
        first.setdefault(event.kind, event)
    withdrew, deleted = first.get(StudyEventKind.WITHDREW), first.get(StudyEventKind.DATA_DELETED)
    if withdrew is None:
        return None
    return Withdrawal(withdrew.happened_at, _deletes_at(withdrew), deleted.happened_at if deleted else None)


def people_to_erase(now: datetime) -> list[int]:
    """Ids of the people whose time has come and of whom something is left.

    A crash may leave files behind, a page that was open all the time may send a text after the deletion, and
    the payer a note.
    """
    person = OuterRef("participant")
    done = StudyEvent.objects.filter(participant=person, kind=StudyEventKind.DATA_DELETED)
    files = Credential.objects.filter(participant=person)
    texts = Revision.objects.filter(answer__session__participant=person).exclude(text="", note="")
    messages = Message.objects.filter(participant=person)
    notes = PaymentReport.objects.filter(participant=person).exclude(note="")
    reasons = events_with_reason(person)
    left = ~Exists(done) | Exists(files) | Exists(texts) | Exists(messages) | Exists(notes) | Exists(reasons)
    events = (
        StudyEvent.objects.filter(kind=StudyEventKind.WITHDREW).filter(left).only("participant", "details")
    )
    return [event.participant_id for event in events if event.participant_id and _deletes_at(event) <= now]


def events_with_reason(participant: int | OuterRef) -> QuerySet[StudyEvent]:
    """What happened to a person in the study for a reason that somebody wrote down."""
    return StudyEvent.objects.filter(Q(participant=participant), details__has_key="reason")


def _deletes_at(event: StudyEvent) -> datetime:
    """The moment that was promised at the withdrawal; amendments of the protocol do not move it."""
    return datetime.fromisoformat(event.details["deletes_at"])
