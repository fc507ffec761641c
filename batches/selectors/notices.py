"""What a participant is told on every page, and whom an announcement reaches."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from django.db import connection

from batches.rules.statuses import SessionStatus
from studies.models import Announcement, Audience, Participant, Study, VettingStatus
from studies.selectors.participants import withdrew
from studies.selectors.storage import storage_notice
from studies.services.events import StudyEventKind

NoticeKind = Literal["announcement", "reply", "storage"]

# Every open page asks for it again and again. Plain SQL: building it through the ORM takes half the processor
# time of the whole request. The person's own row tells members, who may have no notices, from strangers, and
# which announcements are for them.
NOTICES = """
SELECT 'member', participant.stored_bytes, participant.vetting_status, NULL,
       CASE WHEN EXISTS (
           SELECT 1
             FROM studies_studyevent event
            WHERE event.participant_id = participant.id AND event.kind = %(withdrew)s
       ) THEN %(withdrawn)s ELSE COALESCE(session.status, '') END
  FROM studies_participant participant
  JOIN studies_study study ON study.id = participant.study_id
  LEFT JOIN batches_session session ON session.participant_id = participant.id
 WHERE participant.user_id = %(user)s AND study.slug = %(study)s
UNION ALL
SELECT 'announcement', announcement.id, announcement.text, announcement.made_at, announcement.audience
  FROM studies_announcement announcement
  JOIN studies_study study ON study.id = announcement.study_id
  JOIN studies_participant participant ON participant.study_id = study.id
 WHERE participant.user_id = %(user)s AND study.slug = %(study)s AND announcement.withdrawn_at IS NULL
   AND (announcement.batch_number IS NULL OR EXISTS (
       SELECT 1
         FROM batches_session own
         JOIN batches_batch batch ON batch.id = own.batch_id
        WHERE own.participant_id = participant.id AND batch.number = announcement.batch_number
   ))
   AND (announcement.prompt_label = '' OR EXISTS (
       SELECT 1
         FROM batches_session own
         JOIN batches_answer answer ON answer.session_id = own.id
         JOIN studies_prompt prompt ON prompt.id = answer.prompt_id
        WHERE own.participant_id = participant.id AND prompt.label = announcement.prompt_label
   ))
UNION ALL
SELECT 'reply', message.id, message.text, message.sent_at, ''
  FROM studies_message message
  JOIN studies_participant participant ON participant.id = message.participant_id
  JOIN studies_study study ON study.id = participant.study_id
 WHERE participant.user_id = %(user)s AND study.slug = %(study)s AND message.is_from_team
   AND NOT EXISTS (
       SELECT 1
         FROM studies_message later
        WHERE later.participant_id = message.participant_id AND later.id > message.id
          AND NOT later.is_from_team
   )
"""
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
    with connection.cursor() as cursor:
        cursor.execute(NOTICES, {"user": user_id, "study": study_slug, **KINDS})
        rows = cursor.fetchall()
    own = next((row for row in rows if row[0] == "member"), None)
    if own is None:
        return None
    _, stored_bytes, vetting_status, _, status = own
    audiences = {"", *_audiences_of(vetting_status, status)}
    notices = [_notice(*row[:4]) for row in rows if row is not own and row[4] in audiences]
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


def _notice(kind: NoticeKind, pk: int, text: str, at: datetime | str) -> Notice:
    # SQLite knows no moments: it holds them as texts, in UTC.
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return Notice(f"{kind[0]}{pk}", kind, text, moment if moment.tzinfo else moment.replace(tzinfo=UTC))
