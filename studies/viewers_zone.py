"""Times are in the zone of whoever reads them."""

from collections.abc import Callable
from contextlib import suppress

from django.contrib.auth import SESSION_KEY
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from presentation.moments import known_zone
from studies.models import User
from studies.services.database import short_wait
from studies.services.languages import zone_keep

COOKIE = "chiron_zone"


def in_viewers_zone(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Answer in the zone that the device tells by a cookie, else in UTC; the account keeps it for mails."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        in_cookie = request.COOKIES.get(COOKIE, "")
        zone = known_zone(in_cookie)
        with timezone.override(zone):
            response = get_response(request)
        # As with renewal: pages that did not look at the session stay the same for everybody.
        if zone == in_cookie and request.session.accessed and SESSION_KEY in request.session:
            user = request.user
            if isinstance(user, User) and user.time_zone != zone:
                # A page can be read also where nothing can be written: the next one keeps it.
                with suppress(OperationalError, InterfaceError), short_wait():
                    zone_keep(user=user, zone=zone)
        return response

    return middleware
