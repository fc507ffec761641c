"""Everybody at work at once on one machine: saves, pages, and what these ask for again and again.

Run `python -m benchmarks.sessions.session_load`; `--database-url postgres://…` names a PostgreSQL server,
where a database of the benchmark's own is made and dropped; otherwise SQLite. One granian server and one
worker with its beat, as in docs/operations.md; with `--nginx` the proxy of deploy/ before it. Everybody saves
every 10 s and loads a page of the workspace every 30 s, evenly jittered; the page asks for time and notices
8 s after it was last told, by such a reply or by that to a save. A request counts from the moment it was due.
What is refused for a while, or not answered, is sent again as pages do. In the end every text must be what
the database holds.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.sessions.load_client import Browser, Measured, Reply, machine_seconds, processor_seconds
from benchmarks.sessions.site_under_load import (
    BATCH_SIZE,
    PEOPLE,
    TEXT,
    SignedIn,
    everybody_at_work,
    site,
)

EVERY_SECONDS = {"save": 10.0, "page": 30.0}
ASK_SECONDS = 8.0
WARM_UP_SECONDS = 30.0
JITTER = 0.2
# After which a page sends a save again; the last one holds for all that follow.
RETRY_SECONDS = (2.0, 4.0, 8.0, 16.0, 30.0)
# How long what is under way at the end may take until it is acknowledged.
END_SECONDS = 60.0
SEED = 246
TARGET_MILLISECONDS = 250
Kinds = dict[str, Measured]


class RequestFailed(Exception):
    """A reply that no page would ask again for."""


@dataclass
class Texts:
    """Every text that was sent: what was confirmed, by session, position and revision; what was not yet, by
    session, position, tab and sequence.
    """

    confirmed: dict[tuple[str, int, int], str] = field(default_factory=dict)
    unanswered: dict[tuple[str, int, str, int], str] = field(default_factory=dict)


@dataclass
class Person:
    """One participant at one page."""

    signed_in: SignedIn
    browser: Browser
    rng: random.Random
    texts: Texts
    measured: Kinds
    position: int = 0
    tab: str = ""
    sequence: int = 0
    revisions: dict[int, int] = field(default_factory=dict)
    told_at: float = 0.0
    ask_at: float = 0.0

    async def page(self) -> None:
        """Open another prompt, as a new tab does that has all static files already."""
        position = self.rng.choice([n for n in range(1, BATCH_SIZE + 1) if n != self.position])
        content = await self.answered("page", f"/sessions/{self.signed_in.session_id}/prompts/{position}/")
        if b'id="answer-form"' not in content:
            raise RequestFailed("a page without the answer form")
        await self.answered("page", "/texts.js")
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
        sent = (self.signed_in.session_id, position, self.tab, self.sequence)
        self.texts.unanswered[sent] = text
        reply = json.loads(await self.answered("save", address, json.dumps(body)))
        self.told()
        if reply["outcome"] == "duplicate":
            self.measured["save"].again["not answered but stored"] += 1
        self.revisions[position] = reply["revision"]
        del self.texts.unanswered[sent]
        self.texts.confirmed[self.signed_in.session_id, position, reply["revision"]] = text

    async def ask(self) -> bool:
        """Ask for time and notices; whether they were told. Otherwise the page asks again by itself."""
        asked_at = time.perf_counter()
        self.ask_at = asked_at + ASK_SECONDS
        reply = await self.reply("time", "GET", f"/api/sessions/{self.signed_in.session_id}/time", "")
        if reply is None:
            return False
        if reply.status != 200:
            self.ask_at = time.perf_counter() + self.pause("time", reply)
            return False
        self.told()
        return True

    def told(self) -> None:
        """A page knows what there is to know: the next question can wait."""
        now = time.perf_counter()
        if self.told_at:
            self.measured["news"].seconds.append(now - self.told_at)
        self.told_at, self.ask_at = now, now + ASK_SECONDS

    async def answered(self, kind: str, path: str, body: str = "") -> bytes:
        """Ask until there is an answer; body: a save."""
        tries = 0
        while True:
            reply = await self.reply(kind, "POST" if body else "GET", path, body)
            if reply is not None and reply.status == 200:
                return reply.content
            pause = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
            tries += 1
            await asyncio.sleep(pause if reply is None else self.pause(kind, reply))

    def pause(self, kind: str, reply: Reply) -> float:
        """For how long a page waits that was refused. Raises RequestFailed for any other reply."""
        if reply.status != 503 or reply.retry_after is None:
            raise RequestFailed(f"HTTP {reply.status} {reply.content[:200]!r}")
        self.measured[kind].again["refused"] += 1
        # The script spreads what all pages ask again; a browser opens a page exactly then.
        return reply.retry_after * (self.rng.uniform(1, 2) if kind == "time" else 1)

    async def reply(self, kind: str, method: str, path: str, body: str) -> Reply | None:
        try:
            reply = await self.browser.ask(method, path, body)
        except TimeoutError:
            self.measured[kind].again["timed out"] += 1
        except (OSError, EOFError) as failure:
            self.measured[kind].again[f"no reply ({type(failure).__name__})"] += 1
        else:
            if reply.status < 500 or reply.retry_after is not None:
                return reply
            self.measured[kind].again[f"HTTP {reply.status}"] += 1
        return None


def main() -> None:
    arguments = parse_arguments()
    with site(arguments.database_url) as folder:
        people = everybody_at_work(people=arguments.people, note_per_prompt=True, confidence_per_prompt=True)
        from operations.rehearsal.servers import background_worker

        with (
            served(folder, is_behind_nginx=arguments.nginx) as url,
            background_worker(environment={}, log=folder / "worker.log"),
        ):
            texts = Texts()
            measured = asyncio.run(work(people, url, texts, arguments))
        stored, nowhere, missing = texts_not_held(texts)
        log = (folder / "web.log").read_text()
    report(measured, arguments)
    print(
        f"  {len(texts.confirmed):,} confirmed texts; {stored} more unanswered at the end, but stored; "
        f"lost: {missing} confirmed, {nowhere} unanswered"
    )
    if missing or nowhere or any(kind.failures for kind in measured.values()):
        sys.exit(f"Not all is well. The end of the server's log:\n{log[-3000:]}")


@contextmanager
def served(folder: Path, *, is_behind_nginx: bool) -> Iterator[str]:
    """The site's web server, alone or behind the proxy; yield where browsers find it."""
    from operations.rehearsal.servers import free_port, web_server
    from tests.faults.proxies import proxy

    environment = {"CHIRON_BEHIND_PROXY": str(is_behind_nginx).lower()}
    with web_server(free_port(), environment=environment, log=folder / "web.log") as url:
        if not is_behind_nginx:
            yield url
            return
        # Its own processes have another account where this one is root's: they must reach their folders.
        with (
            tempfile.TemporaryDirectory(prefix="chiron-nginx-") as name,
            proxy("nginx", Path(name) / "nginx", site=urlsplit(url).netloc) as port,
        ):
            yield f"https://127.0.0.1:{port}"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database-url", help="a PostgreSQL server; without it SQLite in a temporary folder")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument(
        "--connections", type=int, default=6, help="that each browser opens with its first page"
    )
    parser.add_argument("--nginx", action="store_true", help="before the site, as in deploy/nginx.conf")
    return parser.parse_args()


