"""Reads of what a study team and its participants say to each other."""

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Left

from studies.models import Announcement, Message, Participant, Study

EXCERPT_CHARACTERS = 80


def announcements_of(study: Study) -> QuerySet[Announcement]:
    """Every announcement of the study, also those taken back, newest first."""
    return study.announcements.select_related("made_by").order_by("-id")


def thread_of(participant: Participant) -> QuerySet[Message]:
    """The person's messages and the replies to them, oldest first."""
    return participant.messages.select_related("author").order_by("id")


def threads(study: Study, words: str = "", *, only_waiting: bool = False) -> QuerySet[Participant]:
    """Everyone of the study in a conversation with the team whose code has these words, those who wait for a
    reply first, or alone.

    Annotated with `is_from_team` (the newest message is the team's), `newest_at`, `newest_text` (its start)
    and `written` (messages in all).
    """
    newest = _newest_message()
    people = (
        study.participants.filter(code__icontains=words)
        .annotate(
            is_from_team=Subquery(newest.values("is_from_team")),
            newest_at=Subquery(newest.values("sent_at")),
            newest_text=Subquery(newest.values(start=Left("text", EXCERPT_CHARACTERS))),
            written=Count("messages"),
        )
        .filter(written__gt=0)
        .order_by("is_from_team", "-newest_at")
    )
    return people.filter(is_from_team=False) if only_waiting else people


def open_threads() -> QuerySet[Participant]:
    """The people of all studies whose newest message has no reply yet."""
    newest = Subquery(_newest_message().values("is_from_team"))
    return Participant.objects.annotate(is_from_team=newest).filter(is_from_team=False)


def _newest_message() -> QuerySet[Message]:
    return Message.objects.filter(participant=OuterRef("pk")).order_by("-id")[:1]
