"""The clock of a running session, for every page its person may open meanwhile: `{% load time_left %}`."""

from django import template
from django.http import HttpRequest

from batches.selectors.sessions import session_in_study
from batches.services.clock import server_now
from batches.views.sessions import clock_context
from studies.models import Study

register = template.Library()


@register.inclusion_tag("batches/_running_time.html")
def running_time(request: HttpRequest, study: Study) -> dict[str, object]:
    """`{% running_time request study %}`: the time bar while a session of this person runs, else nothing."""
    session = session_in_study(request.user.pk, study) if request.user.pk else None
    now = server_now()
    return clock_context(session, now) if session and session.is_running(now) else {}
