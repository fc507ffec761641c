"""The server's log: who writes it, who reads it, and what can be counted in it.

Two lines for each request, one on its arrival and one when its reply has gone out, or with status 499 when
the client left before. The log can be read while the server runs.
"""

import asyncio
import json
import os
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.hashed_judge.asks import Ask

_text = json.JSONEncoder().encode
FLUSH_SECONDS = 0.02
CLIENT_LEFT = 499


class LogWriter:
    """Collects lines and writes them together, `FLUSH_SECONDS` later at the latest."""

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._loop = loop
        self._lines: list[str] = []
        self._server = os.getpid()

    def arrived(
        self, at: float, number: int, ask: Ask, authorized: bool, in_flight: int, fault: str, violation: str
    ) -> None:
        self._write(
            f'{{"server": {self._server}, "number": {number}, "at": {at!r}, "model": {_text(ask.model)}, '
            f'"authorized": {"true" if authorized else "false"}, "messages": "{ask.digest.hex()}", '
            f'"in_flight": {in_flight}, "prompt_tokens": {ask.prompt_tokens}, '
            f'"fault": "{fault}", "violation": "{violation}"}}\n'
        )

    def answered(self, at: float, number: int, status: int, completion_tokens: int) -> None:
        self._write(
            f'{{"server": {self._server}, "number": {number}, "answered_at": {at!r}, "status": {status}, '
            f'"completion_tokens": {completion_tokens}}}\n'
        )

    def _write(self, line: str) -> None:
        if not self._lines:
            self._loop.call_later(FLUSH_SECONDS, self.flush)
        self._lines.append(line)

    def flush(self) -> None:
        if self._lines:
            written = "".join(self._lines).encode()
            self._lines.clear()
            while written:
                written = written[os.write(self._file, written) :]


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request as the server saw it; without a status it is not answered yet.

    `messages` is the sha256 of the messages, `violation` the limit that the request broke, `fault` what was
    done to it (`dead` and `rejected` are no matter of chance). `in_flight` counts the request itself. The
    status is 0 where the server broke the connection and 499 where the client left. Requests that a limit
    refused are arrivals, too.
    """

    server: int
    number: int
    at: float
    model: str
    authorized: bool
    messages: str
    in_flight: int
    prompt_tokens: int
    fault: str = ""
    violation: str = ""
    status: int | None = None
    answered_at: float | None = None
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def read_log(path: Path) -> list[Arrival]:
    """Every request in the order of arrival. A last line that is still being written is left out."""
    arrivals: dict[tuple[int, int], Arrival] = {}
    for line in path.read_text().rpartition("\n")[0].splitlines():
        told: dict[str, Any] = json.loads(line)
        name = (told["server"], told["number"])
        arrivals[name] = replace(arrivals[name], **told) if name in arrivals else Arrival(**told)
    return list(arrivals.values())


def in_flight_maximum(arrivals: Iterable[Arrival]) -> int:
    """The most requests at the same time; one without a reply lasts until its server's last line."""
    arrivals = list(arrivals)
    last: defaultdict[int, float] = defaultdict(float)
    for one in arrivals:
        last[one.server] = max(last[one.server], one.at, one.answered_at or 0.0)
    changes = [(one.at, 1) for one in arrivals]
    changes += [(last[one.server] if one.answered_at is None else one.answered_at, -1) for one in arrivals]
    now = most = 0
    # A reply frees its place before a request that comes at the same microsecond.
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


def most_in_window(arrivals: Iterable[Arrival], *, seconds: float = 60.0) -> int:
    """The most arrivals in any window of that length, its later end left out."""
    return _most(arrivals, seconds, lambda one: 1)


def tokens_most_in_window(arrivals: Iterable[Arrival], *, seconds: float = 60.0) -> int:
    """The most tokens, of prompt and completion, of the arrivals in any window of that length."""
    return _most(arrivals, seconds, lambda one: one.tokens)


def _most(arrivals: Iterable[Arrival], seconds: float, weight: Callable[[Arrival], int]) -> int:
    window: deque[Arrival] = deque()
    now = most = 0
    for one in sorted(arrivals, key=lambda one: one.at):
        window.append(one)
        now += weight(one)
        while window[0].at <= one.at - seconds:
            now -= weight(window.popleft())
        most = max(most, now)
    return most


def repeats(arrivals: Iterable[Arrival]) -> Counter[str]:
    """How often each request came, by the sha256 of its messages."""
    return Counter(one.messages for one in arrivals)
