"""A moment on a page."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def moment(at: datetime, *, only: str = "", note: str = "") -> SafeString:
    """`{% moment at %}`: a time, by a page's script in the viewer's zone, and UTC in the tooltip, with a
    `note`. `only` is "day", "clock" or "seconds": the day, the time of day, or that to the second.
    """
    shapes = {"day": _("j F Y"), "clock": "H:i", "seconds": "H:i:s"}
    text = date_format(at, shapes[only]) if only else moment_text(at)
    return format_html(
        '<time datetime="{}" data-local="{}" title="{} UTC{}">{}</time>',
        at.isoformat(),
        only or "only",
        at.strftime("%Y-%m-%d %H:%M:%S"),
        f", {note}" if note else "",
        text if only in ("", "day") else f"{text} UTC",
    )


def moment_text(at: datetime) -> str:
    """The same where no script runs, as in a mail: in UTC, and saying so."""
    return f"{date_format(at, _('j F Y, H:i'))} UTC"
