"""The pages for a request that cannot be read, and for one that the server cannot see to at this moment."""

import errno
import sqlite3
import sys
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.http.request import UnreadablePostError
from django.template import loader
from django.utils.translation import gettext as _
from django.views.decorators.csrf import requires_csrf_token
from django.views.defaults import server_error

BEYOND_LIMITS = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
RETRY_SECONDS = 5
DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
# SQLite's general code: a statement that is wrong, which no waiting mends.
WRONG_STATEMENT = 1
# The fields of our forms in which people write at length.
TYPED = ("text", "note")

log = structlog.get_logger("chiron.requests")


@requires_csrf_token
def unreadable_request(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 where repeating it would not help: it holds more than is taken."""
    too_large = isinstance(exception, BEYOND_LIMITS)
    # Without the request: what signs people in may be what cannot be read.
    page = loader.render_to_string("400.html", {"too_large": too_large})
    return HttpResponse(page, status=413 if too_large else 400)


class UnavailableSaid:
    """Answers a view that met a locked, full or absent database or disk with 503; see `unavailable`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return unavailable(request, exception) if is_passing(exception) else None


@requires_csrf_token
def failed_request(request: HttpRequest) -> HttpResponse:
    """500; or 503 where what failed, in a view or around it, is the database or the disk for a while."""
    exception = sys.exc_info()[1]
    if exception is not None and is_passing(exception):
        return unavailable(request, exception)
    return server_error(request)


def is_passing(exception: BaseException) -> bool:
    """Whether the database or the disk is at fault, and the same request may succeed later."""
    if isinstance(exception, OSError):
        return exception.errno in DISK_FULL
    if not isinstance(exception, (OperationalError, InterfaceError)):
        return False
    cause = exception.__cause__
    if not isinstance(cause, sqlite3.Error):
        return True
    # Without a code it is Python's own, of bytes that are no text.
    return getattr(cause, "sqlite_errorcode", WRONG_STATEMENT) != WRONG_STATEMENT


def unavailable(request: HttpRequest, exception: BaseException) -> HttpResponse:
    """503 with Retry-After: JSON for scripts, for people a page that gives back what they wrote."""
    log.error("a request met a database or disk that cannot be used", reason=type(exception).__name__)
    sentence = _("The server cannot store or read anything right now. Please try again in a few seconds.")
    response: HttpResponse
    accepted = request.headers.get("Accept", "")
    is_script = "application/json" in accepted and "text/html" not in accepted
    if is_script or request.path_info.startswith("/api/"):
        response = JsonResponse({"sentence": sentence}, status=HTTPStatus.SERVICE_UNAVAILABLE)
    else:
        try:
            typed = [text for name in TYPED if (text := request.POST.get(name, ""))]
        except (UnreadablePostError, *BEYOND_LIMITS):
            typed = []
        # Without the request: whoever asks is known by the database.
        context = {"sentence": sentence, "typed": typed, "was_sent": request.method == "POST"}
        page = loader.render_to_string("503.html", context)
        response = HttpResponse(page, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "private, no-store"
    return response
