"""One POST to a chat endpoint, bounded in size and time.

Each thread in the middle of a request has a connection to itself; there is no pool to search.
"""

import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import httpx

from llm import errors
from llm.connections import MAX_REPLY_BYTES, DirectTransport, StaleConnection, TooMuchReceived
from llm.egress import SETTING, AddressForbidden, Egress
from llm.endpoints import Endpoint, EndpointInvalid
from llm.replies import GZIP

Transport = httpx.BaseTransport

KEPT_OF_TOO_LARGE = 10_000
MAX_CONNECT_SECONDS = 10.0

# How zlib is told to expect the header and the checksum of gzip.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


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
        self._egress = egress
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
        connect_seconds = min(self._timeout, MAX_CONNECT_SECONDS)
        return self._injected or DirectTransport(
            self._url, egress=self._egress, connect_seconds=connect_seconds
        )

    def _reply(self, transport: Transport, body: bytes, deadline: float) -> Response:
        address = self._endpoint.base_url
        try:
            response = transport.handle_request(self._request(body))
        except StaleConnection:
            raise
        except httpx.RequestError as error:
            raise self._no_reply(error) from None
        except AddressForbidden:
            raise errors.AddressRefused(
                f"{address} leads to an address that is not public; nothing is sent there. "
                f"If it is meant, whoever runs this site names it in {SETTING}."
            ) from None
        except TooMuchReceived:
            raise errors.ReplyTooLarge(f"The headers of {address}'s reply do not end.") from None
        try:
            return Response(self._read(response, deadline), response.headers)
        finally:
            response.close()

    def _request(self, body: bytes) -> httpx.Request:
        headers = [*self._headers, (b"Content-Length", b"%d" % len(body))]
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), self._timeout)
        stream, extensions = httpx.ByteStream(body), {"timeout": timeouts}
        return httpx.Request("POST", self._url, headers=headers, stream=stream, extensions=extensions)

    def _no_reply(self, error: httpx.RequestError) -> errors.LLMError:
        address = self._endpoint.base_url
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)):
            detail = str(error) or type(error).__name__
            return errors.ConnectionFailed(
                f"{address} cannot be reached ({detail}); check that it runs and that the address is right."
            )
        if isinstance(error, httpx.TimeoutException):
            return errors.TimedOut(f"{address} did not reply within {self._timeout:g} s.")
        return errors.ConnectionLost(
            f"The connection to {address} broke ({str(error) or type(error).__name__})."
        )

    def _read(self, response: httpx.Response, deadline: float) -> errors.Received:
        body = bytearray()
        decoded = _decoded(response.headers)
        address = self._endpoint.base_url
        try:
            for piece in cast("httpx.SyncByteStream", response.stream):
                body += decoded(piece, MAX_REPLY_BYTES + 1 - len(body))
                if len(body) > MAX_REPLY_BYTES:
                    raise TooMuchReceived
                if self._timer() > deadline:
                    raise httpx.ReadTimeout("")
        except TooMuchReceived:
            kept = self._received(response, body[:KEPT_OF_TOO_LARGE])
            raise errors.ReplyTooLarge(
                f"The reply of {address} is over {MAX_REPLY_BYTES:,} bytes.", kept
            ) from None
        except zlib.error:
            problem = f"The reply of {address} is not the gzip that it says it is."
            raise errors.ReplyMalformed(problem, self._received(response, body)) from None
        except httpx.TimeoutException:
            problem = f"{address} did not finish its reply within {self._timeout:g} s."
            raise errors.ReplyTooSlow(problem, self._received(response, body)) from None
        except httpx.RequestError as error:
            problem = f"The connection to {address} broke ({str(error) or 'in the middle'})."
            raise errors.ConnectionLost(problem, self._received(response, body)) from None
        return self._received(response, body)

    def _received(self, response: httpx.Response, body: bytearray) -> errors.Received:
        text = body.decode("utf-8", "replace").replace("\0", "\ufffd")
        return errors.Received(status=response.status_code, raw=self._endpoint.without_key(text))


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
        (b"Accept-Encoding", b"identity"),
        (b"User-Agent", b"chiron"),
    ]
    if api_key:
        headers.append((b"Authorization", f"Bearer {api_key}".encode("ascii")))
    return headers


def _decoded(headers: Mapping[str, str]) -> Callable[[bytes, int], bytes]:
    """What makes the body of a piece of it, at most so many bytes: endpoints compress though nobody asked."""
    if headers.get("content-encoding", "").strip().lower() in GZIP:
        return _Gunzip().decompress
    return lambda piece, most: piece


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
