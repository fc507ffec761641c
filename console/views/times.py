"""How the study team's pages write a time."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def moment(at: datetime) -> SafeString:
    """A time, by a page's script in the viewer's zone, and UTC in the tooltip: `{% moment at %}`."""
    return format_html(
        '<time datetime="{}" data-local="only" title="{} UTC">{} UTC</time>',
        at.isoformat(),
        at.strftime("%Y-%m-%d %H:%M:%S"),
        date_format(at, _("j F Y, H:i")),
    )
