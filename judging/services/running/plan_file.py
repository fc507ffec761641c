"""A judge's plan while it is made and stored: a private file, so that no memory grows with the plan.

SQLite keeps it, whatever the site's database is, in a temporary file that is gone with its connection. It
finds equal requests among millions and gives what it holds in order.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

# `leader` is the call whose reply decides: of equal requests the first. `followed`: it decides more rows than
# its first one. `known`: every row that it decides has a verdict already.
CONTENTS = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16384;
CREATE TABLE answer (number INTEGER PRIMARY KEY, answer INTEGER, prompt INTEGER, revision INTEGER);
CREATE TABLE call (
  number INTEGER PRIMARY KEY, request BLOB, tokens INTEGER, leader INTEGER, followed INTEGER,
  known INTEGER DEFAULT 0
);
CREATE TABLE planned (
  number INTEGER PRIMARY KEY, call INTEGER, first INTEGER, answer INTEGER, revision INTEGER,
  criterion INTEGER, place INTEGER
);
CREATE TABLE verdict (
  request BLOB, place INTEGER, score REAL, confidence REAL, explanation TEXT, PRIMARY KEY (request, place)
) WITHOUT ROWID;
BEGIN;
"""
MERGE = """
CREATE INDEX by_request ON call (request, number) WHERE request IS NOT NULL;
CREATE TEMPORARY TABLE twice AS
  SELECT request, min(number) AS leader FROM call WHERE request IS NOT NULL
  GROUP BY request HAVING count(*) > 1;
UPDATE call SET leader = twice.leader FROM twice WHERE call.request = twice.request;
UPDATE call SET followed = 1 WHERE number IN (SELECT leader FROM twice);
BEGIN;
"""
SETTLE = """
UPDATE call SET known = 1 WHERE number = leader AND request IN (SELECT request FROM verdict);
UPDATE call SET known = 0 WHERE known AND number IN (
  SELECT lead.number FROM planned JOIN call ON call.number = planned.call
  JOIN call lead ON lead.number = call.leader AND lead.known
  LEFT JOIN verdict ON verdict.request = lead.request AND verdict.place = planned.place
  WHERE verdict.request IS NULL
);
"""
DECIDED = "planned JOIN call ON call.number = planned.call JOIN call lead ON lead.number = call.leader"
OWN = (
    "planned JOIN call ON call.number = planned.call "
    "WHERE call.number = call.leader AND NOT call.known ORDER BY planned.number"
)
# The first row of a call closes the call before it. SQLite writes it in less time than Python reads a row.
OWN_JSON = (
    "SELECT iif(planned.first, ']],[\"' || coalesce(lower(hex(call.request)), '') || '\",[', ',') "  # noqa: S608
    "|| '[' || planned.answer || ',' || planned.revision || ',' || coalesce(criterion, 'null') || ']' "
    f"FROM {OWN}"
)
ROW = "planned.answer, planned.revision, planned.criterion, planned.place"

Values = tuple[Any, ...]


class PlanFile:
    """What is planned for one judge: filled once, in order, then read as often as one likes."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._file.executescript(CONTENTS)

    def answers_add(self, answers: Iterable[Values]) -> int:
        """Answer, prompt and revision of what is to be judged; how many there are."""
        self._file.executemany("INSERT INTO answer (answer, prompt, revision) VALUES (?, ?, ?)", answers)
        [number] = self._file.execute("SELECT count(*) FROM answer").fetchone()
        return int(number)

    def prompts(self) -> list[int]:
        return [prompt for (prompt,) in self._file.execute("SELECT DISTINCT prompt FROM answer")]

    def answers(self) -> Iterator[Values]:
        return self._file.execute("SELECT answer, prompt, revision FROM answer ORDER BY number")

    def calls_add(self, calls: Iterable[Values], rows: Iterable[Values]) -> None:
        """Of calls number, request (None where no model is asked), tokens, itself as leader, whether it has
        more rows than one; of their rows the call, whether it is its first, answer, revision, criterion and
        place.
        """
        self._file.executemany(
            "INSERT INTO call (number, request, tokens, leader, followed) VALUES (?, ?, ?, ?, ?)", calls
        )
        self._file.executemany(
            "INSERT INTO planned (call, first, answer, revision, criterion, place) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def merge(self) -> None:
        """Equal requests become one call: two people may well give the same answer.

        A script ends the transaction that is open: what is added afterwards is in another one, and fast.
        """
        self._file.executescript(MERGE)

    def requests(self) -> Iterator[bytes]:
        """What is asked, each request once."""
        found = self._file.execute("SELECT request FROM call WHERE number = leader AND request IS NOT NULL")
        return (request for (request,) in found)

    def verdicts_add(self, verdicts: Iterable[Values]) -> None:
        """Request, place, score, confidence and explanation of what is known."""
        self._file.executemany("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?)", verdicts)

    def settle(self) -> None:
        """A call of which every verdict is known is not made."""
        self._file.executescript(SETTLE)

    def calls(self) -> tuple[int, int]:
        """How many calls are to be made, of how many tokens together."""
        number, tokens = self._file.execute(
            "SELECT count(*), coalesce(sum(tokens), 0) FROM call WHERE number = leader AND NOT known"
        ).fetchone()
        return number, tokens

    def rows(self) -> tuple[int, int, int]:
        """How many rows the calls to make were planned for, how many share them, and how many are known."""
        own, shared, known = self._file.execute(
            "SELECT coalesce(sum(NOT lead.known AND call.number = call.leader), 0), "  # noqa: S608  # ours
            "coalesce(sum(NOT lead.known AND call.number <> call.leader), 0), "
            f"coalesce(sum(lead.known), 0) FROM {DECIDED}"
        ).fetchone()
        return own, shared, known

    def own_rows(self) -> Iterator[Values]:
        """Of the calls to make the rows that they were planned for: call, its request, whether more rows
        follow the first, answer, revision, criterion, place.
        """
        return self._file.execute(
            f"SELECT call.number, call.request, call.followed, {ROW} FROM {OWN}"  # noqa: S608
        )

    def own_json(self) -> Iterator[str]:
        """The same in JSON, in pieces: of each call [request, [[answer, revision, criterion], …]]."""
        pieces = self._file.execute(OWN_JSON)
        if begun := next(pieces, None):
            yield begun[0].removeprefix("]],")
            yield from (piece for (piece,) in pieces)
            yield "]]"

    def followers(self) -> Iterator[Values]:
        """The further rows that calls decide, call by call: call, its request, answer, revision, …."""
        return self._file.execute(
            f"SELECT lead.number, lead.request, {ROW} FROM {DECIDED} "  # noqa: S608
            "WHERE NOT lead.known AND NOT (planned.first AND call.number = call.leader) "
            "ORDER BY lead.number, planned.number"
        )

    def known_rows(self) -> Iterator[Values]:
        """Rows whose verdicts are known, call by call: request, answer, revision, criterion, place, score,
        confidence, explanation.
        """
        return self._file.execute(
            f"SELECT lead.request, {ROW}, score, confidence, explanation FROM {DECIDED} "  # noqa: S608
            "JOIN verdict ON verdict.request = lead.request AND verdict.place = planned.place "
            "WHERE lead.known ORDER BY lead.number, planned.number"
        )
