"""People who save without a pause, as their pages do it, and whether the site holds what it acknowledged."""

import asyncio
import hashlib
import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from benchmarks.sessions.load_client import Browser
from tests.faults.site import Site

PEOPLE, PROMPTS = 16, 4
# A page waits for two seconds and longer; here many saves are to meet each kill.
RETRY_SECONDS = 0.2
# A save that is not acknowledged for so long never will be.
GIVE_UP_SECONDS = 240.0
# How many saves in a hundred are the last of their page: the next one comes from a new tab.
LEAVES_PERCENT = 10

Place = tuple[UUID, int]
HISTORY = """
    SELECT answer.session_id, answer.position,
        one.number, one.tab, one.sequence, one.text, one.note, one.confidence
    FROM batches_revision AS one JOIN batches_answer AS answer ON answer.id = one.answer_id
    WHERE one.number IS NOT NULL ORDER BY one.id
"""
NEWEST = """
    SELECT session_id, position, revision, tab, sequence, text, note, confidence
    FROM batches_answer WHERE revision > 0
"""


class SaveFailed(Exception):
    """A reply that no page of somebody at work should ever get, or none at all for very long."""


@dataclass(frozen=True)
class Kept:
    """One version of an answer: its number in the history, who sent it, and the hash of what it says."""

    number: int
    tab: str
    sequence: int
    digest: str


def digest(text: str, note: str, confidence: int | None) -> str:
    return hashlib.sha256(json.dumps([text, note, confidence]).encode()).hexdigest()


@dataclass
class Writer:
    """One participant. Its page repeats a save under the same sequence until the save is acknowledged."""

    session: str
    browser: Browser
    rng: random.Random
    acknowledged: dict[int, list[Kept]] = field(default_factory=lambda: defaultdict(list))
    position: int = 1
    tab: str = "first"
    sequence: int = 0
    saves: int = 0
    sent_again: int = 0
    had_arrived: int = 0

    async def work(self, ended: threading.Event) -> None:
        try:
            while not ended.is_set():
                if self.rng.randrange(100) < LEAVES_PERCENT:
                    self._open_another()
                await self._save()
        finally:
            self.browser.close()

    def _open_another(self) -> None:
        self.position, self.sequence = self.rng.randint(1, PROMPTS), 0
        self.tab = f"tab{self.rng.getrandbits(64):x}"

    async def _save(self) -> None:
        self.sequence += 1
        held = self.acknowledged[self.position]
        draft: dict[str, Any] = {
            "text": f"Größer als {self.rng.getrandbits(64)}. " * self.rng.randint(1, 40),
            "note": f"Book {self.rng.randrange(1000)}",
            "confidence": self.rng.randrange(101),
        }
        facts = {"base_revision": held[-1].number if held else 0, "tab": self.tab, "sequence": self.sequence}
        reply = await self._until_acknowledged(json.dumps({**draft, **facts}))
        self.had_arrived += reply["outcome"] == "duplicate"
        held.append(Kept(reply["revision"], self.tab, self.sequence, digest(*draft.values())))
        self.saves += 1

    async def _until_acknowledged(self, body: str) -> dict[str, Any]:
        began = time.monotonic()
        while time.monotonic() - began < GIVE_UP_SECONDS:
            status, content = await self._answer(body)
            if status == 200:
                return dict(json.loads(content))
            if 0 < status < 500:
                raise SaveFailed(f"HTTP {status} {content[:300]!r}")
            self.sent_again += 1
            await asyncio.sleep(RETRY_SECONDS)
        raise SaveFailed(f"not acknowledged within {GIVE_UP_SECONDS:.0f} s; last: HTTP {status}")

    async def _answer(self, body: str) -> tuple[int, bytes]:
        """Status 0 where no reply came."""
        try:
            address = f"/api/sessions/{self.session}/answers/{self.position}"
            reply = await self.browser.ask("POST", address, body)
            return reply.status, reply.content
        except (OSError, EOFError, TimeoutError):
            return 0, b""


@dataclass(frozen=True)
class Saving:
    """Everybody at work."""

    writers: Sequence[Writer]
    work: Future[None]
    ended: threading.Event

    @property
    def over(self) -> bool:
        """Whether nobody saves any more: after `ended`, or because a save failed."""
        return self.work.done()

    @property
    def saves(self) -> list[int]:
        """How many saves of each are acknowledged."""
        return [writer.saves for writer in self.writers]

    @property
    def again(self) -> tuple[int, int]:
        """How many requests were repetitions, and how many of these met their save stored already."""
        resent = sum(writer.sent_again + writer.browser.resent for writer in self.writers)
        return resent, sum(writer.had_arrived for writer in self.writers)


async def all_work(writers: Sequence[Writer], ended: threading.Event) -> None:
    async with asyncio.TaskGroup() as group:
        for writer in writers:
            group.create_task(writer.work(ended))


@contextmanager
def everybody_saves(site: Site, url: str, *, seed: int) -> Iterator[Saving]:
    """Sixteen people save until the block ends, and their last saves are acknowledged. Raises SaveFailed."""
    told = site.python(
        "-m", "tests.faults.start_sessions", "--people", str(PEOPLE), "--prompts", str(PROMPTS)
    )
    host, port = str(urlsplit(url).hostname), int(urlsplit(url).port or 80)
    rng = random.Random(seed)
    writers = [
        Writer(one["session_id"], Browser(host, port, one["cookie"]), random.Random(rng.random()))
        for one in json.loads(told)
    ]
    ended = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        saving = Saving(writers, pool.submit(asyncio.run, all_work(writers, ended)), ended)
        try:
            yield saving
        finally:
            ended.set()
        saving.work.result()


def assert_exactly_the_acknowledged_are_there(site: Site, writers: Sequence[Writer]) -> None:
    """Each acknowledged save once, in order, under its number and hash; nothing else; the last is the answer.

    Nobody stops before the last save is acknowledged, so no other save may be accepted.
    """
    acknowledged = {
        (UUID(writer.session), position): kept
        for writer in writers
        for position, kept in writer.acknowledged.items()
        if kept
    }
    assert_same({place: kept[-1:] for place, kept in acknowledged.items()}, stored(site, NEWEST))
    assert_same(acknowledged, stored(site, HISTORY))


def stored(site: Site, sql: str) -> dict[Place, list[Kept]]:
    held: dict[Place, list[Kept]] = defaultdict(list)
    for session, position, number, tab, sequence, *draft in site.query(sql):
        held[UUID(str(session)), position].append(Kept(number, tab, sequence, digest(*draft)))
    return held


def assert_same(acknowledged: dict[Place, list[Kept]], held: dict[Place, list[Kept]]) -> None:
    """The first difference of each answer, where there is one."""
    wrong = {
        place: next(
            pair
            for pair in zip_longest(acknowledged.get(place, []), held.get(place, []))
            if pair[0] != pair[1]
        )
        for place in acknowledged.keys() | held.keys()
        if acknowledged.get(place) != held.get(place)
    }
    assert not wrong, f"acknowledged and held differ in {len(wrong)} answers: {wrong}"