async def work(people: list[SignedIn], url: str, texts: Texts, arguments: argparse.Namespace) -> Kinds:
    """Let everybody work this long after a short time that is not measured."""
    address, seconds = urlsplit(url), arguments.minutes * 60
    host, port, tls = str(address.hostname), int(address.port or 80), address.scheme == "https"
    rng = random.Random(SEED)
    measured: Kinds = {kind: Measured() for kind in [*EVERY_SECONDS, "time", "news"]}
    everybody = [
        Person(one, Browser(host, port, one.cookie, tls=tls), random.Random(rng.random()), texts, measured)
        for one in people
    ]
    measured_from = time.perf_counter() + WARM_UP_SECONDS
    shares = asyncio.create_task(processor_shares(measured_from, seconds))
    async with asyncio.TaskGroup() as group:
        for person in everybody:
            group.create_task(at_work(person, arguments.connections, measured_from, seconds))
    await shares
    for person in everybody:
        person.browser.close()
    resent = sum(person.browser.resent for person in everybody)
    print(f"  {resent} requests sent again, because the server had just closed their idle connection")
    return measured


async def at_work(person: Person, connections: int, measured_from: float, seconds: float) -> None:
    """What one person's page does, until the end; what is not answered long after it is given up."""
    await asyncio.sleep(person.rng.uniform(0, WARM_UP_SECONDS / 2))
    with suppress(TimeoutError):
        await person.browser.begin(connections)
    tasks = [
        asyncio.create_task(keep_doing(person, kind, every, measured_from, seconds))
        for kind, every in EVERY_SECONDS.items()
    ]
    tasks.append(asyncio.create_task(keep_asking(person, measured_from, seconds)))
    left = measured_from + seconds + END_SECONDS - time.perf_counter()
    _, waiting = await asyncio.wait(tasks, timeout=left)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            task.result()


