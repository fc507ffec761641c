"""The live board of a study: how its places fill, who is answering, what went wrong. No text is read.

At most three queries: numbers, rows of sessions, and what happened in the one session that is open.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.db.models import Q, QuerySet

from batches.models import Session
from batches.rules.statuses import SessionStatus
from console.selectors.board_incidents import Row, incidents_of
from console.selectors.board_numbers import Numbers, board_numbers
from console.selectors.board_rows import ROW_FIELDS, board_rows, finished_sessions
from console.selectors.board_trail import Happening, session_happenings
from studies.models import Study

PAGE_SIZE = 50
ENDING_SOON = timedelta(minutes=30)


class Tab(StrEnum):
    """Which sessions the board lists."""

    ANSWERING = "answering"
    INCIDENTS = "incidents"
    FINISHED = "finished"


@dataclass(frozen=True)
class Wanted:
    """What of the board is asked for; `page` None is all of the list."""

    tab: Tab = Tab.ANSWERING
    page: int | None = 1
    sort: str = "left"
    session: uuid.UUID | None = None

    @property
    def stretch(self) -> slice:
        """The rows of the page among all of the list."""
        if self.page is None:
            return slice(None)
        return slice((self.page - 1) * PAGE_SIZE, self.page * PAGE_SIZE)


@dataclass(frozen=True)
class Board:
    """The board as it is now. `rows` are those of the tab's page, `happened` belongs to `opened`."""

    wanted: Wanted
    numbers: Numbers
    rows: Sequence[Row]
    answering: int
    tests: int
    ending_soon: int
    incidents: int
    last_save: datetime | None
    pages: int
    opened: Row | None
    happened: Sequence[Happening]
    paused_at: datetime | None

    @property
    def needs(self) -> int:
        """How many things wait for the team here."""
        return self.incidents + self.numbers.messages

    @property
    def tag(self) -> str:
        """Equal for equal boards: the time alone changes nothing of what is stored."""
        return sha256(repr(self).encode()).hexdigest()[:32]


SORTS: Mapping[str, str] = {"left": "deadline_at", "person": "code", "set": "set_number", "save": "last_sign"}


def board(study: Study, wanted: Wanted, now: datetime) -> Board:
    """Everything the live page shows; the same number of queries for any number of sessions."""
    numbers = board_numbers(study, now)
    running, finished = _rows(study, wanted, now)
    troubled = [row for row in running if row.incidents]
    listed = {Tab.ANSWERING: running, Tab.INCIDENTS: troubled, Tab.FINISHED: finished}[wanted.tab]
    total = numbers.finished if wanted.tab == Tab.FINISHED else len(listed)
    opened = next((row for row in (*running, *finished) if row.pk == wanted.session), None)
    counted = [row for row in running if not row.is_test]
    return Board(
        wanted=wanted,
        numbers=numbers,
        rows=listed if wanted.tab == Tab.FINISHED else _page(listed, wanted),
        answering=len(counted),
        tests=len(running) - len(counted),
        ending_soon=sum(row.deadline_at - now <= ENDING_SOON for row in counted),
        incidents=len(troubled),
        last_save=max((row.last_save for row in counted if row.last_save), default=None),
        pages=max(1, -(-total // PAGE_SIZE)),
        opened=opened,
        happened=session_happenings(opened.pk) if opened else (),
        paused_at=study.recruiting_paused_at,
    )


def _rows(study: Study, wanted: Wanted, now: datetime) -> tuple[list[Row], list[Row]]:
    """Running sessions, all of them, and where they are asked for a page of those that have ended."""
    sessions = Session.objects.filter(participant__study=study)
    runs = Q(status=SessionStatus.ACTIVE, deadline_at__gte=now)
    asked = runs | Q(pk=wanted.session) if wanted.session else runs
    if wanted.tab == Tab.FINISHED:
        asked |= Q(pk__in=_finished_page(sessions, wanted, now))
    rows = [_row(values, now) for values in board_rows(sessions.filter(asked))]
    running = [row for row in rows if row.status == SessionStatus.ACTIVE]
    over = [row for row in rows if row.status != SessionStatus.ACTIVE]
    over.sort(key=lambda row: (row.ended_at or row.deadline_at, row.code), reverse=True)
    return running, over


def _finished_page(sessions: QuerySet[Session], wanted: Wanted, now: datetime) -> QuerySet[Session, Any]:
    return finished_sessions(sessions, now)[wanted.stretch]


def _row(values: Sequence[object], now: datetime) -> Row:
    facts = dict(zip(ROW_FIELDS, values, strict=True))
    if facts["status"] == SessionStatus.ACTIVE and facts["deadline_at"] < now:  # type: ignore[operator]
        facts["status"] = SessionStatus.EXPIRED.value
    row = Row(**facts)  # type: ignore[arg-type]
    incidents = incidents_of(row, now) if row.status == SessionStatus.ACTIVE else ()
    return Row(**{**facts, "incidents": incidents})  # type: ignore[arg-type]


def _page(rows: list[Row], wanted: Wanted) -> list[Row]:
    field = SORTS[wanted.sort]
    ordered = sorted(rows, key=lambda row: (getattr(row, field), row.code))
    return ordered[wanted.stretch]
