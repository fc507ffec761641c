"""Reads of what a study team and its participants say to each other."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from django.db import connection
from django.db.models import Count, OuterRef, QuerySet, Subquery

from studies.models import Announcement, Message, Participant, Study
from studies.selectors.storage import storage_told

NoticeKind = Literal["announcement", "reply", "storage"]

# Every open page asks for it again and again. Plain SQL: building it through the ORM takes half the processor
# time of the whole request. The person's own row tells members, who may have no notices, from strangers.
NOTICES = """
SELECT 'member', participant.stored_bytes, '', NULL
  FROM studies_participant participant
  JOIN studies_study study ON study.id = participant.study_id
 WHERE participant.user_id = %(user)s AND study.slug = %(study)s
UNION ALL
SELECT 'announcement', announcement.id, announcement.text, announcement.made_at
  FROM studies_announcement announcement
  JOIN studies_study study ON study.id = announcement.study_id
  JOIN studies_participant participant ON participant.study_id = study.id
 WHERE participant.user_id = %(user)s AND study.slug = %(study)s AND announcement.withdrawn_at IS NULL
UNION ALL
SELECT 'reply', message.id, message.text, message.sent_at
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


@dataclass(frozen=True, slots=True)
class Notice:
    """What a participant is told on every page. `key` identifies it on the person's device."""

    key: str
    kind: NoticeKind
    text: str
    at: datetime


def notices_for(*, user_id: int, study_slug: str, now: datetime) -> list[Notice] | None:
    """What the team has to say to this person, newest last; None where they are not in the study.

    A reply is a notice until the person writes again. How much they store is told last, as of `now`.
    """
    with connection.cursor() as cursor:
        cursor.execute(NOTICES, {"user": user_id, "study": study_slug})
        rows = cursor.fetchall()
    if not rows:
        return None
    notices = [_notice(*row) for row in rows if row[0] != "member"]
    [stored_bytes] = [row[1] for row in rows if row[0] == "member"]
    told = storage_told(stored_bytes)
    storage = [Notice(told[0], "storage", told[1], now)] if told else []
    return sorted(notices, key=lambda notice: (notice.at, notice.key)) + storage


def announcements_of(study: Study) -> QuerySet[Announcement]:
    """Every announcement of the study, also those taken back, newest first."""
    return study.announcements.select_related("made_by").order_by("-id")


def thread_of(participant: Participant) -> QuerySet[Message]:
    """The person's messages and the replies to them, oldest first."""
    return participant.messages.select_related("author").order_by("id")


def threads(study: Study) -> QuerySet[Participant]:
    """Everyone of the study in a conversation with the team, those who wait for a reply first.

    Annotated with `is_open` (the newest message is theirs), `newest_at` and `written` (messages in all).
    """
    newest = _newest_message()
    return (
        study.participants.annotate(
            is_from_team=Subquery(newest.values("is_from_team")),
            newest_at=Subquery(newest.values("sent_at")),
            written=Count("messages"),
        )
        .filter(written__gt=0)
        .order_by("is_from_team", "-newest_at")
    )


def open_threads() -> QuerySet[Participant]:
    """The people of all studies whose newest message has no reply yet."""
    newest = Subquery(_newest_message().values("is_from_team"))
    return Participant.objects.annotate(is_from_team=newest).filter(is_from_team=False)


def _newest_message() -> QuerySet[Message]:
    return Message.objects.filter(participant=OuterRef("pk")).order_by("-id")[:1]


def _notice(kind: NoticeKind, pk: int, text: str, at: datetime | str) -> Notice:
    # SQLite knows no moments: it holds them as texts, in UTC.
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return Notice(f"{kind[0]}{pk}", kind, text, moment if moment.tzinfo else moment.replace(tzinfo=UTC))
