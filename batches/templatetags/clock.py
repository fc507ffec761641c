"""The server's clock on staff pages and that of a running session on its person's: `{% load clock %}`."""

from django import template
from django.http import HttpRequest

from batches.models import ClockWatch
from batches.selectors.sessions import session_in_study
from batches.services.clock import server_now
from batches.views.sessions import clock_context
from studies.models import Study

register = template.Library()


@register.simple_tag
def clock_is_held() -> bool:
    """`{% clock_is_held as held %}`: whether nothing ends because the clock jumped."""
    return ClockWatch.objects.exclude(held_since=None).exists()


@register.inclusion_tag("batches/_running_time.html")
def running_time(request: HttpRequest, study: Study) -> dict[str, object]:
    """`{% running_time request study %}`: the time bar while a session of this person runs, else nothing."""
    session = session_in_study(request.user.pk, study) if request.user.pk else None
    now = server_now()
    return clock_context(session, now) if session and session.is_running(now) else {}
