"""A small HTTP client for many people at once: asyncio streams, kept-open connections, almost no parsing.

It must cost little: it shares the cores with the server it measures.
"""

import asyncio
import os
import statistics
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT_SECONDS = 30.0
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ClosedUnanswered(ConnectionError):
    """The server closed the connection before the first byte of a reply."""


class Browser:
    """One person's browser: as many connections as it has requests under way, each used again."""

    def __init__(self, host: str, port: int, cookie: str) -> None:
        token = "x" * 32
        self.host, self.port = host, port
        self.head = (
            f"Host: {host}:{port}\r\nCookie: csrftoken={token}; {cookie}\r\nX-CSRFToken: {token}\r\n"
            "Accept-Language: en\r\n"
        )
        self.idle: list[Connection] = []
        self.resent = 0

    async def ask(self, method: str, path: str, body: str = "") -> tuple[int, bytes]:
        """The status and content of the reply. Raises OSError, EOFError or TimeoutError.

        What a used connection closed without a byte of reply is sent again and counted in `resent`.
        """
        content = body.encode()
        kind = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if content else ""
        request = f"{method} {path} HTTP/1.1\r\n{self.head}{kind}\r\n".encode() + content
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
            return await self.reply(await asyncio.open_connection(self.host, self.port), request)

    async def reply(self, connection: Connection, request: bytes) -> tuple[int, bytes]:
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


async def read_reply(reader: asyncio.StreamReader) -> tuple[int, bytes]:
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
    length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
    if not length:
        raise ConnectionError(f"HTTP {int(head[9:12])} without a Content-Length")
    return int(head[9:12]), await reader.readexactly(int(length))


@dataclass
class Measured:
    """What the requests of one kind took, in seconds from the moment each was due."""

    seconds: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    def line(self, name: str, over_seconds: float) -> str:
        cuts = [1000 * cut for cut in statistics.quantiles(self.seconds, n=100)]
        return (
            f"  {name:8} {len(self.seconds):7,} ({len(self.seconds) / over_seconds:5.1f}/s)   "
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
