"""One kept-alive connection by httpx's own engine, without its pool; see docs/adr/0013.

Redirects, cookies, authentication flows and proxies from the environment: nothing here follows or reads them.
"""

import time
from collections.abc import Iterator
from functools import lru_cache
from ssl import SSLContext

import httpcore
import httpx

from llm.egress import Egress
from llm.network import BoundedNetwork

STALE_SECONDS = 1.0

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
