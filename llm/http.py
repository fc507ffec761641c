"""One POST to a chat endpoint, bounded in size and time; the package's only module that imports httpx."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from llm.endpoints import Endpoint, EndpointInvalid
from llm.errors import ConnectionFailed, ConnectionLost, Received, ReplyTooLarge, TimedOut
from llm.texts import storable

Transport = httpx.BaseTransport

MAX_REPLY_BYTES = 2_000_000
MAX_CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Response:
    """A reply that arrived whole, whatever its status. `headers` are looked up without regard to case."""

    received: Received
    headers: Mapping[str, str]


class ChatHttp:
    """The connections to one endpoint."""

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
        try:
            self._url = httpx.URL(endpoint.chat_url)
        except httpx.InvalidURL as error:
            raise EndpointInvalid(f"The base URL {endpoint.base_url!r} is not usable: {error}") from None
        self._client = httpx.Client(
            transport=transport,
            timeout=httpx.Timeout(timeout, connect=min(timeout, MAX_CONNECT_SECONDS)),
            headers=_headers(endpoint.api_key),
        )

    def close(self) -> None:
        self._client.close()

    def post(self, body: bytes) -> Response:
        """Send `body` and read the whole reply.

        Raises:
            ConnectionFailed, ConnectionLost, TimedOut, ReplyTooLarge
        """
        address = self._endpoint.base_url
        deadline = self._timer() + self._timeout
        try:
            with self._client.stream("POST", self._url, content=body) as response:
                return Response(self._read(response, deadline=deadline), response.headers)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            detail = str(error) or type(error).__name__
            raise ConnectionFailed(
                f"{address} cannot be reached ({detail}); check that it runs and that the address is right."
            ) from None
        except httpx.TimeoutException:
            raise TimedOut(f"{address} did not reply within {self._timeout:g} s.") from None
        except httpx.RequestError as error:
            raise ConnectionLost(f"The connection to {address} broke ({type(error).__name__}).") from None

    def _read(self, response: httpx.Response, *, deadline: float) -> Received:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MAX_REPLY_BYTES:
                received = self._received(response, body[:MAX_REPLY_BYTES])
                raise ReplyTooLarge(
                    f"The reply of {self._endpoint.base_url} is over {MAX_REPLY_BYTES:,} bytes.", received
                )
            # httpx limits each wait for bytes; without this, a reply that drips in slowly would never end.
            if self._timer() > deadline:
                raise TimedOut(
                    f"{self._endpoint.base_url} did not finish its reply within {self._timeout:g} s.",
                    self._received(response, body),
                )
        return self._received(response, body)

    def _received(self, response: httpx.Response, body: bytearray) -> Received:
        text = storable(body.decode("utf-8", "replace"))
        return Received(status=response.status_code, raw=self._endpoint.without_key(text))


def _headers(api_key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    # Uncompressed, so that the bound on the size also bounds the memory.
    headers["Accept-Encoding"] = "identity"
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    return headers
