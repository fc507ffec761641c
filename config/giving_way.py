"""While the server is busy, what pages ask for again and again gives way to all else, and pages to saves."""

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template import loader
from django.utils import translation
from django.utils.translation import gettext as _

from config.request_bodies import Application

POLL = re.compile(r"/api/(sessions/[^/]+/time|studies/[^/]+/(notices|practice/time))")
# When the proxy passed a request on, by its clock: seconds of nginx, milliseconds of Caddy.
PASSED_ON = re.compile(r"t=(\d{10})\.?(\d{3})")
# A poll that waited for so long shows that saves wait. A page waits longer, as somebody looks at it.
POLL_WAITS_SECONDS, PAGE_WAITS_SECONDS = 0.05, 1.0
# The proxies give up then: what says that it waited for longer has another clock than this machine.
MOST_BELIEVED_SECONDS = 120.0
# Where requests wait all four threads of a process (--blocking-threads) are busy: with fewer beside it, what
# claims to have waited has another clock.
MOST_BESIDE = 3
# Where the page finds for how long it waited, in seconds; 0 where requests do not wait.
WAITED = "chiron.waited"
# What takes longer is a large page of the team or a client that sends slowly, and no sign of a queue. A save
# that waits for the database is one, for as long as it may wait there.
LONG_SECONDS, LONG_SAVE_SECONDS = 2.0, 20.0
SAVE = re.compile(r"/api/sessions/[^/]+/answers/\d+")
RETRY_SECONDS, RELOAD_SECONDS = 1, range(3, 9)
# Pages know by `X-Busy` that nothing is wrong: they wait and say nothing, so there is nothing to translate.
REFUSAL = [
    ("Retry-After", str(RETRY_SECONDS)),
    ("X-Busy", "1"),
    ("Cache-Control", "private, no-store"),
    ("Content-Length", "0"),
]


def polls_give_way(application: Application) -> Application:
    """Refuse a poll at once, before sign-in and database, where requests wait.

    The web server takes requests in the order in which they came and tells nobody how many wait. So they do
    where three others are under way, and the proxy says that it passed this one on some time ago, or there is
    none that says it. A refused poll is over in a fraction of a millisecond.
    """
    lock = threading.Lock()
    counts_until: dict[int, float] = {}

    def counting(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        me, now = threading.get_ident(), time.monotonic()
        with lock:
            beside = sum(now < until for until in counts_until.values())
            is_save = SAVE.fullmatch(environ["PATH_INFO"])
            counts_until[me] = now + (LONG_SAVE_SECONDS if is_save else LONG_SECONDS)
        try:
            is_crowded, waited = beside >= MOST_BESIDE, waited_seconds(environ)
            environ[WAITED] = waited if is_crowded and waited else 0.0
            waits = is_crowded if waited is None else environ[WAITED] > POLL_WAITS_SECONDS
            if waits and POLL.fullmatch(environ["PATH_INFO"]):
                start_response("503 Service Unavailable", REFUSAL)
                return []
            return application(environ, start_response)
        finally:
            with lock:
                del counts_until[me]

    return counting


def pages_give_way(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """503 for a page that somebody opens and that waited for long: one that says so and opens it by itself.

    Nothing else is refused: what is sent, saves among it, files, what a page asks for by script or shows.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.META.get(WAITED, 0) <= PAGE_WAITS_SECONDS:
            return get_response(request)
        # As browsers say; an older one does not, and waits. Files have a name in their address, or a format.
        fetched = (request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest"))
        is_file = "format" in request.GET or not request.path_info.endswith("/")
        if request.method != "GET" or fetched != ("navigate", "document") or is_file:
            return get_response(request)
        response = HttpResponse(_busy_page(translation.get_language()), status=HTTPStatus.SERVICE_UNAVAILABLE)
        # Not all of them at once again.
        response["Refresh"] = response["Retry-After"] = str(secrets.choice(RELOAD_SECONDS))
        response["Cache-Control"] = "private, no-store"
        return response

    return middleware


@cache
def _busy_page(language: str) -> str:
    """Without the request, so the same for all who read this language: it must cost next to nothing."""
    with translation.override(language):
        sentence = _("The site is very busy at this moment. The page opens by itself in a few seconds.")
        return loader.render_to_string("503.html", {"sentence": sentence})


def waited_seconds(environ: Mapping[str, Any]) -> float | None:
    """How long ago the proxy passed the request on; None where there is none, or its clock is another."""
    passed_on = PASSED_ON.fullmatch(environ.get("HTTP_X_REQUEST_START", ""))
    if passed_on is None:
        return None
    waited = time.time() - float(".".join(passed_on.groups()))
    # A clock that was set meanwhile may be ahead by a little.
    return max(waited, 0.0) if -1 <= waited <= MOST_BELIEVED_SECONDS else None
