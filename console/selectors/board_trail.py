"""What happened in one session, for whoever may look but not read: no text, no name of a question. And
marks by which the board sees whether anything happened in any.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    BigIntegerField,
    CharField,
    F,
    Func,
    IntegerField,
    Model,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from batches.models import Answer, Revision, RevisionOutcome, SessionEvent
from console.selectors.counting import number_of, unanswered_messages
from studies.models import Study, StudyEvent

SHOWN = 30
# Of two rows at once the later may be seen first: this many of the newest are looked at.
LATEST = 1_000
MARKS = "marks"
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


def board_trail(study: Study, session: uuid.UUID | None) -> tuple[Sequence[Happening], Happening]:
    """What happened in this session, the newest first, at most `SHOWN`; and the marks. One query."""
    # One row, another one as soon as either trail of the site grows, or a message waits or no longer.
    waiting = number_of(unanswered_messages().filter(participant__study=study))
    numbers = [Cast(number, CharField()) for number in (_newest(SessionEvent), _newest(StudyEvent), waiting)]
    here: QuerySet[Any, Any] = Study.objects.filter(pk=study.pk).order_by()
    marks = here.values_list("created_at", _words(MARKS), Value(0), *numbers, _words(""))
    rows = [Happening(*row) for row in (_happenings(session).union(marks, all=True) if session else marks)]
    happened = sorted((row for row in rows if row.kind != MARKS), key=lambda row: row.at, reverse=True)
    return happened[:SHOWN], next(row for row in rows if row.kind == MARKS)


def _newest(trail: type[Model]) -> Subquery:
    """The sum of the newest keys: with every row that comes to be seen it grows, whatever its key."""
    newest = trail._default_manager.order_by("-pk").values("pk")[:LATEST]
    rows = trail._default_manager.filter(pk__in=newest).order_by()
    total = Func(F("pk"), function="SUM", output_field=BigIntegerField())
    return Subquery(rows.annotate(total=total).values("total"))


def _happenings(session: uuid.UUID) -> QuerySet[SessionEvent, Any]:
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
    return events.values_list(
        "happened_at",
        "kind",
        Value(0, output_field=IntegerField()),
        Coalesce(F("actor__email"), Value("")),
        _detail("reason"),
        _detail("failed_saves"),
        _detail("for_seconds", "clock_off_seconds"),
    ).union(*parts, all=True)


def _words(text: str) -> Value:
    return Value(text, output_field=CharField())


def _detail(*names: str) -> Coalesce:
    return Coalesce(*(Cast(KT(f"details__{name}"), CharField()) for name in names), Value(""))


def _nobody() -> tuple[Value, ...]:
    return _words(""), _words(""), _words(""), _words("")
