"""What happened in one session, for whoever may look but not read: no text, no name of a question."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import CharField, F, IntegerField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from batches.models import Answer, Revision, RevisionOutcome, SessionEvent

SHOWN = 30
SAVED, OPENED, REFUSED = "answer_saved", "question_opened", "refused_stale"


@dataclass(frozen=True)
class Happening:
    """One thing that reached the server; `question` is its place in the set, 0 where it is about none.

    `failed` and `seconds` are what an open page reported: how many saves, and for how long or by how much.
    """

    at: datetime
    kind: str
    question: int
    actor: str
    reason: str
    failed: str = ""
    seconds: str = ""


def session_happenings(session: uuid.UUID) -> Sequence[Happening]:
    """The newest first, at most `SHOWN`; one query."""
    events = SessionEvent.objects.filter(session=session).order_by()
    answers = Answer.objects.filter(session=session).order_by()
    refused = Revision.objects.filter(
        answer__session=session, number=None, outcome=RevisionOutcome.REFUSED_STALE
    ).order_by()
    parts = (
        answers.filter(saved_at__isnull=False).values_list("saved_at", _words(SAVED), "position", *_nobody()),
        answers.filter(first_seen_at__isnull=False).values_list(
            "first_seen_at", _words(OPENED), "position", *_nobody()
        ),
        refused.values_list("received_at", _words(REFUSED), "answer__position", *_nobody()),
    )
    rows = events.values_list(
        "happened_at",
        "kind",
        Value(0, output_field=IntegerField()),
        Coalesce(F("actor__email"), Value("")),
        _detail("reason"),
        _detail("failed_saves"),
        _detail("for_seconds", "clock_off_seconds"),
    ).union(*parts, all=True)
    happened = sorted((Happening(*row) for row in rows), key=lambda one: one.at, reverse=True)
    return happened[:SHOWN]


def _words(text: str) -> Value:
    return Value(text, output_field=CharField())


def _detail(*names: str) -> Coalesce:
    return Coalesce(*(Cast(KT(f"details__{name}"), CharField()) for name in names), Value(""))


def _nobody() -> tuple[Value, ...]:
    return _words(""), _words(""), _words(""), _words("")
