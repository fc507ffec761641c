"""What a participant is told on every page, and whom an announcement reaches."""

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db import connection

from batches.models import Session
from batches.rules.statuses import SessionStatus
from studies.models import Announcement, Audience, Participant, Study, VettingStatus
from studies.selectors.participants import storage_notice, withdrew
from studies.services.events import StudyEventKind

NoticeKind = Literal["announcement", "reply", "storage"]

# Every open page asks for it again and again. Plain SQL: building it through the ORM takes half the processor
# time of the whole request. The person's own row tells members, who may have no notices, from strangers, and
# which announcements are for them; beside it stands the clock of their session.
NOTICES = """
WITH person AS (
    SELECT participant.id, participant.study_id, participant.stored_bytes, participant.vetting_status
      FROM studies_participant participant
      {found_by}
)
SELECT 'member', person.stored_bytes, person.vetting_status, session.deadline_at,
       CASE WHEN EXISTS (
           SELECT 1
             FROM studies_studyevent event
            WHERE event.participant_id = person.id AND event.kind = %(withdrew)s
       ) THEN %(withdrawn)s ELSE COALESCE(session.status, '') END,
       session.status, session.extended_seconds
  FROM person
  LEFT JOIN batches_session session ON session.participant_id = person.id
UNION ALL
SELECT 'announcement', announcement.id, announcement.text, announcement.made_at, announcement.audience,
       NULL, NULL
  FROM studies_announcement announcement
  JOIN person ON person.study_id = announcement.study_id
 WHERE announcement.withdrawn_at IS NULL
   AND (announcement.batch_number IS NULL OR EXISTS (
       SELECT 1
         FROM batches_session own
         JOIN batches_batch batch ON batch.id = own.batch_id
        WHERE own.participant_id = person.id AND batch.number = announcement.batch_number
   ))
   AND (announcement.prompt_label = '' OR EXISTS (
       SELECT 1
         FROM batches_session own
         JOIN batches_answer answer ON answer.session_id = own.id
         JOIN studies_prompt prompt ON prompt.id = answer.prompt_id
        WHERE own.participant_id = person.id AND prompt.label = announcement.prompt_label
   ))
UNION ALL
SELECT 'reply', message.id, message.text, message.sent_at, '', NULL, NULL
  FROM studies_message message
  JOIN person ON person.id = message.participant_id
 WHERE message.is_from_team
   AND NOT EXISTS (
       SELECT 1
         FROM studies_message later
        WHERE later.participant_id = message.participant_id AND later.id > message.id
          AND NOT later.is_from_team
   )
"""
IN_STUDY = NOTICES.format(
    found_by="""JOIN studies_study study ON study.id = participant.study_id
     WHERE participant.user_id = %(user)s AND study.slug = %(study)s"""
)
IN_SESSION = NOTICES.format(
    found_by="""JOIN batches_session session ON session.participant_id = participant.id
     WHERE participant.user_id = %(user)s AND session.id = %(session)s"""
)
KINDS = {"withdrew": StudyEventKind.WITHDREW.value, "withdrawn": SessionStatus.WITHDRAWN.value}


@dataclass(frozen=True, slots=True)
class Notice:
    """What a participant is told on every page. `key` identifies it on the person's device."""

    key: str
    kind: NoticeKind
    text: str
    at: datetime


def notices_for(*, user_id: int, study_slug: str, now: datetime) -> list[Notice] | None:
    """What the team has to say to this person, newest last; None where they are not in the study.

    Announcements are for what the person is now, whatever they were when one was made. A reply is a notice
    until the person writes again. How much they store is told last, as of `now`.
    """
    rows = _rows(IN_STUDY, user=user_id, study=study_slug)
    return _notices(rows, now) if rows else None


def told_in_session(
    *, user_id: int, session_id: uuid.UUID, now: datetime
) -> tuple[Session, list[Notice]] | None:
    """All that an open page of a session asks for again and again, by one query: the session with nothing but
    its clock, and the person's notices. None where it is not this person's.
    """
    # SQLite knows no UUIDs.
    key = Session._meta.pk.get_db_prep_value(session_id, connection)
    rows = _rows(IN_SESSION, user=user_id, session=key)
    if not rows:
        return None
    *_, deadline_at, _, status, extended_seconds = rows[0]
    clock = Session(
        pk=session_id, status=status, deadline_at=_moment(deadline_at), extended_seconds=extended_seconds
    )
    return clock, _notices(rows, now)


def _rows(query: str, **whose: Any) -> list[Any]:
    """The person's own row first; none where there is no such person."""
    with connection.cursor() as cursor:
        cursor.execute(query, {**whose, **KINDS})
        return sorted(cursor.fetchall(), key=lambda row: row[0] != "member")


def _notices(rows: list[Any], now: datetime) -> list[Notice]:
    (_, stored_bytes, vetting_status, _, status, *_), *others = rows
    audiences = {"", *_audiences_of(vetting_status, status)}
    notices = [
        Notice(f"{kind[0]}{pk}", kind, text, _moment(at))
        for kind, pk, text, at, audience, *_ in others
        if audience in audiences
    ]
    told = storage_notice(stored_bytes)
    storage = [Notice(told[0], "storage", told[1], now)] if told else []
    # Keys of one kind by their number: "a99" before "a100".
    return sorted(notices, key=lambda one: (one.at, one.kind, len(one.key), one.key)) + storage


def audience_sizes(study: Study) -> Mapping[Audience, int]:
    """How many people of the study an announcement to each audience would reach now."""
    people = Participant.objects.filter(study=study).annotate(gone=withdrew())
    return Counter(
        audience
        for vetting_status, status, gone in people.values_list("vetting_status", "session__status", "gone")
        for audience in _audiences_of(vetting_status, SessionStatus.WITHDRAWN if gone else status or "")
    )


def people_reached(announcement: Announcement) -> int:
    """How many people an announcement reaches now."""
    people = Participant.objects.filter(study=announcement.study).annotate(gone=withdrew())
    if announcement.batch_number is not None:
        people = people.filter(session__batch__number=announcement.batch_number)
    if announcement.prompt_label:
        people = people.filter(session__answers__prompt__label=announcement.prompt_label)
    return sum(
        announcement.audience
        in set(_audiences_of(vetting, SessionStatus.WITHDRAWN if gone else status or ""))
        for vetting, status, gone in people.values_list("vetting_status", "session__status", "gone")
    )


def _audiences_of(vetting_status: str, status: str) -> Iterator[Audience]:
    """Those of a person. `status` is the session's: empty before it, withdrawn for all who withdrew."""
    yield Audience.EVERYBODY
    if vetting_status == VettingStatus.REJECTED or status == SessionStatus.WITHDRAWN:
        return
    if status in {SessionStatus.SUBMITTED, SessionStatus.EXPIRED}:
        yield Audience.FINISHED
        return
    yield Audience.IN_SESSION if status else Audience.NOT_STARTED
    if vetting_status == VettingStatus.APPROVED:
        yield Audience.APPROVED


def _moment(at: datetime | str) -> datetime:
    """SQLite knows no moments: it holds them as texts, in UTC."""
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
