"""The time bar, notices and the workspace's addresses, for templates: `{% load batches %}`."""

from django import template
from django.forms.boundfield import BoundField, BoundWidget
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse

from batches.selectors.notices import Notice, audience_sizes, notices_for
from batches.selectors.sessions import session_in_study
from batches.views.sessions import clock_context
from studies.models import Audience, Study
from studies.services.clock import server_now

DISMISSED_COOKIE = "chiron_dismissed"  # static/studies/notices.js writes it
# In a session, in practice.
ADDRESSES = {
    "prompt": ("session_prompt", "study_practice"),
    "save": ("api-1:save_answer", "api-1:save_practice"),
    "flag": ("api-1:flag_answer", "api-1:flag_practice"),
    "time": ("api-1:session_time", "api-1:practice_time"),
}

register = template.Library()


@register.inclusion_tag("batches/_running_time.html")
def running_time(request: HttpRequest, study: Study) -> dict[str, object]:
    """`{% running_time request study %}`: the time bar while a session of this person runs, else nothing."""
    session = session_in_study(request.user.pk, study) if request.user.pk else None
    now = server_now()
    return clock_context(session, now) if session and session.is_running(now) else {}


@register.simple_tag
def notices(request: HttpRequest, study: Study) -> list[Notice]:
    """`{% notices request study as shown %}`: what this person is told and has not put away here."""
    put_away = request.COOKIES.get(DISMISSED_COOKIE, "").split(".")
    told = (
        notices_for(user_id=request.user.pk, study_slug=study.slug, now=server_now())
        if request.user.pk
        else None
    )
    return [notice for notice in told or [] if notice.key not in put_away]


@register.simple_tag
def sized_audiences(field: BoundField, study: Study) -> list[tuple[BoundWidget, int]]:
    """`{% sized_audiences form.audience study as options %}`: each choice and how many people it reaches."""
    sizes = audience_sizes(study)
    return [(option, sizes[Audience(option.data["value"])]) for option in field]


@register.simple_tag(takes_context=True)
def workspace_url(context: Context, what: str, *position: int) -> str:
    """`{% workspace_url "prompt" 1 %}`; expects `session`, in practice `is_practice` and `study`."""
    in_session, in_practice = ADDRESSES[what]
    if context.get("is_practice"):
        return reverse(in_practice, args=[context["study"].slug, *position])
    return reverse(in_session, args=[context["session"].pk, *position])
