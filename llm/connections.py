"""One kept-alive connection by httpx's own engine, without its pool; see docs/adr/0013.

Redirects, cookies, authentication flows and proxies from the environment: nothing here follows or reads them.

The engine's own time-outs are per read, and none at all against a server that sends a byte now and then. So
each wait is given what is left of the request's time. A host is resolved once for a connection; what was
resolved is judged and connected to, so that no second answer of a name server can lead elsewhere.
"""

import socket
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from llm.egress import Egress

STALE_SECONDS = 1.0
MAX_HEAD_BYTES = 100_000
MAX_REPLY_BYTES = 2_000_000

_BROKEN = (httpcore.NetworkError, httpcore.ProtocolError)
_FAULTS = (*_BROKEN, httpcore.TimeoutException)


class StaleConnection(httpx.RemoteProtocolError):
    """The endpoint had closed a connection that was kept open: nothing came back, nobody read anything."""


class DirectTransport(httpx.BaseTransport):
    """httpx's interface over a connection to the host of `url`; it belongs to one thread at a time."""

    def __init__(self, url: httpx.URL, *, egress: Egress, connect_seconds: float) -> None:
        port = url.port or (443 if url.scheme == "https" else 80)
        self._url = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=port, target=url.raw_path)
        self._tls = certificates() if url.scheme == "https" else None
        self._timeouts = {"timeout": {"connect": connect_seconds}}
        self._network = BoundedNetwork(egress)
        self._connection = self._unconnected()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        kept = self._connection.is_available() and not self._connection.has_expired()
        if not kept:
            self._connection.close()
            self._connection = self._unconnected()
        started = time.monotonic()
        self._network.begin(deadline=started + request.extensions["timeout"]["read"])
        try:
            reply = self._connection.handle_request(self._asked(request))
        except _FAULTS as error:
            # A closed connection shows at once. One that breaks later broke while the model was at work.
            stale = kept and not self._network.received and time.monotonic() - started < STALE_SECONDS
            raise _as_httpx(error, StaleConnection if stale else httpx.RemoteProtocolError) from None
        self._network.head_is_read()
        return httpx.Response(reply.status, headers=reply.headers, stream=_Body(reply))

    def close(self) -> None:
        self._connection.close()

    def _unconnected(self) -> httpcore.HTTPConnection:
        return httpcore.HTTPConnection(self._url.origin, ssl_context=self._tls, network_backend=self._network)

    def _asked(self, request: httpx.Request) -> httpcore.Request:
        return httpcore.Request(
            "POST", self._url, headers=request.headers.raw, content=request.read(), extensions=self._timeouts
        )


class _Body(httpx.SyncByteStream):
    def __init__(self, reply: httpcore.Response) -> None:
        self._reply = reply

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._reply.iter_stream()
        except _FAULTS as error:
            raise _as_httpx(error, httpx.RemoteProtocolError) from None

    def close(self) -> None:
        self._reply.close()


def _as_httpx(error: Exception, broken: type[httpx.RequestError]) -> httpx.RequestError:
    if isinstance(error, (httpcore.ConnectError, httpcore.ConnectTimeout)):
        return httpx.ConnectError(str(error))
    if isinstance(error, httpcore.TimeoutException):
        return httpx.ReadTimeout("")
    if isinstance(error, httpcore.ProtocolError):
        # Not in the engine's words: they quote the reply at any length, and it may hold the key.
        return broken("the reply is no whole HTTP message")
    return broken(str(error) or type(error).__name__)


@lru_cache(1)
def certificates() -> SSLContext:
    """Certificates are verified as httpx does it; reading them takes a while, so it is done once."""
    return httpx.create_ssl_context()


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
