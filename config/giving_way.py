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
# Without a proxy that says so: of a process's four threads (--blocking-threads) the last is never a poll's.
MOST_BESIDE = 3
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
    """Refuse a poll at once, before sign-in and database, where it waited or three others are under way.

    The web server takes requests in the order in which they came and tells nobody how many wait. The proxy
    says when it passed a request on; without one, where so many are under way, what comes next would wait. A
    refused poll is over in a fraction of a millisecond.
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
            waited = waited_seconds(environ)
            is_crowded = beside >= MOST_BESIDE if waited is None else waited > POLL_WAITS_SECONDS
            if is_crowded and POLL.fullmatch(environ["PATH_INFO"]):
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

    What is sent is never refused, saves among it, and neither is what a page asks for by script.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        is_opened = request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"
        if not is_opened or (waited_seconds(request.META) or 0) <= PAGE_WAITS_SECONDS:
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
        sentence = _(
            "Very many people are at work at this moment. The page opens by itself in a few seconds."
        )
        return loader.render_to_string("503.html", {"sentence": sentence})


def waited_seconds(environ: Mapping[str, Any]) -> float | None:
    """How long ago the proxy passed the request on; None where there is none, or its clock is another."""
    passed_on = PASSED_ON.fullmatch(environ.get("HTTP_X_REQUEST_START", ""))
    if passed_on is None:
        return None
    waited = time.time() - float(".".join(passed_on.groups()))
    # A clock that was set meanwhile may be ahead by a little.
    return max(waited, 0.0) if -1 <= waited <= MOST_BELIEVED_SECONDS else None
