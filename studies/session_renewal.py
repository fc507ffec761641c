"""How long people stay signed in."""

from collections.abc import Callable
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponseBase

from studies.models import User
from studies.services.clock import server_now
from studies.services.database import short_wait

SIGNED_IN_AT = "signed_in_at"
RENEWED_AT = "renewed_at"
RENEW_AFTER = timedelta(days=1)
STAFF_RENEW_AFTER = timedelta(minutes=5)


def renewed_by_use(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Count the session's age from its last use, with one write a day instead of one a request.

    Without it, whoever signed in almost `SESSION_COOKIE_AGE` ago would be signed out in the middle of work.
    Staff have shorter times, which a write in five minutes keeps exact enough. The session's row holds its
    end: Django finds no row that has ended, whatever the cookie says.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # Pages that did not look at the session stay the same for everybody, and cacheable.
        if request.session.accessed and SESSION_KEY in request.session:
            _renew(request, server_now())
        return response

    return middleware


def _renew(request: HttpRequest, now: datetime) -> None:
    session, person = request.session, request.user
    if not isinstance(person, User) or not (_staff_due if person.is_staff else due)(request, person, now):
        return
    was_modified = session.modified
    session[RENEWED_AT] = now.isoformat()
    if person.is_staff:
        signed_in_at = datetime.fromisoformat(session.setdefault(SIGNED_IN_AT, now.isoformat()))
        session.set_expiry(min(now + settings.STAFF_IDLE, signed_in_at + settings.STAFF_SESSION))
    try:
        with short_wait():
            sign_in_used(request, person, now)
    except (OperationalError, InterfaceError):
        # A page can be read also where nothing can be written: the next use renews.
        session.modified = was_modified


def due(request: HttpRequest, person: User, now: datetime, after: timedelta = RENEW_AFTER) -> bool:
    renewed_at = request.session.get(RENEWED_AT)
    last = datetime.fromisoformat(renewed_at) if renewed_at else person.last_login
    return last is None or now - last >= after


def _staff_due(request: HttpRequest, person: User, now: datetime) -> bool:
    """A session that has no end of staff's yet gets one; later only use moves it."""
    return SIGNED_IN_AT not in request.session or (
        is_use(request) and due(request, person, now, STAFF_RENEW_AFTER)
    )


def is_use(request: HttpRequest) -> bool:
    """Whether somebody did something. What a script of an open page asks for on its own is not: the browser
    marks it with this header, which no script can set. What it sends, such as a text just typed, is use.
    """
    return request.method not in {"GET", "HEAD"} or request.headers.get("Sec-Fetch-Dest") != "empty"


def sign_in_used(request: HttpRequest, person: User, now: datetime) -> None:
    """Note it in the person's list of sign-ins."""
    key = request.session.session_key
    if key and not UserSession.objects.filter(session_key=key).update(last_seen_at=now):
        UserSession.objects.get_or_create(
            session_key=key,
            defaults={
                "user": person,
                "created_at": now,
                "last_seen_at": now,
                "user_agent": request.headers.get("User-Agent", ""),
            },
        )
