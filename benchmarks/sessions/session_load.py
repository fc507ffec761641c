"""The pilot's 246 people at work at once on one machine: saves, pages, the clock and notices.

Run `python -m benchmarks.sessions.session_load`; `--database-url postgres://…` names a PostgreSQL server,
where a database of the benchmark's own is made and dropped; otherwise SQLite. One granian server and one
worker with its beat, as in docs/operations.md. Everybody saves every 10 s, loads a page of the workspace
every 30 s, asks for the time every 8 s and for notices every 20 s, evenly jittered. A request counts from the
moment it was due. In the end every confirmed text must be what the database holds.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from benchmarks.sessions.load_client import Browser, Measured, machine_seconds, processor_seconds
from benchmarks.sessions.site_under_load import (
    BATCH_SIZE,
    PEOPLE,
    STUDY,
    TEXT,
    SignedIn,
    everybody_at_work,
    site,
)

EVERY_SECONDS = {"save": 10.0, "page": 30.0, "time": 8.0, "notices": 20.0}
WARM_UP_SECONDS = 10.0
JITTER = 0.2
SEED = 246
TARGET_MILLISECONDS = 100
Kinds = dict[str, Measured]
Saves = dict[tuple[str, int, int], str]


class RequestFailed(Exception):
    """A reply that is not 200."""


@dataclass
class Person:
    """One participant at one page; `saved` holds every confirmed text by session, position and revision."""

    signed_in: SignedIn
    browser: Browser
    rng: random.Random
    saved: Saves
    position: int = 0
    tab: str = ""
    sequence: int = 0
    revisions: dict[int, int] = field(default_factory=dict)

    async def page(self) -> None:
        """Open another prompt, as a new tab does that has all static files already."""
        position = self.rng.choice([n for n in range(1, BATCH_SIZE + 1) if n != self.position])
        content = await self.get(f"/sessions/{self.signed_in.session_id}/prompts/{position}/")
        if b'id="answer-form"' not in content:
            raise RequestFailed("a page without the answer form")
        await self.get("/texts.js")
        self.position, self.tab, self.sequence = position, f"tab{self.rng.getrandbits(64):x}", 0

    async def save(self) -> None:
        """Save what was written since the last time."""
        if not self.position:
            await self.page()
        self.sequence += 1
        position, text = self.position, f"{TEXT}{self.rng.getrandbits(64)}"
        body = {
            "text": text,
            "note": "A calculator",
            "confidence": self.rng.randrange(101),
            "base_revision": self.revisions.get(position, 0),
            "tab": self.tab,
            "sequence": self.sequence,
        }
        address = f"/api/sessions/{self.signed_in.session_id}/answers/{position}"
        reply = json.loads(await self.checked("POST", address, json.dumps(body)))
        self.revisions[position] = reply["revision"]
        self.saved[self.signed_in.session_id, position, reply["revision"]] = text

    async def time(self) -> None:
        await self.get(f"/api/sessions/{self.signed_in.session_id}/time")

    async def notices(self) -> None:
        await self.get(f"/api/studies/{STUDY}/notices")

    async def get(self, path: str) -> bytes:
        return await self.checked("GET", path)

    async def checked(self, method: str, path: str, body: str = "") -> bytes:
        status, content = await self.browser.ask(method, path, body)
        if status != 200:
            raise RequestFailed(f"HTTP {status} {content[:200]!r}")
        return content


def main() -> None:
    arguments = parse_arguments()
    with site(arguments.database_url) as folder:
        people = everybody_at_work(note_per_prompt=True, confidence_per_prompt=True)
        from operations.rehearsal.servers import background_worker, free_port, web_server

        with (
            web_server(free_port(), environment={}, log=folder / "web.log") as url,
            background_worker(environment={}, log=folder / "worker.log"),
        ):
            saved: Saves = {}
            measured = asyncio.run(work(people, url, saved, arguments.minutes * 60))
        lost = texts_lost(saved)
        log = (folder / "web.log").read_text()
    report(measured, arguments)
    print(f"  {len(saved):,} confirmed texts, of which the database does not hold {lost}")
    if lost or any(kind.failures for kind in measured.values()):
        sys.exit(f"Not all is well. The end of the server's log:\n{log[-3000:]}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database-url", help="a PostgreSQL server; without it SQLite in a temporary folder")
    parser.add_argument("--minutes", type=float, default=10.0)
    return parser.parse_args()


async def work(people: list[SignedIn], url: str, saved: Saves, seconds: float) -> Kinds:
    """Let everybody work this long after a short time that is not measured."""
    host, port = str(urlsplit(url).hostname), int(urlsplit(url).port or 80)
    rng = random.Random(SEED)
    everybody = [
        Person(one, Browser(host, port, one.cookie), random.Random(rng.random()), saved) for one in people
    ]
    measured: Kinds = {kind: Measured() for kind in EVERY_SECONDS}
    measured_from = time.perf_counter() + WARM_UP_SECONDS
    async with asyncio.TaskGroup() as group:
        group.create_task(processor_shares(measured_from, seconds))
        for person in everybody:
            for kind, every in EVERY_SECONDS.items():
                action = getattr(person, kind)
                group.create_task(
                    keep_doing(action, every, measured[kind], person.rng, measured_from, seconds)
                )
    for person in everybody:
        person.browser.close()
    resent = sum(person.browser.resent for person in everybody)
    print(f"  {resent} requests sent again, because the server had just closed their idle connection")
    return measured


async def keep_doing(
    action: Callable[[], Awaitable[None]],
    every: float,
    measured: Measured,
    rng: random.Random,
    measured_from: float,
    seconds: float,
) -> None:
    """Do it whenever it is due, until the end; what fails is counted and does not stop anybody."""
    due = time.perf_counter() + rng.uniform(0, every)
    while due < measured_from + seconds:
        await asyncio.sleep(due - time.perf_counter())
        try:
            await action()
        except (RequestFailed, OSError, EOFError, TimeoutError) as failure:
            measured.failures[f"{type(failure).__name__} {failure}"] += 1
        if due >= measured_from:
            measured.seconds.append(time.perf_counter() - due)
        due += every * rng.uniform(1 - JITTER, 1 + JITTER)


async def processor_shares(measured_from: float, seconds: float) -> None:
    """Print how much of one core each of our processes took, and everything else, PostgreSQL included."""
    await asyncio.sleep(measured_from - time.perf_counter())
    words = {"web server": "granian", "worker": "celery"}
    before = {name: processor_seconds(word) for name, word in words.items()}
    own, whole = time.process_time(), machine_seconds()
    await asyncio.sleep(seconds)
    shares = {name: processor_seconds(word) - before[name] for name, word in words.items()}
    shares["this client"] = time.process_time() - own
    shares["everything else"] = machine_seconds() - whole - sum(shares.values())
    print("  of one core: " + ", ".join(f"{name} {used / seconds:.1%}" for name, used in shares.items()))


def texts_lost(saved: Saves) -> int:
    """How many confirmed texts are not in the history under their number, or newest and not the answer."""
    from batches.models import Answer, Revision

    facts = ("answer__session_id", "answer__position", "number", "text")
    accepted = Revision.objects.filter(number__isnull=False)
    history = {(str(key), *place): text for key, *place, text in accepted.values_list(*facts).iterator()}
    newest = {(key, position): (number, text) for (key, position, number), text in sorted(saved.items())}
    current = {
        (str(key), position): (revision, text)
        for key, position, revision, text in Answer.objects.filter(revision__gt=0).values_list(
            "session_id", "position", "revision", "text"
        )
    }
    missing = [key for key, text in saved.items() if history.get(key) != text]
    overwritten = [place for place, stored in newest.items() if current.get(place) != stored]
    return len(missing) + len(overwritten)


def report(measured: Kinds, arguments: argparse.Namespace) -> None:
    database = "PostgreSQL" if arguments.database_url else "SQLite"
    print(
        f"{PEOPLE} people at work on {database} for {arguments.minutes:g} minutes; {os.cpu_count()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; target: p95 of a save "
        f"{TARGET_MILLISECONDS} ms, no failed request"
    )
    for name, kind in measured.items():
        print(kind.line(name, arguments.minutes * 60))
    for name, kind in measured.items():
        for failure, times in kind.failures.most_common(3):
            print(f"  {name} failed {times} times: {failure}")


if __name__ == "__main__":
    main()
