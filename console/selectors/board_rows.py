"""The facts of sessions that the live board shows, read without any text."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    DateTimeField,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from batches.models import Answer, Revision, RevisionOutcome, Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from console.selectors.counting import number_of

CONTACT_FIELDS = (
    "heard_at", "is_hidden", "clock_off_seconds", "failed_saves", "lost_seconds", "trouble_since",
    "trouble_ended_at", "other_device_at",
)  # fmt: skip
ROW_FIELDS = (
    "pk", "code", "profile", "is_test", "set_number", "status", "voided", "started_at", "deadline_at",
    "ended_at", "extended_seconds", "questions", "answered", "last_save", "last_seen", "conflicts",
    "late_texts", *CONTACT_FIELDS,
)  # fmt: skip


def board_rows(sessions: QuerySet[Session]) -> Iterable[Sequence[object]]:
    """The values of `ROW_FIELDS` of each session; one query."""
    answers = Answer.objects.filter(session=OuterRef("pk"))
    refused = Revision.objects.filter(answer__session=OuterRef("pk"), outcome=RevisionOutcome.REFUSED_STALE)
    late = SessionEvent.objects.filter(session=OuterRef("pk"), kind=SessionEventKind.LATE_SAVE_REFUSED)
    annotated = sessions.annotate(
        code=F("participant__code"),
        profile=F("participant__profile"),
        is_test=F("participant__is_test"),
        set_number=F("batch__number"),
        voided=Case(
            When(voided_at=None, then=Value(False)), default=Value(True), output_field=BooleanField()
        ),
        questions=number_of(answers),
        answered=number_of(answers.filter(has_text=True)),
        last_save=_newest(answers, "saved_at"),
        last_seen=_newest(answers, "first_seen_at"),
        conflicts=number_of(refused),
        late_texts=number_of(late),
        **{name: F(f"contact__{name}") for name in CONTACT_FIELDS},
    )
    return annotated.values_list(*ROW_FIELDS)


def finished_sessions(sessions: QuerySet[Session], now: datetime) -> QuerySet[Session, Any]:
    """Keys of sessions that have ended by the clock, the last to end first."""
    over = sessions.filter(~Q(status=SessionStatus.ACTIVE) | Q(deadline_at__lt=now))
    return over.order_by(Coalesce("ended_at", "deadline_at").desc(), "pk").values("pk")


def _newest(rows: QuerySet[Answer], moment: str) -> Subquery:
    newest = rows.order_by().annotate(
        newest=Func(F(moment), function="MAX", output_field=DateTimeField(null=True))
    )
    return Subquery(newest.values("newest"))
