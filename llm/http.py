"""One POST to a chat endpoint, bounded in size and time, over kept-alive connections by httpx's own engine.

Each thread in the middle of a request has a connection to itself; there is no pool to search (docs/adr/0013).
Redirects, cookies, authentication flows and proxies from the environment: nothing here follows or reads them.

The engine's own time-outs are per read, and none at all against a server that sends a byte now and then. So
each wait is given what is left of the request's time. A host is resolved once for a connection; what was
resolved is judged and connected to, so that no second answer of a name server can lead elsewhere.
"""

import re
import socket
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ssl import SSLContext
from typing import Any, Protocol

import httpcore
import httpx

from llm import errors
from llm.egress import SETTING, AddressForbidden, Egress, EndpointInvalid, check_address
from llm.replies import GZIP

MASK = "[key]"
_MIN_MASKED_CHARACTERS = 8
KEPT_OF_TOO_LARGE = 10_000
MAX_CONNECT_SECONDS = 10.0
STALE_SECONDS = 1.0
MAX_HEAD_BYTES = 100_000
MAX_REPLY_BYTES = 2_000_000
# How zlib is told to expect the header and the checksum of gzip.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS

FAULTS = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException)


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint, e.g. `https://host/v1`; `api_key` is left out of repr."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_address(self.base_url)
        if self.api_key and not re.fullmatch("[!-~]+", self.api_key):
            raise EndpointInvalid("The key holds a character no key has, such as a space or a line break.")
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    def without_key(self, text: str) -> str:
        """Mask the key where an endpoint echoes it. Very short keys are placeholders of local servers."""
        if self.api_key and len(self.api_key) >= _MIN_MASKED_CHARACTERS:
            return text.replace(self.api_key, MASK)
        return text


class Transport(Protocol):
    """What sends a request and reads the head of its reply, for one thread at a time."""

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        """Raises what `Connection` raises."""

    def close(self) -> None: ...


class StaleConnection(Exception):
    """The endpoint had closed a connection that was kept open: nothing came back, nobody read anything."""


class TooMuchReceived(Exception):
    """More came back than any usable reply has. The reading stopped there."""


@dataclass(frozen=True)
class Response:
    """A reply that arrived whole, whatever its status. `headers` are looked up without regard to case."""

    received: errors.Received
    headers: Mapping[str, str]


