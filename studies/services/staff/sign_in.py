"""Who may ask for sign-in codes how often and try them, and sign-ins that are over."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet

from studies.models import Invitation, User
from studies.services.database import one_of_many_writes, slices
from studies.services.limits import Limit, limit_take

MINUTE, DAY = 60.0, 24 * 3600.0
# One client asks for one address; and everybody together, which bounds what a stranger can have mailed to it.
PAIR = (Limit("code by client and address", 5, 5 * MINUTE), Limit("codes by client and address", 15, DAY))
ADDRESS = (Limit("code by address", 45, DAY),)
LINK = (Limit("code by link", 5, 5 * MINUTE), Limit("codes by link", 30, DAY))
# As a client's limit of a minute suits a shared room, that of a day is a multiple of it.
MINUTES_A_DAY = 20
CODE_TRIES = Limit("tries of a code", settings.ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS, DAY)
CODE_USE = Limit("use of a code or of a passkey's challenge", 1, DAY)
SECOND_FACTOR_TRIES = Limit("tries of a second factor", 5, 5 * MINUTE)


@transaction.atomic
def code_request_take(*, email: str, client: str, link: str = "", now: datetime) -> bool:
    """Count one more code for this address, or say that no more is sent for now.

    `client` is the network address that asks; `link` the hash of an invitation's token that this browser has
    shown, blank without one. Who holds the link of an invitation to the address is counted by the link alone:
    however many codes strangers ask for, on this network or another, they use up nothing of it.
    """
    if link and Invitation.objects.filter(token_sha256=link, email=email).exists():
        return _take_all(LINK, link, now)
    return (
        client_take(client=client, now=now)
        and _take_all(PAIR, f"{client} {email}", now)
        and _take_all(ADDRESS, email, now)
    )


@transaction.atomic
def client_take(*, client: str, now: datetime) -> bool:
    """Count one more sign-in that one network address asks for, whoever is behind it."""
    a_minute = settings.CODES_PER_MINUTE_PER_CLIENT
    limits = (
        Limit("sign-ins by client", a_minute, MINUTE),
        Limit("sign-ins by client in a day", MINUTES_A_DAY * a_minute, DAY),
    )
    return _take_all(limits, client, now)


def _take_all(limits: tuple[Limit, ...], whom: str, now: datetime) -> bool:
    return all(limit_take(limit=limit, whom=whom, now=now) for limit in limits)


# Longer than any sign-in code is valid; a visitor's session holds one, and an address.
VISITORS_FOR = timedelta(days=1)
# An open entry link makes an account of any address; whoever means it signs in at once.
UNUSED_FOR = timedelta(days=30)
ROWS_A_SLICE = 300


def sign_ins_clear(*, now: datetime) -> int:
    """Delete expired sessions, and those of visitors unused for a day, with their codes. Return how many.

    Accounts that nobody ever signed in to go after a month, unless they are staff's or of a study.
    """
    expired = Session.objects.filter(expire_date__lt=now)
    # Accounts that entry links made of addresses whose owners never came.
    strangers = User.objects.filter(last_login=None, is_staff=False, is_superuser=False)
    strangers = strangers.filter(participations=None, study_roles=None, date_joined__lt=now - UNUSED_FOR)
    over = _delete(expired, expired.values_list("pk", flat=True))
    lifetime = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    unused = Session.objects.filter(expire_date__lt=now + lifetime - VISITORS_FOR)
    visitors = [session.pk for session in unused.iterator() if SESSION_KEY not in session.get_decoded()]
    left = _delete(Session.objects.all(), visitors)
    _delete(strangers, strangers.values_list("pk", flat=True))
    return over + left


def _delete(rows: QuerySet[Any], keys: Iterable[Any]) -> int:
    """Delete those of these rows with these keys, in slices; how many keys they were."""
    number = 0
    for some in slices(keys, ROWS_A_SLICE):
        with one_of_many_writes():
            rows.filter(pk__in=some).delete()
        number += len(some)
    return number
