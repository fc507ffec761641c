"""Sign-ins that are over: the stored sessions of browsers, of people and of visitors alike."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session

# Longer than any sign-in code is valid; a visitor's session holds one, and an address.
VISITORS_FOR = timedelta(days=1)


def sign_ins_clear(*, now: datetime) -> int:
    """Delete expired sessions, and those of visitors unused for a day, with their codes. Return how many."""
    over, _rows = Session.objects.filter(expire_date__lt=now).delete()
    lifetime = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    unused = Session.objects.filter(expire_date__lt=now + lifetime - VISITORS_FOR)
    visitors = [one.pk for one in unused.iterator() if SESSION_KEY not in one.get_decoded()]
    left, _rows = Session.objects.filter(pk__in=visitors).delete()
    return over + left
