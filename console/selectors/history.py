"""Everything that happened in a study, newest first: its events, those of sessions, verdicts of screening.

A list of millions is read from its newest end, page by page, by the number of the last row seen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Q, QuerySet

from batches.models import SessionEvent
from screening.models import Verdict
from screening.selectors.participants import undecided_participants
from studies.models import Study, StudyEvent, User
from studies.roles import Can

# What the details of an event tell beside numbers of rows, and the right it takes where one is needed.
DETAILS: Mapping[str, Can | None] = {
    "role": None, "person": None, "closes_at": None, "minutes": None, "minutes_before": None,
    "deadline_at": None, "deadline_before": None, "deletes_at": None, "check_attempts": None,
    "audience": None, "number": None, "lateness": None, "before": None, "judging_run": None, "sample": None,
    "size": None, "seed": None, "public_only": None, "held_since": None, "seconds_ahead": None,
    "protocol_hash": Can.SEE_PROTOCOL, "arm": Can.SEE_PROTOCOL, "batch": Can.SEE_PROTOCOL,
    "position": Can.SEE_ANSWERS, "amendment": None, "changes": Can.SEE_PROTOCOL, "action": None,
    "people": None, "not_reached": None, "judge": Can.SEE_PROTOCOL, "base_url": Can.JUDGE,
    "key_variable": Can.JUDGE, "input_price": Can.JUDGE, "output_price": Can.JUDGE,
    "requests_per_minute": Can.JUDGE, "tokens_per_minute": Can.JUDGE, "concurrency": Can.JUDGE,
    "timeout_seconds": Can.JUDGE, "item_bank": Can.SEE_PROTOCOL, "version": Can.SEE_PROTOCOL,
    "added": Can.SEE_PROTOCOL, "replaced": Can.SEE_PROTOCOL, "bank": Can.SEE_PROTOCOL,
    "question": Can.SEE_PRIVATE, "page": None, "list": None, "given": None, "taken": None,
    "filter": Can.SEE_PRIVATE,  # may name a question
}  # fmt: skip


class Source(StrEnum):
    """Where events are kept."""

    STUDY = "study"
    SESSIONS = "sessions"
    VERDICTS = "verdicts"


@dataclass(frozen=True)
class Asked:
    """Which events are looked for; blank and None mean all."""

    source: Source = Source.STUDY
    kind: str = ""
    by: str = ""
    code: str = ""
    since: datetime | None = None
    until: datetime | None = None
    team_only: bool = False


@dataclass(frozen=True)
class Line:
    """One event. `by` is the address of whoever of the team did it, blank where nobody of them did."""

    number: int
    kind: str
    code: str
    by: str
    details: Mapping[str, object]
    happened_at: datetime


def history_lines(
    study: Study,
    wanted: Asked,
    reader: User,
    rights: frozenset[Can],
    *,
    before: int | None = None,
    limit: int | None = None,
) -> Iterator[Line]:
    """The events `reader` may see by these rights, the newest of those before the row `before` first."""
    rows, when = _rows(study, wanted, reader, rights)
    if wanted.since:
        rows = rows.filter(**{f"{when}__gte": wanted.since})
    if wanted.until:
        rows = rows.filter(**{f"{when}__lt": wanted.until})
    if before is not None:
        rows = rows.filter(pk__lt=before)
    staff = dict(User.objects.filter(is_staff=True).values_list("pk", "email"))
    for row in rows.order_by("-pk")[:limit].iterator(chunk_size=1000):
        line = _line(row, rights)
        if isinstance(key := line.details.get("person"), int):  # of the team: who got a role or lost it
            line = replace(line, details={**line.details, "person": staff.get(key, "")})
        yield line


def _rows(study: Study, wanted: Asked, reader: User, rights: frozenset[Can]) -> tuple[QuerySet[Any], str]:
    """The rows of the source, and what its time is called."""
    if wanted.source == Source.VERDICTS:
        verdicts = Verdict.objects.filter(participant__study=study).select_related(
            "decided_by", "participant"
        )
        if Can.REVIEW in rights:
            # Whoever may give the next verdict on somebody does not see what others said of them.
            waiting = undecided_participants(study).order_by().values("pk")
            verdicts = verdicts.filter(Q(decided_by=reader) | ~Q(participant__in=waiting))
        return _of(verdicts, wanted, person="participant", actor="decided_by", kind="decision"), "decided_at"
    if wanted.source == Source.SESSIONS:
        sessions = SessionEvent.objects.filter(session__participant__study=study)
        related = sessions.select_related("actor", "session__participant")
        return _of(related, wanted, person="session__participant", actor="actor", kind="kind"), "happened_at"
    events = StudyEvent.objects.filter(study=study).select_related("actor", "participant")
    return _of(events, wanted, person="participant", actor="actor", kind="kind"), "happened_at"


def _of(rows: QuerySet[Any], wanted: Asked, *, person: str, actor: str, kind: str) -> QuerySet[Any]:
    if wanted.kind:
        rows = rows.filter(**{kind: wanted.kind})
    if wanted.code:
        rows = rows.filter(**{f"{person}__code__iexact": wanted.code})
    if wanted.by:
        rows = rows.filter(**{f"{actor}__email__iexact": wanted.by, f"{actor}__is_staff": True})
    if wanted.team_only:
        rows = rows.filter(**{f"{actor}__is_staff": True})
    return rows


def _line(row: StudyEvent | SessionEvent | Verdict, rights: frozenset[Can]) -> Line:
    if isinstance(row, Verdict):
        details: Mapping[str, object] = {"reason": row.reason}
        return Line(
            row.pk,
            f"verdict_{row.decision}",
            row.participant.code,
            row.decided_by.email,
            details,
            row.decided_at,
        )
    person = row.participant if isinstance(row, StudyEvent) else row.session.participant
    # Participants do things themselves: their address is nobody's business here.
    theirs = row.actor is not None and person is not None and row.actor.pk == person.user_id
    allowed = {name for name, right in DETAILS.items() if right is None or right in rights}
    # A reason for what was done to a person may name them. What is done to several sessions is one event:
    # about people, by their codes.
    about_person = person is not None or "people" in row.details
    if not about_person or Can.SEE_PEOPLE in rights:
        allowed.add("reason")
    return Line(
        number=row.pk,
        kind=row.kind,
        code=person.code if person else "",
        by=row.actor.email if row.actor and not theirs and row.actor.is_staff else "",
        details={
            name: value for name, value in row.details.items() if name in allowed and value not in (None, "")
        },
        happened_at=row.happened_at,
    )
