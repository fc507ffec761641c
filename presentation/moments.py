"""A moment on a page."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import available_timezones

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name, localtime
from django.utils.translation import gettext as _

UTC_ZONE = "UTC"


def moment(at: datetime, *, only: str = "", note: str = "") -> SafeString:
    """`{% moment at %}`: a time, by a page's script in the viewer's zone, and UTC in the tooltip, with a
    `note`. `only` is "day", "clock" or "seconds": the day, the time of day, or that to the second.
    """
    shapes = {"day": _("j F Y"), "clock": "H:i", "seconds": "H:i:s"}
    text, zone = date_format(localtime(at), shapes.get(only, _("j F Y, H:i"))), get_current_timezone_name()
    return format_html(
        '<time datetime="{}" data-local="{}" title="{} UTC{}">{}</time>',
        at.isoformat(),
        only or "only",
        at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
        f", {note}" if note else "",
        text if only == "day" else f"{text} {zone}",
    )


def moment_text(at: datetime, seconds: bool = False) -> str:
    """The same where no script runs, as in a mail: in the zone of who reads it, by name, and in UTC."""
    shape = _("j F Y, H:i:s") if seconds else _("j F Y, H:i")
    local, universal, zone = localtime(at), at.astimezone(UTC), get_current_timezone_name()
    if zone == UTC_ZONE:
        return f"{date_format(universal, shape)} UTC"
    same_day = "H:i:s" if seconds else "H:i"
    beside = date_format(universal, same_day if local.date() == universal.date() else shape)
    return f"{date_format(local, shape)} {zone} ({beside} UTC)"


def day_text(at: datetime) -> str:
    """The day it is then where it is read."""
    return date_format(localtime(at), _("j F Y"))


def known_zone(zone: str) -> str:
    """The zone, or UTC where nobody knows it."""
    return zone if zone in _zones() else UTC_ZONE


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
