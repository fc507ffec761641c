"""What stands on every page of a participant in a study: notices of its team, and the time that is left."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from batches.selectors.notices import Notice, notices_for
from batches.selectors.sessions import session_in_study
from batches.views.sessions import clock_context
from studies.models import Study
from studies.services.clock import server_now

DISMISSED_COOKIE = "chiron_dismissed"  # static/studies/notices.js writes it


def notices(request: HttpRequest, study: Study) -> list[Notice]:
    """What this person is told and has not put away here."""
    if not request.user.pk:
        return []
    put_away = request.COOKIES.get(DISMISSED_COOKIE, "").split(".")
    every = notices_for(user_id=request.user.pk, study_slug=study.slug, now=server_now())
    return [notice for notice in every or [] if notice.key not in put_away]


def running_time(request: HttpRequest, study: Study) -> str:
    """The time bar while a session of this person runs."""
    session = session_in_study(request.user.pk, study) if request.user.pk else None
    now = server_now()
    context = clock_context(session, now) if session and session.is_running(now) else {}
    return render_to_string("batches/_running_time.html", context)
