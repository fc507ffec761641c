"""One kept-alive HTTP/1.1 connection, with a hard end to each request.

A time-out per read is none: a server may send a byte now and then for ever. So before each wait the socket is
given what is left of the request's time. Replies are parsed by the standard library, which takes much less
processor time than the usual stack, and a worker makes thousands of calls (docs/judging-faults.md).
"""

import io
import select
import socket
import time
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from ssl import SSLContext
from typing import Any, cast

CHUNK_BYTES = 65_536


class CannotConnect(Exception):
    """Nobody answered at the address, or the TLS handshake failed."""


class Broken(Exception):
    """The connection ended, or what came over it was not HTTP. `silent` when not a byte of a reply came."""

    def __init__(self, problem: str, *, silent: bool = False) -> None:
        super().__init__(problem)
        self.silent = silent


class Wire:
    """A connection to `host`; it belongs to one thread at a time. `used` once a reply came over it."""

    def __init__(self, host: str, port: int, *, tls: SSLContext | None, connect_seconds: float) -> None:
        self._address = (host, port)
        self._tls = tls
        self._connect_seconds = connect_seconds
        self._socket: socket.socket | None = None
        self.used = False

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self.used = False

    def drop_if_closed(self) -> None:
        """Notice that the other side closed the connection, or sent what nobody asked for, in between."""
        if self._socket is None:
            return
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if poll.poll(0):
            self.close()

    def post(self, message: bytes, *, deadline: float) -> HTTPResponse:
        """Send a whole request and read the head of the reply. `deadline` is a time of the monotonic clock.

        Raises:
            CannotConnect, Broken, TimeoutError
        """
        connection = self._socket or self._connect(deadline)
        reader = _TimedReader(connection, deadline)
        try:
            connection.settimeout(left(deadline))
            connection.sendall(message)
            response = HTTPResponse(cast("socket.socket", reader), method="POST")
            response.begin()
        except TimeoutError:
            raise
        except (OSError, HTTPException) as error:
            raise Broken(type(error).__name__, silent=reader.silent) from None
        self.used = True
        return response

    def _connect(self, deadline: float) -> socket.socket:
        seconds = min(left(deadline), self._connect_seconds)
        try:
            connection = socket.create_connection(self._address, timeout=seconds)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_hostname=self._address[0])
        except (OSError, ValueError) as error:
            raise CannotConnect(str(error) or type(error).__name__) from None
        self._socket = connection
        return connection


def chunks(response: HTTPResponse) -> Iterator[bytes]:
    """The body as it arrives.

    Raises:
        Broken, TimeoutError
    """
    try:
        while chunk := response.read1(CHUNK_BYTES):
            yield chunk
    except TimeoutError:
        raise
    except (OSError, HTTPException, ValueError) as error:
        raise Broken(type(error).__name__) from None
    if response.length:
        raise Broken("IncompleteRead")


def is_read(response: HTTPResponse) -> bool:
    """True when nothing of the reply is left on the connection, so that it can be used again."""
    return response.isclosed() or response.length == 0


def left(deadline: float) -> float:
    """Seconds until `deadline`. Raises TimeoutError when there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


class _TimedReader(io.RawIOBase):
    """Reads a socket until the deadline; stands in for the socket where a reply asks it for a file."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self.silent = True

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self, CHUNK_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(left(self._deadline))
        received = self._connection.recv_into(buffer)
        self.silent = self.silent and not received
        return received