async def keep_doing(person: Person, kind: str, every: float, measured_from: float, seconds: float) -> None:
    """Do it whenever it is due, until the end; what fails is counted and does not stop anybody."""
    action: Callable[[], Awaitable[None]] = getattr(person, kind)
    measured = person.measured[kind]
    due = time.perf_counter() + person.rng.uniform(0, every)
    while due < measured_from + seconds:
        await asyncio.sleep(due - time.perf_counter())
        try:
            await action()
        except RequestFailed as failure:
            measured.failures[str(failure)] += 1
        if due >= measured_from:
            measured.seconds.append(time.perf_counter() - due)
        due += every * person.rng.uniform(1 - JITTER, 1 + JITTER)


async def keep_asking(person: Person, measured_from: float, seconds: float) -> None:
    """Ask whenever the page's timer is due, which what it is told meanwhile postpones."""
    measured = person.measured["time"]
    person.ask_at = time.perf_counter() + person.rng.uniform(0, ASK_SECONDS)
    while (due := person.ask_at) < measured_from + seconds:
        if (pause := due - time.perf_counter()) > 0:
            await asyncio.sleep(pause)
            continue
        try:
            is_told = await person.ask()
        except RequestFailed as failure:
            measured.failures[str(failure)] += 1
            continue
        if is_told and due >= measured_from:
            measured.seconds.append(time.perf_counter() - due)


async def processor_shares(measured_from: float, seconds: float) -> None:
    """Print how much of one core each of our processes took, and everything else, PostgreSQL included."""
    await asyncio.sleep(measured_from - time.perf_counter())
    words = {"web server": "granian", "worker": "celery", "nginx": "nginx"}
    before = {name: processor_seconds(word) for name, word in words.items()}
    own, whole = time.process_time(), machine_seconds()
    await asyncio.sleep(seconds)
    shares = {name: processor_seconds(word) - before[name] for name, word in words.items()}
    shares["this client"] = time.process_time() - own
    shares["everything else"] = machine_seconds() - whole - sum(shares.values())
    print("  of one core: " + ", ".join(f"{name} {used / seconds:.1%}" for name, used in shares.items()))


def texts_not_held(texts: Texts) -> tuple[int, int, int]:
    """How many unanswered texts the database holds all the same, how many it does not, and how many confirmed
    texts are not in the history under their number, or newest and not the answer.
    """
    from batches.models import Answer, Revision

    facts = ("answer__session_id", "answer__position", "number", "tab", "sequence", "text")
    by_number, by_sequence = {}, {}
    accepted = Revision.objects.filter(number__isnull=False)
    for session, position, number, tab, sequence, text in accepted.values_list(*facts).iterator():
        by_number[str(session), position, number] = text
        by_sequence[str(session), position, tab, sequence] = text
    newest = {place[:2]: (place[2], text) for place, text in sorted(texts.confirmed.items())}
    current = {
        (str(session), position): (revision, text)
        for session, position, revision, text in Answer.objects.filter(revision__gt=0).values_list(
            "session_id", "position", "revision", "text"
        )
    }
    missing = [place for place, text in texts.confirmed.items() if by_number.get(place) != text]
    # What was stored unanswered is newer than the newest that was confirmed.
    unanswered = set(texts.unanswered.values())
    overwritten = [
        place
        for place, held in newest.items()
        if current.get(place) != held and current.get(place, (0, ""))[1] not in unanswered
    ]
    stored = [sent for sent, text in texts.unanswered.items() if by_sequence.get(sent) == text]
    return len(stored), len(texts.unanswered) - len(stored), len(missing) + len(overwritten)


def report(measured: Kinds, arguments: argparse.Namespace) -> None:
    database = "PostgreSQL" if arguments.database_url else "SQLite"
    before = "nginx before the site" if arguments.nginx else "no proxy"
    print(
        f"{arguments.people} people at work on {database} for {arguments.minutes:g} minutes, {before}, "
        f"{arguments.connections} connections each at first; {os.cpu_count()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; target: p95 of a save "
        f"{TARGET_MILLISECONDS} ms, nothing lost"
    )
    for name, kind in measured.items():
        print(kind.line(name, arguments.minutes * 60))
    for name, kind in measured.items():
        for reason, times in kind.again.items():
            print(f"  {name} {reason}: {times} times")
        for failure, times in kind.failures.most_common(3):
            print(f"  {name} failed {times} times: {failure}")


if __name__ == "__main__":
    main()
