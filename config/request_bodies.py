"""Requests whose body the site does not read, such as a save that is refused before it is looked at."""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings

CHUNK_BYTES = 64 * 1024
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def drain_request_bodies(application: Application) -> Application:
    """Read what is left of a request's body before its reply begins.

    A server that has body left after the reply closes the connection without a word, and the next request,
    which the browser has sent on it already, is lost. Of a body beyond MAX_BODY_BYTES the rest stays unread,
    and the reply says that the connection ends.
    """

    def reading(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            left = settings.MAX_BODY_BYTES
            while left > 0 and (chunk := environ["wsgi.input"].read(CHUNK_BYTES)):
                left -= len(chunk)
            if left <= 0:
                headers = [*headers, ("Connection", "close")]
            return start_response(status, headers, *exc_info)

        return application(environ, start)

    return reading
