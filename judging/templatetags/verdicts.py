"""Words for single verdicts and groups of people: `{% load verdicts %}`."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judging.views.reason_texts import reason_text
from scoring.models import ResultGroup

register = template.Library()
WHOLE = "ok"
# `{{ estimate.group|group_label }}`: Average or Top in full.
register.filter("group_label", lambda group: ResultGroup(group).label)


@register.filter
def reply_words(outcome: str) -> SafeString:
    """`{{ reply.outcome|reply_words }}`: how a call came out, its code in the tooltip."""
    words = _("A usable reply") if outcome == WHOLE else reason_text(outcome)
    return format_html('<span title="{}">{}</span>', outcome, words)
