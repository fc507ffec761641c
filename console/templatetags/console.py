"""The rail, icons and bars of the study team's pages: `{% load console %}`."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from console.rail import ICONS, SITE, STUDY, Entry, Group
from console.selectors.counting import RailFacts, rail_facts, site_rail_facts
from console.selectors.states import StudyState, day_of
from console.views.live.incidents import span_words
from console.views.live.words import RowWords
from operations.services.deleting import may_delete
from presentation.moments import moment
from presentation.problems import problem_in_words
from studies.models import Study
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights, studies_of_staff
from studies.services.clock import server_now
from studies.views.access import rights_here

register = template.Library()
register.filter("may_delete", may_delete)  # `{% if user|may_delete:row %}`
register.filter("problem_in_words", problem_in_words)  # `{{ problem|problem_in_words }}`
Rights = frozenset[Can] | frozenset[SiteCan]
NEAR_SECONDS = 12 * 3600


@register.simple_tag(takes_context=True)
def page_facts(context: Context) -> RailFacts:
    """`{% page_facts as every_page %}`: what stands on every page of the context's study, or of the site."""
    request, study = context["request"], context.get("study")
    if study is None:
        return site_rail_facts()
    return rail_facts(study, studies_of_staff(request.user), server_now())


@register.inclusion_tag("console/_rail.html", takes_context=True)
def rail(context: Context, facts: RailFacts) -> dict[str, Any]:
    """`{% rail every_page %}`: the pages of the study in the context, or of the site where there is none, as
    far as the person may open them.
    """
    request, study = context["request"], context.get("study")
    here = request.resolver_match.url_name or ""
    rights: Rights = rights_here(request) if study else site_rights(request.user)
    now = server_now()
    return {
        "groups": _groups(STUDY if study else SITE, study, here, rights, facts.counts),
        "study": study,
        "other_studies": facts.others,
        "state": facts.state,
        "day": day_of(study, now) if study and facts.state == StudyState.RUNNING else None,
        "request": request,
        "user": request.user,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag
def icon(name: str) -> SafeString:
    """`{% icon "plus" %}`: a line drawing beside words that say the same."""
    return format_html(
        '<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>', ICONS[name]
    )


@register.simple_tag
def bar(total: float, *parts: object) -> SafeString:
    """`{% bar 20 7 "" 3 "pale" %}`: parts of a total, each a number and a class, as a bar without words.

    What it shows is said in words beside it. A total of nothing is an empty bar.
    """
    amounts = [max(0.0, float(str(amount or 0))) for amount in parts[::2]]
    whole = max(float(total or 0), sum(amounts)) or 1.0
    starts = [100 * sum(amounts[:number]) / whole for number in range(len(amounts))]
    drawn: Iterable[tuple[str, str, object]] = (
        (f"{start:.2f}", f"{100 * amount / whole:.2f}", name)
        for start, amount, name in zip(starts, amounts, parts[1::2], strict=True)
    )
    rects = format_html_join("", '<rect x="{}" width="{}" class="{}"/>', drawn)
    return format_html(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{}</svg>', rects
    )


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


def _groups(
    groups: tuple[Group, ...], study: Study | None, here: str, rights: Rights, counts: Mapping[str, int]
) -> list[dict[str, Any]]:
    arguments = [study.slug] if study else []
    shown = []
    for group in groups:
        entries = [
            _entry(entry, arguments, here, counts, rights) for entry in group.entries if entry.can in rights
        ]
        if any(entries):
            shown.append({"label": group.label, "entries": [entry for entry in entries if entry]})
    return shown


def _entry(
    entry: Entry, arguments: list[str], here: str, counts: Mapping[str, int], rights: Rights
) -> dict[str, Any] | None:
    try:
        address = reverse(entry.page, args=arguments)
    except NoReverseMatch:
        return None
    acts = entry.acts is None or entry.acts in rights
    return {
        "label": entry.label,
        "address": address,
        "path": ICONS[entry.icon],
        "is_here": entry.holds(here),
        "waits": bool(entry.waits),
        "count": counts.get(entry.waits or entry.counts) if acts else None,
    }
