"""The rail, icons and bars of the study team's pages: `{% load console %}`."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.db.models import QuerySet
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from console.rail import ICONS, SITE, STUDY, Entry, Group
from studies.models import Study, User
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights, studies_of_staff
from studies.views.access import rights_here

register = template.Library()
Rights = frozenset[Can] | frozenset[SiteCan]
STUDIES_TO_SWITCH_TO = 20


@register.inclusion_tag("console/_rail.html", takes_context=True)
def rail(context: Context) -> dict[str, Any]:
    """`{% rail %}`: the pages of the study in the context, or of the site where there is none, as far as the
    person may open them.
    """
    request, study = context["request"], context.get("study")
    here = request.resolver_match.url_name or ""
    rights: Rights = rights_here(request) if study else site_rights(request.user)
    return {
        "groups": _groups(STUDY if study else SITE, study, here, rights),
        "study": study,
        "other_studies": _other_studies(request.user, study) if study else (),
        "request": request,
        "user": request.user,
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


def _other_studies(user: User, study: Study) -> QuerySet[Study]:
    """The newest of the studies the person can go to from this one."""
    return studies_of_staff(user).exclude(pk=study.pk).order_by("-created_at", "-id")[:STUDIES_TO_SWITCH_TO]


def _groups(
    groups: tuple[Group, ...], study: Study | None, here: str, rights: Rights
) -> list[dict[str, Any]]:
    arguments = [study.slug] if study else []
    shown = []
    for group in groups:
        entries = [_entry(entry, arguments, here) for entry in group.entries if entry.can in rights]
        if any(entries):
            shown.append({"label": group.label, "entries": [entry for entry in entries if entry]})
    return shown


def _entry(entry: Entry, arguments: list[str], here: str) -> dict[str, Any] | None:
    try:
        address = reverse(entry.page, args=arguments)
    except NoReverseMatch:
        return None
    return {
        "label": entry.label,
        "address": address,
        "path": ICONS[entry.icon],
        "is_here": entry.holds(here),
        "waits": entry.waits,
    }
