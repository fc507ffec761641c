"""Words for single verdicts: `{% load verdicts %}`."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judging.views.reason_texts import reason_text

register = template.Library()
WHOLE = "ok"


@register.filter
def reply_words(outcome: str) -> SafeString:
    """`{{ reply.outcome|reply_words }}`: how a call came out, its code in the tooltip."""
    words = _("A usable reply") if outcome == WHOLE else reason_text(outcome)
    return format_html('<span title="{}">{}</span>', outcome, words)
