"""The network below the HTTP engine: where it connects to, until when, and how much it reads.

The engine's own time-outs are per read, and none at all against a server that sends a byte now and then. So
each wait is given what is left of the request's time. A host is resolved once for a connection; what was
resolved is judged and connected to, so that no second answer of a name server can lead elsewhere.
"""

import socket
import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any

import httpcore

from llm.egress import Egress

MAX_HEAD_BYTES = 100_000
MAX_REPLY_BYTES = 2_000_000


class TooMuchReceived(Exception):
    """More came back than any usable reply has. The reading stopped there."""


class BoundedNetwork(httpcore.NetworkBackend):
    """The network of one connection. `received` counts the bytes of the reply to the request under way."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._sockets = httpcore.SyncBackend()
        self._deadline = 0.0
        self._most = 0
        self.received = 0

    def begin(self, *, deadline: float) -> None:
        """Begin a request that must end by `deadline`, a time of the monotonic clock."""
        self._deadline = deadline
        self._most = MAX_HEAD_BYTES
        self.received = 0

    def head_is_read(self) -> None:
        """From now on the body may come, with what chunks take beside it."""
        self._most = MAX_HEAD_BYTES + MAX_REPLY_BYTES

    def take(self, data: bytes) -> None:
        """Count what came back. Raises TooMuchReceived, and httpcore.RemoteProtocolError if it is no HTTP."""
        # The engine would wait for the end of the line, and another kind of server for us.
        if not self.received and data[:5] != b"HTTP/"[: len(data)]:
            raise httpcore.RemoteProtocolError
        self.received += len(data)
        if self.received > self._most:
            raise TooMuchReceived

    def left(self, at_most: float | None = None) -> float:
        """Seconds until the deadline. Raises httpcore.ReadTimeout when there are none."""
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise httpcore.ReadTimeout
        return seconds if at_most is None else min(seconds, at_most)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of `host` that answers. Raises AddressForbidden besides the usual."""
        addresses = _addresses(host, port)
        self._egress.require(host, addresses)
        failed: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                stream = self._sockets.connect_tcp(address, port, timeout=self.left(timeout))
                return _BoundedStream(stream, self)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


class _BoundedStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, network: BoundedNetwork) -> None:
        self._stream = stream
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._network.left())
        self._network.take(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # Not by the stream: it sends piece by piece and would give each piece all the time that is left.
        connection: socket.socket = self._stream.get_extra_info("socket")
        connection.settimeout(self._network.left())
        try:
            connection.sendall(buffer)
        except TimeoutError:
            raise httpcore.WriteTimeout from None
        except OSError as error:
            raise httpcore.WriteError(str(error)) from None

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._network.left(timeout))
        return _BoundedStream(stream, self._network)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from None
    return [str(sockaddr[0]) for *_, sockaddr in found]
