"""What the list of people says of the rows of one page, in a fixed number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields.json import KeyTextTransform

from console.selectors.people import INVITATION, PERSON, Row
from studies.models import Invitation, Message, Participant, Study, StudyEvent
from studies.selectors.invitations import invitations_of
from studies.selectors.participants import is_out_of_tries
from studies.services.events import StudyEventKind


@dataclass(frozen=True, slots=True)
class RowFacts:
    """A row with its person or invitation. Moments are None for what has not happened."""

    row: Row
    participant: Participant | None = None
    invitation: Invitation | None = None
    answered: int = 0
    asked: int = 0
    waits_for_reply: bool = False
    is_out_of_tries: bool = False
    approved_at: datetime | None = None
    reminded_at: datetime | None = None
    deletes_at: datetime | None = None
    deleted_at: datetime | None = None


def rows_with_facts(study: Study, rows: Sequence[Row], now: datetime) -> list[RowFacts]:
    """The rows in their order. Whoever is gone meanwhile is left out."""
    keys = [row.key for row in rows if row.kind == PERSON]
    numbers = [row.key for row in rows if row.kind == INVITATION]
    # With their annotations.
    people: dict[int, Any] = {person.pk: person for person in _participants(study, keys)} if keys else {}
    invitations = invitations_of(study, now).filter(pk__in=numbers) if numbers else ()
    invited = {invitation.pk: invitation for invitation in invitations}
    with_facts = []
    for row in rows:
        if row.kind == INVITATION and row.key in invited:
            with_facts.append(RowFacts(row, invitation=invited[row.key]))
        elif row.kind == PERSON and (person := people.get(row.key)):
            facts = RowFacts(
                row,
                participant=person,
                answered=person.answered,
                asked=person.asked,
                waits_for_reply=person.newest_is_from_team is False,
                is_out_of_tries=bool(person.is_out_of_tries),
                approved_at=person.approved_at,
                reminded_at=person.reminded_at,
                deletes_at=datetime.fromisoformat(person.deletes) if person.deletes else None,
                deleted_at=person.deleted_at,
            )
            with_facts.append(facts)
    return with_facts


def _participants(study: Study, keys: list[int]) -> QuerySet[Participant]:
    """With how many questions each has and has answered, who wrote last, and when what happened."""
    messages = Message.objects.filter(participant=OuterRef("pk")).order_by("-id")
    keeps_out = is_out_of_tries() if study.protocol.comprehension_check else Q(pk=None)
    withdrew = _events(StudyEventKind.WITHDREW).annotate(at=KeyTextTransform("deletes_at", "details"))
    return (
        Participant.objects.filter(pk__in=keys)
        .select_related("user", "session", "replaced_by", "study", "platform_entry", "invitation")
        .annotate(
            asked=Count("session__answers"),
            answered=Count("session__answers", filter=Q(session__answers__has_text=True)),
            is_out_of_tries=Case(When(keeps_out, then=Value(1)), default=Value(0)),
            newest_is_from_team=Subquery(messages.values("is_from_team")[:1]),
            approved_at=Subquery(_events(StudyEventKind.APPROVED).values("happened_at")[:1]),
            reminded_at=Subquery(_events(StudyEventKind.REMINDED).values("happened_at")[:1]),
            deletes=Subquery(withdrew.values("at")[:1]),
            deleted_at=Subquery(_events(StudyEventKind.DATA_DELETED).values("happened_at")[:1]),
        )
    )


def _events(kind: StudyEventKind) -> QuerySet[StudyEvent]:
    return StudyEvent.objects.filter(participant=OuterRef("pk"), kind=kind).order_by("-pk")