class ChatHttp:
    """The connections to one endpoint, as many as threads use it at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float,
        egress: Egress,
        transport: Transport | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        self._timeouts = {"timeout": {"connect": min(timeout, MAX_CONNECT_SECONDS)}}
        self._egress = egress
        self._timer = timer
        self._injected = transport
        try:
            url = httpx.URL(f"{endpoint.base_url}/chat/completions")
        except httpx.InvalidURL as error:
            raise EndpointInvalid(f"The base URL {endpoint.base_url!r} is not usable: {error}") from None
        port = url.port or (443 if url.scheme == "https" else 80)
        self._url = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=port, target=url.raw_path)
        self._headers = [
            (b"Host", url.netloc),
            (b"Content-Type", b"application/json"),
            (b"Accept", b"application/json"),
            (b"Accept-Encoding", b"identity"),
            (b"User-Agent", b"chiron"),
        ]
        if endpoint.api_key:
            self._headers.append((b"Authorization", f"Bearer {endpoint.api_key}".encode("ascii")))
        self._idle: list[Transport] = []
        self._closed = False

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def post(self, body: bytes) -> Response:
        """Send `body` and read the whole reply.

        A connection that the endpoint closed while it was idle is replaced and the request sent once more:
        nobody has read it, so it is neither a fault nor another request.

        Raises:
            NoReply, ReplyTooLarge, ReplyMalformed
        """
        deadline = self._timer() + self._timeout
        try:
            # The one used last: the fewest connections are kept, and those are the least likely to be stale.
            transport = self._idle.pop()
        except IndexError:
            transport = self._new_transport()
        try:
            return self._exchange(transport, body, deadline)
        except StaleConnection:
            return self._exchange(self._new_transport(), body, deadline)

    def _exchange(self, transport: Transport, body: bytes, deadline: float) -> Response:
        try:
            response = self._reply(transport, body, deadline)
        except BaseException:
            transport.close()
            raise
        if self._closed:
            transport.close()
        else:
            self._idle.append(transport)
        return response

    def _new_transport(self) -> Transport:
        return self._injected or Connection(self._url, egress=self._egress, timeout=self._timeout)

    def _reply(self, transport: Transport, body: bytes, deadline: float) -> Response:
        address = self._endpoint.base_url
        headers = [*self._headers, (b"Content-Length", b"%d" % len(body))]
        try:
            response = transport.handle_request(
                httpcore.Request("POST", self._url, headers=headers, content=body, extensions=self._timeouts)
            )
        except FAULTS as error:
            raise self._no_reply(error, None) from None
        except AddressForbidden:
            raise errors.AddressRefused(
                f"{address} leads to an address that is not public; nothing is sent there. "
                f"If it is meant, whoever runs this site names it in {SETTING}."
            ) from None
        except TooMuchReceived:
            raise errors.ReplyTooLarge(f"The headers of {address}'s reply do not end.") from None
        try:
            return self._read(response, deadline)
        finally:
            response.close()

    def _read(self, response: httpcore.Response, deadline: float) -> Response:
        headers, body = httpx.Headers(response.headers), bytearray()
        # Endpoints compress though nobody asked.
        zipped = headers.get("content-encoding", "").strip().lower() in GZIP
        decoded = _Gunzip().decompress if zipped else lambda piece, most: piece
        address = self._endpoint.base_url
        try:
            for piece in response.iter_stream():
                body += decoded(piece, MAX_REPLY_BYTES + 1 - len(body))
                if len(body) > MAX_REPLY_BYTES:
                    raise TooMuchReceived
                if self._timer() > deadline:
                    raise httpcore.ReadTimeout
        except TooMuchReceived:
            kept = self._received(response, body[:KEPT_OF_TOO_LARGE])
            raise errors.ReplyTooLarge(
                f"The reply of {address} is over {MAX_REPLY_BYTES:,} bytes.", kept
            ) from None
        except zlib.error:
            problem = f"The reply of {address} is not the gzip that it says it is."
            raise errors.ReplyMalformed(problem, self._received(response, body)) from None
        except FAULTS as error:
            raise self._no_reply(error, self._received(response, body)) from None
        return Response(self._received(response, body), headers)

    def _no_reply(self, error: Exception, begun: errors.Received | None) -> errors.NoReply:
        """What an error of the engine means; `begun` is what had come of a reply that had begun."""
        address, allowed = self._endpoint.base_url, f"{self._timeout:g} s"
        detail = str(error) or type(error).__name__
        if isinstance(error, (httpcore.ConnectError, httpcore.ConnectTimeout)):
            return errors.ConnectionFailed(
                f"{address} cannot be reached ({detail}); check that it runs and that the address is right."
            )
        if isinstance(error, httpcore.TimeoutException):
            if begun is None:
                return errors.TimedOut(f"{address} did not reply within {allowed}.")
            return errors.ReplyTooSlow(f"{address} did not finish its reply within {allowed}.", begun)
        if isinstance(error, httpcore.ProtocolError):
            # Not in the engine's words: they quote the reply at any length, and it may hold the key.
            detail = "the reply is no whole HTTP message"
        return errors.ConnectionLost(f"The connection to {address} broke ({detail}).", begun)

    def _received(self, response: httpcore.Response, body: bytearray) -> errors.Received:
        text = body.decode("utf-8", "replace").replace("\0", "\ufffd")
        return errors.Received(status=response.status, raw=self._endpoint.without_key(text))


class _Gunzip:
    """One gzip member. More after its end is refused at once: zlib would copy all of it at every piece."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP_WINDOW)

    def decompress(self, piece: bytes, most: int) -> bytes:
        if piece and self._member.eof:
            raise zlib.error("more after the end")
        out = self._member.decompress(piece, most)
        if self._member.unused_data:
            raise zlib.error("more after the end")
        return out


class Connection:
    """One kept-alive connection to the host of `url`; it belongs to one thread at a time."""

    def __init__(self, url: httpcore.URL, *, egress: Egress, timeout: float) -> None:
        self._origin = url.origin
        self._tls = certificates() if url.scheme == b"https" else None
        self._timeout = timeout
        self._network = BoundedNetwork(egress)
        self._connection = self._unconnected()

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        """Raises one of FAULTS, StaleConnection, AddressForbidden, TooMuchReceived."""
        kept = self._connection.is_available() and not self._connection.has_expired()
        if not kept:
            self._connection.close()
            self._connection = self._unconnected()
        started = time.monotonic()
        self._network.begin(deadline=started + self._timeout)
        try:
            response = self._connection.handle_request(request)
        except (httpcore.NetworkError, httpcore.ProtocolError):
            # A closed connection shows at once. One that breaks later broke while the model was at work.
            if kept and not self._network.received and time.monotonic() - started < STALE_SECONDS:
                raise StaleConnection from None
            raise
        self._network.head_is_read()
        return response

    def close(self) -> None:
        self._connection.close()

    def _unconnected(self) -> httpcore.HTTPConnection:
        return httpcore.HTTPConnection(self._origin, ssl_context=self._tls, network_backend=self._network)


@lru_cache(1)
def certificates() -> SSLContext:
    """Certificates are verified as httpx does it; reading them takes a while, so it is done once."""
    return httpx.create_ssl_context()


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
        try:
            resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from None
        addresses = [str(sockaddr[0]) for *_, sockaddr in resolved]
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
