"""Flags and verdicts on what people last worked on.

Whoever was given time after the end works on: what was found and decided before says nothing about the new
texts, and stops counting at once, not only when somebody screens again.
"""

from django.db.models import Exists, OuterRef, QuerySet

from batches.models import SessionEvent, SessionEventKind
from screening.models import AnswerFlag, ParticipantFlag, Verdict

WENT_ON = (SessionEventKind.EXTENDED, SessionEventKind.REOPENED, SessionEventKind.REVIVED)


def current_answer_flags() -> QuerySet[AnswerFlag]:
    """Flags on answers whose session has not gone on since."""
    return AnswerFlag.objects.exclude(went_on_after("flagged_at", session="answer__session"))


def current_participant_flags() -> QuerySet[ParticipantFlag]:
    """Flags on people whose session has not gone on since."""
    return ParticipantFlag.objects.exclude(went_on_after("flagged_at", session="participant__session"))


def current_verdicts() -> QuerySet[Verdict]:
    """Verdicts on people whose session has not gone on since."""
    return Verdict.objects.exclude(went_on_after("decided_at", session="participant__session"))


def went_on_after(moment: str, *, session: str) -> Exists:
    """Whether the session a row leads to ran again after the time in the row's `moment`."""
    return Exists(
        SessionEvent.objects.filter(
            session=OuterRef(session), kind__in=WENT_ON, happened_at__gt=OuterRef(moment)
        )
    )
