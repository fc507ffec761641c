"""How long people stay signed in."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

RENEWED_AT = "renewed_at"
RENEW_AFTER = timedelta(days=1)


def renewed_daily(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Count the session's age from the last day of use, with one write a day instead of one a request.

    Without it, whoever signed in almost `SESSION_COOKIE_AGE` ago would be signed out in the middle of work.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # Pages that did not look at the session stay the same for everybody, and cacheable.
        if request.session.accessed and SESSION_KEY in request.session:
            renew(request, timezone.now())
        return response

    return middleware


def renew(request: HttpRequest, now: datetime) -> None:
    renewed_at = request.session.get(RENEWED_AT)
    signed_in_at = getattr(request.user, "last_login", None)
    last = datetime.fromisoformat(renewed_at) if renewed_at else signed_in_at
    if last is None or now - last >= RENEW_AFTER:
        request.session[RENEWED_AT] = now.isoformat()
