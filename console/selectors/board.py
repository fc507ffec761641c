"""The live board of a study: how its places fill, who is answering, what went wrong. No text is read.

At most three queries: rows of sessions, what happened in the one that is open with marks of everything else,
and numbers. From the first two it is seen whether the board may have changed; they come first, so that the
numbers are never behind them.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.db.models import Q
from django.utils.timezone import localtime

from batches.models import Session
from batches.rules.statuses import SessionStatus
from console.selectors.board_incidents import Incident, Row, incidents_of
from console.selectors.board_numbers import Numbers, board_numbers
from console.selectors.board_rows import ROW_FIELDS, board_rows, finished_sessions
from console.selectors.board_trail import Happening, board_trail
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
class Seen:
    """All of the board but its numbers, and everything that these follow from: while it is equal, they are.

    A save, an opened question and the end of time change `running`; whatever else becomes of a session, a
    person or the study leaves a row in a trail, which `marks` tell of.
    """

    wanted: Wanted
    running: Sequence[Row]
    finished: Sequence[Row]
    ending_soon: int
    opened: Row | None
    happened: Sequence[Happening]
    marks: Happening
    paused_at: datetime | None
    today: date


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


SORTS: Mapping[str, str] = {"left": "deadline_at", "person": "code", "set": "set_number", "save": "last_sign"}


def board_seen(study: Study, wanted: Wanted, now: datetime) -> Seen:
    """What there is to see of sessions; two queries for any number of them."""
    sessions = Session.objects.filter(participant__study=study)
    runs = Q(status=SessionStatus.ACTIVE, deadline_at__gte=now)
    listed = runs | Q(pk=wanted.session) if wanted.session else runs
    if wanted.tab == Tab.FINISHED:
        listed |= Q(pk__in=finished_sessions(sessions, now)[wanted.stretch])
    rows = [_row(values, now) for values in board_rows(sessions.filter(listed))]
    running = [row for row in rows if row.status == SessionStatus.ACTIVE]
    finished = [row for row in rows if row.status != SessionStatus.ACTIVE]
    finished.sort(key=lambda row: (row.ended_at or row.deadline_at, row.code), reverse=True)
    opened = next((row for row in (*running, *finished) if row.pk == wanted.session), None)
    happened, marks = board_trail(study, opened.pk if opened else None)
    return Seen(
        wanted=wanted,
        running=running,
        finished=finished,
        ending_soon=sum(row.deadline_at - now <= ENDING_SOON for row in running if not row.is_test),
        opened=opened,
        happened=happened,
        marks=marks,
        paused_at=study.recruiting_paused_at,
        today=localtime(now).date(),
    )


def board_of(study: Study, seen: Seen, now: datetime) -> Board:
    """The whole board; one query more."""
    wanted, numbers = seen.wanted, board_numbers(study, now)
    troubled = [row for row in seen.running if row.incidents]
    listed = {Tab.ANSWERING: seen.running, Tab.INCIDENTS: troubled, Tab.FINISHED: seen.finished}[wanted.tab]
    total = numbers.finished if wanted.tab == Tab.FINISHED else len(listed)
    rows = listed
    if wanted.tab != Tab.FINISHED:  # of those that have ended only the page was read, in its order
        field = SORTS[wanted.sort]
        rows = sorted(listed, key=lambda row: (getattr(row, field), row.code))[wanted.stretch]
    counted = [row for row in seen.running if not row.is_test]
    return Board(
        wanted=wanted,
        numbers=numbers,
        rows=rows,
        answering=len(counted),
        tests=len(seen.running) - len(counted),
        ending_soon=seen.ending_soon,
        incidents=len(troubled),
        last_save=max((row.last_save for row in counted if row.last_save), default=None),
        pages=max(1, -(-total // PAGE_SIZE)),
        opened=seen.opened,
        happened=seen.happened,
        paused_at=seen.paused_at,
    )


def board(study: Study, wanted: Wanted, now: datetime) -> Board:
    """Everything the live page shows; the same number of queries for any number of sessions."""
    return board_of(study, board_seen(study, wanted, now), now)


def _row(values: Sequence[object], now: datetime) -> Row:
    facts = dict(zip(ROW_FIELDS, values, strict=True))
    if facts["status"] == SessionStatus.ACTIVE and facts["deadline_at"] < now:  # type: ignore[operator]
        facts["status"] = SessionStatus.EXPIRED.value
    row = Row(**facts)  # type: ignore[arg-type]
    incidents = incidents_of(row, now) if row.status == SessionStatus.ACTIVE else ()
    if not incidents:
        return row
    unheard = row.heard_at if Incident.OFFLINE in incidents else None
    return replace(row, incidents=incidents, unheard_since=unheard)
