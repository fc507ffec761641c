"""A small HTTP client for many people at once: asyncio streams, kept-open connections, almost no parsing.

It must cost little: it shares the cores with the server it measures.
"""

import asyncio
import os
import ssl
import statistics
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT_SECONDS = 20.0  # as long as a page waits for a save
# The proxy has a certificate of the benchmark's own.
TRUSTING = ssl._create_unverified_context()  # noqa: S323
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ClosedUnanswered(ConnectionError):
    """The server closed the connection before the first byte of a reply."""


@dataclass(frozen=True)
class Reply:
    """What came back; `retry_after` in seconds where the server was too busy."""

    status: int
    retry_after: int | None
    content: bytes


class Browser:
    """One person's browser: as many connections as it has requests under way, each used again."""

    def __init__(self, host: str, port: int, cookie: str, *, tls: bool = False) -> None:
        token = "x" * 32
        self.host, self.port, self.tls = host, port, TRUSTING if tls else None
        self.head = (
            f"Host: {host}\r\nOrigin: {'https' if tls else 'http'}://{host}\r\nAccept-Language: en\r\n"
            f"Cookie: csrftoken={token}; {cookie}\r\nX-CSRFToken: {token}\r\n"
        )
        self.idle: list[Connection] = []
        self.resent = 0

    async def connect(self) -> Connection:
        return await asyncio.open_connection(self.host, self.port, ssl=self.tls)

    async def begin(self, connections: int) -> None:
        """Open as many connections as a first page with its files does; those left idle the server closes."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            self.idle += await asyncio.gather(*(self.connect() for _ in range(connections)))

    async def ask(self, method: str, path: str, body: str = "") -> Reply:
        """The reply. Raises OSError, EOFError or TimeoutError.

        What a used connection closed without a byte of reply is sent again and counted in `resent`.
        """
        content = body.encode()
        kind = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if content else ""
        opened = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n" if path.endswith("/") else ""
        request = f"{method} {path} HTTP/1.1\r\n{self.head}{opened}{kind}\r\n".encode() + content
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while self.idle:
                reader, writer = self.idle.pop()
                # A server closes what was idle for long; like a browser, go on with another connection.
                if reader.at_eof():
                    writer.close()
                    continue
                with suppress(ClosedUnanswered):
                    return await self.reply((reader, writer), request)
                self.resent += 1
            return await self.reply(await self.connect(), request)

    async def reply(self, connection: Connection, request: bytes) -> Reply:
        reader, writer = connection
        try:
            writer.write(request)
            reply = await read_reply(reader)
        except BaseException:
            writer.close()
            raise
        self.idle.append(connection)
        return reply

    def close(self) -> None:
        for _, writer in self.idle:
            writer.close()


async def read_reply(reader: asyncio.StreamReader) -> Reply:
    """One reply with a Content-Length, as the site's all have but for some that say that it is broken.

    Raises ClosedUnanswered, or another OSError or EOFError.
    """
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        raise ClosedUnanswered from error
    except ConnectionError as error:
        raise ClosedUnanswered from error
    length = header(head, b"content-length")
    if not length:
        raise ConnectionError(f"HTTP {int(head[9:12])} without a Content-Length")
    after = header(head, b"retry-after")
    return Reply(int(head[9:12]), int(after) if after else None, await reader.readexactly(int(length)))


def header(head: bytes, name: bytes) -> bytes:
    """What the head, in small letters, says under the name; empty where it says nothing."""
    return head.partition(b"\r\n" + name + b":")[2].partition(b"\r\n")[0].strip()


@dataclass
class Measured:
    """What the requests of one kind took, in seconds from the moment each was due until it was answered.

    `again`: why some were asked once more, as pages do. `failures`: what no page would ask again.
    """

    seconds: list[float] = field(default_factory=list)
    again: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    def line(self, name: str, over_seconds: float) -> str:
        number = f"  {name:8} {len(self.seconds):7,} ({len(self.seconds) / over_seconds:5.1f}/s)   "
        if len(self.seconds) < 2:
            return number
        cuts = [1000 * cut for cut in statistics.quantiles(self.seconds, n=100)]
        return number + (
            f"p50 {cuts[49]:6.1f}   p95 {cuts[94]:6.1f}   p99 {cuts[98]:6.1f}   "
            f"longest {1000 * max(self.seconds):7.1f} ms   failed {self.failures.total()}"
        )


def processor_seconds(word: str) -> float:
    """Processor time so far of the processes below this one whose command line holds the word."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                facts = (folder / "stat").read_text().rpartition(")")[2].split()
                named = word in (folder / "cmdline").read_text()
            except OSError:
                continue  # it has ended meanwhile
            parents[int(folder.name)] = int(facts[1])
            used[int(folder.name)] = (int(facts[11]) + int(facts[12])) * named / os.sysconf("SC_CLK_TCK")
    return sum(seconds for pid, seconds in used.items() if os.getpid() in ancestors(pid, parents))


def machine_seconds() -> float:
    """Processor time so far of everything on this machine."""
    user, nice, system, _idle, _waiting, *interrupts = (
        Path("/proc/stat").read_text().split("\n")[0].split()[1:8]
    )
    return sum(map(int, (user, nice, system, *interrupts))) / os.sysconf("SC_CLK_TCK")


def ancestors(pid: int, parents: dict[int, int]) -> list[int]:
    found = []
    while pid := parents.get(pid, 0):
        found.append(pid)
    return found
