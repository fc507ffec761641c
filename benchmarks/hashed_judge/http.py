"""As little HTTP/1.1 as a judge on loopback needs: keep-alive, bodies with a length, limits, clean errors.

Written by hand because the server shares its processors with what is measured.
"""

import asyncio
import re
import socket
import struct
import time
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from typing import Protocol, cast

MAX_HEAD_BYTES = 16 * 1024
MAX_BODY_BYTES = 32 * 1024 * 1024
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,12})[ \t]*(?=\r\n)")
_REQUEST_LINE = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.([01])\r\n")


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a request. The key itself is never kept."""

    method: str
    path: str
    length: int
    authorized: bool
    keep_alive: bool
    continues: bool


class BadRequest(Exception):
    """No request that can be read; carries the status to answer with."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


def read_head(head: bytes) -> Head:
    """The head, given with its last line end.

    Raises:
        BadRequest: it cannot be understood.
    """
    line = _REQUEST_LINE.match(head)
    if not line:
        raise BadRequest(400, "The first line is no HTTP/1.1 request.")
    lowered = head.lower()
    if b"\r\ntransfer-encoding:" in lowered:
        raise BadRequest(411, "Send the body with a Content-Length.")
    length = _LENGTH.search(lowered)
    if not length and (b"\r\ncontent-length:" in lowered or line[1] == b"POST"):
        raise BadRequest(411, "Send the body with a Content-Length.")
    if (size := int(length[1]) if length else 0) > MAX_BODY_BYTES:
        raise BadRequest(413, f"The body has more than {MAX_BODY_BYTES} bytes.")
    return Head(
        method=line[1].decode(),
        path=line[2].partition(b"?")[0].decode("latin-1"),
        length=size,
        authorized=b"\r\nauthorization:" in lowered,
        keep_alive=line[3] == b"1" and b"\r\nconnection: close" not in lowered,
        continues=b"\r\nexpect: 100-continue" in lowered,
    )


class Site(Protocol):
    """What answers the requests of a connection."""

    connections: set["Connection"]

    def answer(self, connection: "Connection", head: Head, body: bytes) -> None:
        """Take a request; the reply follows now or later."""

    def left(self, connection: "Connection") -> None:
        """The client is gone before its reply was complete."""


# Every connection receives into the same memory and copies what it got: there is one thread, and a fresh
# buffer for each read is most of what a read costs.
_incoming = memoryview(bytearray(256 * 1024))


class Connection(asyncio.BufferedProtocol):
    """One connection. The next request on it is read when the one before is answered."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._received = bytearray()
        self._head: Head | None = None
        self._reading = False
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._site.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._site.connections.discard(self)
        if self.busy:
            self.busy = False
            self._site.left(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        return _incoming

    def buffer_updated(self, nbytes: int) -> None:
        self._received += _incoming[:nbytes]
        if not self.busy:
            self._read()
        elif len(self._received) > MAX_BODY_BYTES:
            self.transport.abort()

    def _read(self) -> None:
        """Hand on every request that is complete and whose turn it is; a loop, since many may wait."""
        self._reading = True
        try:
            while self._received and not self.busy and not self.transport.is_closing() and self._take():
                pass
        except BadRequest as refused:
            self._refuse(refused)
        self._reading = False

    def _take(self) -> bool:
        if self._head is None and not self._read_head():
            return False
        head = cast("Head", self._head)
        if len(self._received) < head.length:
            return False
        body = bytes(self._received[: head.length])
        del self._received[: head.length]
        self.busy = True
        self._site.answer(self, head, body)
        return True

    def _read_head(self) -> bool:
        end = self._received.find(b"\r\n\r\n")
        if max(end, 0 if end >= 0 else len(self._received)) > MAX_HEAD_BYTES:
            raise BadRequest(431, f"The head has more than {MAX_HEAD_BYTES} bytes.")
        if end < 0:
            return False
        self._head = read_head(bytes(self._received[: end + 2]))
        del self._received[: end + 4]
        if self._head.continues:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return True

    def _refuse(self, refused: BadRequest) -> None:
        body = b'{"error": {"message": "%b"}}' % str(refused).encode()
        self.transport.write(reply(refused.status, body, close=True))
        self.transport.close()

    def done(self) -> None:
        """The reply is written; go on with what has come in since."""
        keep_alive = self._head is not None and self._head.keep_alive
        self.busy, self._head = False, None
        if not keep_alive:
            self.transport.close()
        elif not self._reading:
            self._read()

    def hang_up(self) -> None:
        """Close without a word more."""
        self.busy = False
        self.transport.close()

    def reset(self) -> None:
        """Break the connection, as a machine does that dies."""
        self.busy = False
        linger_off = struct.pack("ii", 1, 0)
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_off)
        self.transport.abort()


_date_line: tuple[int, str] = (0, "")


def date_line(now: float) -> str:
    """The Date header's value; written once a second."""
    global _date_line
    if _date_line[0] != int(now):
        _date_line = (int(now), formatdate(int(now), usegmt=True))
    return _date_line[1]


def reply(
    status: int, body: bytes, *, kind: str = "application/json", headers: str = "", close: bool = False
) -> bytes:
    """A whole reply; `headers` are further lines with their line ends."""
    closing = "Connection: close\r\n" if close else ""
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nDate: {date_line(time.time())}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n{closing}{headers}\r\n"
    )
    return head.encode() + body
