"""Times and rows of the study team's pages that join several rooms: `{% load console %}`."""

from datetime import datetime

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from console.views.live.incidents import span_words
from console.views.live.words import RowWords
from operations.services.deleting import may_delete
from presentation.moments import moment
from presentation.problems import problem_in_words

register = template.Library()
register.filter("may_delete", may_delete)  # `{% if user|may_delete:row %}`
register.filter("problem_in_words", problem_in_words)  # `{{ problem|problem_in_words }}`
NEAR_SECONDS = 12 * 3600


@register.simple_tag
def span(seconds: float) -> str:
    """`{% span 7560 %}`: how long, in the two largest units: "2 h 6 min", "24 min", "41 s"."""
    return span_words(seconds)


@register.simple_tag
def span_since(moment: datetime, now: datetime) -> str:
    """`{% span_since at now %}`: how long ago."""
    return span((now - moment).total_seconds())


@register.simple_tag
def near_moment(at: datetime, now: datetime) -> SafeString:
    """`{% near_moment at now %}`: as `moment`, but the time of day alone where no other day can be meant."""
    return moment(at, only="clock" if abs((at - now).total_seconds()) <= NEAR_SECONDS else "")


@register.simple_tag
def time_bar(row: RowWords) -> SafeString:
    """`{% time_bar row %}`: how much of a session's time is used; a page's script lets it grow."""
    used = 100 * min(1.0, max(0.0, row.used_seconds / row.total_seconds))
    times = (row.facts.started_at, row.facts.deadline_at) if row.is_running else ()
    return format_html(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" class="{}" data-from="{}" data-to="{}"/></svg>',
        f"{used:.2f}",
        "late" if row.is_late and row.is_running else "",
        *([time.isoformat() for time in times] or ("", "")),
    )


@register.simple_tag(takes_context=True)
def sort_head(context: Context, name: str, label: str, current: str, column: str = "") -> SafeString:
    """`{% sort_head "set" _("Set") sort %}`: the head of a column by which the list can be sorted."""
    query = context["request"].GET.copy()
    query["sort"] = name
    query.pop("page", None)
    sorted_so = mark_safe(' aria-sort="ascending"') if name == current else ""
    return format_html(
        '<th class="{}" scope="col"{}><a href="?{}">{}</a></th>', column, sorted_so, query.urlencode(), label
    )
