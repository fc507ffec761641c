"""The frame of the study team's pages, and what rooms above add to a page: `{% load frame %}`."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.template import Context, Engine
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from presentation.provided import provided
from presentation.rail import ICONS, SITE_RAIL, STUDY_RAIL, PageFacts

register = template.Library()
register.simple_tag(provided)


@register.simple_block_tag(takes_context=True)
def listing(context: Context, content: str, **facts: object) -> SafeString:
    """`{% listing label=_("Banks") pages=_("Pages of banks") %}`, rows, `{% endlisting %}`: a list around its
    rows, as presentation/_listing.html draws it.
    """
    template = Engine.get_default().get_template("presentation/_listing.html")
    with context.push(**{"label": "", "labelled_by": "", "look": "", "pages": "", "rows": content, **facts}):
        return template.render(context)


@register.inclusion_tag("presentation/_rail.html", takes_context=True)
def rail(context: Context, facts: PageFacts) -> dict[str, Any]:
    """`{% rail every_page %}`: the pages of the study in the context, or of the site where there is none, as
    far as the person may open them.
    """
    request, study = context["request"], context.get("study")
    here = request.resolver_match.url_name or ""
    arguments = [study.slug] if study else []
    groups = [
        {"label": group.label, "entries": group.links(arguments, here, facts)}
        for group in (STUDY_RAIL if study else SITE_RAIL)
    ]
    return {
        "groups": [group for group in groups if group["entries"]],
        "study": study,
        "facts": facts,
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
