"""One POST to a chat endpoint, bounded in size and time; the package's only module that imports httpx.

httpx gives the addresses, the headers, the certificates and the interface that tests inject a transport by.
What goes over the network is `llm.wire`: no redirects, cookies, authentication flows or proxies from the
environment. Each thread in the middle of a request has a connection to itself; there is no pool to search.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from http.client import HTTPResponse
from ssl import SSLContext

import httpx

from llm import wire
from llm.endpoints import Endpoint, EndpointInvalid
from llm.errors import (
    ConnectionFailed,
    ConnectionLost,
    LLMError,
    Received,
    ReplyTooLarge,
    ReplyTooSlow,
    TimedOut,
)

Transport = httpx.BaseTransport

MAX_REPLY_BYTES = 2_000_000
KEPT_OF_TOO_LARGE = 10_000
MAX_CONNECT_SECONDS = 10.0
STALE_SECONDS = 1.0


@dataclass(frozen=True)
class Response:
    """A reply that arrived whole, whatever its status. `headers` are looked up without regard to case."""

    received: Received
    headers: Mapping[str, str]


class StaleConnection(httpx.RemoteProtocolError):
    """The endpoint had closed a connection that was kept open: nothing came back, nobody read anything."""


class ChatHttp:
    """The connections to one endpoint, as many as threads use it at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float,
        transport: Transport | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        self._timer = timer
        self._injected = transport
        self._url = _url(endpoint)
        self._headers = _headers(endpoint.api_key, self._url)
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
            ConnectionFailed, ConnectionLost, TimedOut, ReplyTooSlow, ReplyTooLarge
        """
        deadline = self._timer() + self._timeout
        try:
            return self._exchange(self._idle_transport() or self._new_transport(), body, deadline)
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

    def _idle_transport(self) -> Transport | None:
        try:
            # The one used last: the fewest connections are kept, and those are the least likely to be stale.
            return self._idle.pop()
        except IndexError:
            return None

    def _new_transport(self) -> Transport:
        return self._injected or Direct(self._url, min(self._timeout, MAX_CONNECT_SECONDS))

    def _reply(self, transport: Transport, body: bytes, deadline: float) -> Response:
        try:
            response = transport.handle_request(self._request(body))
        except StaleConnection:
            raise
        except httpx.RequestError as error:
            raise self._no_reply(error) from None
        try:
            return Response(self._read(response, deadline), response.headers)
        finally:
            response.close()

    def _request(self, body: bytes) -> httpx.Request:
        headers = [*self._headers, (b"Content-Length", b"%d" % len(body))]
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), self._timeout)
        stream, extensions = httpx.ByteStream(body), {"timeout": timeouts}
        return httpx.Request("POST", self._url, headers=headers, stream=stream, extensions=extensions)

    def _no_reply(self, error: httpx.RequestError) -> LLMError:
        address = self._endpoint.base_url
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)):
            detail = str(error) or type(error).__name__
            return ConnectionFailed(
                f"{address} cannot be reached ({detail}); check that it runs and that the address is right."
            )
        if isinstance(error, httpx.TimeoutException):
            return TimedOut(f"{address} did not reply within {self._timeout:g} s.")
        return ConnectionLost(f"The connection to {address} broke ({str(error) or type(error).__name__}).")

    def _read(self, response: httpx.Response, deadline: float) -> Received:
        body = bytearray()
        try:
            for chunk in _chunks(response):
                body += chunk
                if len(body) > MAX_REPLY_BYTES:
                    raise self._too_large(response, body)
                if self._timer() > deadline:
                    raise self._too_slow(response, body)
        except httpx.TimeoutException:
            raise self._too_slow(response, body) from None
        except httpx.RequestError as error:
            problem = f"The connection to {self._endpoint.base_url} broke ({str(error) or 'in the middle'})."
            raise ConnectionLost(problem, self._received(response, body)) from None
        return self._received(response, body)

    def _too_large(self, response: httpx.Response, body: bytearray) -> ReplyTooLarge:
        kept = self._received(response, body[:KEPT_OF_TOO_LARGE])
        return ReplyTooLarge(
            f"The reply of {self._endpoint.base_url} is over {MAX_REPLY_BYTES:,} bytes.", kept
        )

    def _too_slow(self, response: httpx.Response, body: bytearray) -> ReplyTooSlow:
        kept = self._received(response, body)
        return ReplyTooSlow(
            f"{self._endpoint.base_url} did not finish its reply within {self._timeout:g} s.", kept
        )

    def _received(self, response: httpx.Response, body: bytearray) -> Received:
        text = body.decode("utf-8", "replace").replace("\0", "\ufffd")
        return Received(status=response.status_code, raw=self._endpoint.without_key(text))


class Direct(Transport):
    """httpx's interface over one `llm.wire` connection."""

    def __init__(self, url: httpx.URL, connect_seconds: float) -> None:
        secure = url.scheme == "https"
        self._wire = wire.Wire(
            url.raw_host.decode("ascii"),
            url.port or (443 if secure else 80),
            tls=certificates() if secure else None,
            connect_seconds=connect_seconds,
        )
        self._line = b"POST " + url.raw_path + b" HTTP/1.1\r\n"

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._wire.drop_if_closed()
        kept, started = self._wire.used, time.monotonic()
        deadline = started + request.extensions["timeout"]["read"]
        head = b"".join(b"%b: %b\r\n" % pair for pair in request.headers.raw)
        try:
            reply = self._wire.post(b"%b%b\r\n%b" % (self._line, head, request.read()), deadline=deadline)
        except wire.CannotConnect as error:
            raise httpx.ConnectError(str(error)) from None
        except TimeoutError:
            raise httpx.ReadTimeout("") from None
        except wire.Broken as error:
            # A closed connection shows at once. One that breaks later broke while the model was at work.
            stale = kept and error.silent and time.monotonic() - started < STALE_SECONDS
            raise (StaleConnection if stale else httpx.RemoteProtocolError)(str(error)) from None
        # As bytes: a header may hold any of them, and httpx takes text for ASCII.
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.getheaders()]
        return httpx.Response(reply.status, headers=headers, stream=_Body(reply, self._wire))

    def close(self) -> None:
        self._wire.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, reply: HTTPResponse, connection: wire.Wire) -> None:
        self._reply = reply
        self._wire = connection

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from wire.chunks(self._reply)
        except TimeoutError:
            raise httpx.ReadTimeout("") from None
        except wire.Broken as error:
            raise httpx.RemoteProtocolError(str(error)) from None

    def close(self) -> None:
        if self._reply.will_close or not wire.is_read(self._reply):
            self._wire.close()
        self._reply.close()


def _url(endpoint: Endpoint) -> httpx.URL:
    try:
        return httpx.URL(endpoint.chat_url)
    except httpx.InvalidURL as error:
        raise EndpointInvalid(f"The base URL {endpoint.base_url!r} is not usable: {error}") from None


def _headers(api_key: str | None, url: httpx.URL) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"Host", url.netloc),
        (b"Content-Type", b"application/json"),
        (b"Accept", b"application/json"),
        # Uncompressed, so that the bound on the size also bounds the memory.
        (b"Accept-Encoding", b"identity"),
        (b"User-Agent", b"chiron"),
    ]
    if api_key:
        headers.append((b"Authorization", f"Bearer {api_key}".encode("ascii")))
    return headers


@lru_cache(1)
def certificates() -> SSLContext:
    """Certificates are verified as httpx does it; reading them takes a while, so it is done once."""
    context = httpx.create_ssl_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _chunks(response: httpx.Response) -> Iterable[bytes]:
    """The body piece by piece, decompressed when it was compressed although nobody asked for that."""
    stream = response.stream
    if "content-encoding" in response.headers or not isinstance(stream, httpx.SyncByteStream):
        return response.iter_bytes()
    return stream
