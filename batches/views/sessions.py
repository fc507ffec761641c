"""A session as a whole: whose it is, the list of prompts, the declared resources, handing in, the receipt.

For who may see all other pages see `studies.views.access`.
"""

import uuid
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from batches.forms import ResourcesForm
from batches.models import Session
from batches.rules.statuses import AnswerState, SessionStatus
from batches.selectors.sessions import answer_places, session_for_user
from batches.services.ending import SessionOver, resources_record, session_submit
from batches.services.entering import way_back
from batches.views import wording
from studies.services.clock import server_now
from studies.views.access import fresh_and_private, signed_in, site_url_of

P = ParamSpec("P")
UNANSWERED = frozenset({AnswerState.BLANK, AnswerState.SKIPPED, AnswerState.NOT_REACHED})


def for_owner(
    view: Callable[Concatenate[HttpRequest, Session, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Give the view the person's own session; 404 for everybody else, staff and visitors included.

    The 404 page offers visitors to sign in, after which the address opens again.
    """

    @wraps(view)
    def guarded(
        request: HttpRequest, session_id: uuid.UUID, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        session = session_for_user(signed_in(request), session_id)
        if session is None:
            raise Http404("no such session of this person")
        return view(request, session, *args, **kwargs)

    return fresh_and_private(guarded)


@require_safe
@for_owner
def overview(request: HttpRequest, session: Session) -> HttpResponse:
    """All prompts of a running session with the state of each answer."""
    now = server_now()
    if not session.is_running(now):
        return redirect("session_receipt", session.pk)
    return render(request, "batches/overview.html", session_context(session, now))


@require_http_methods(["GET", "HEAD", "POST"])
@for_owner
def submit(request: HttpRequest, session: Session) -> HttpResponse:
    """The review page: what is empty, what was used, and the button that hands in.

    Handing in with questions that have no answer is asked about once.
    """
    now = server_now()
    running = session.is_running(now)
    form = ResourcesForm(session, request.POST if request.method == "POST" else None)
    context = session_context(session, now) | {"form": form, "is_asked": "unanswered" in request.POST}
    # While there is time, an incomplete form is shown again. At the very end the batch matters more: it is
    # handed in without the declaration, which the receipt asks for.
    is_sent = form.is_bound and (form.is_valid() or not running)
    if is_sent and running and context["unanswered"] and not context["is_asked"]:
        return render(request, "batches/submit.html", context | {"is_asked": True, "asks": True})
    if is_sent:
        declared = form.declared if form.is_valid() else None
        try:
            session_submit(session=session, resources=declared, now=now, site_url=site_url_of(request))
        except SessionOver as refusal:
            messages.warning(request, str(refusal))
        return redirect("session_receipt", session.pk)
    if not running:
        return redirect("session_receipt", session.pk)
    return render(request, "batches/submit.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_owner
def resources(request: HttpRequest, session: Session) -> HttpResponse:
    """Declare resources while working, or after the end where they were not declared in time."""
    now = server_now()
    form = ResourcesForm(session, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            resources_record(session=session, resources=form.declared, now=now)
            messages.success(request, _("Your resources are recorded."))
        except SessionOver as refusal:
            messages.warning(request, str(refusal))
        return redirect("session_overview", session.pk)
    context = {**session_context(session, now), "form": form}
    return render(request, "batches/resources.html", context, status=422 if form.is_bound else 200)


@require_safe
@for_owner
def receipt(request: HttpRequest, session: Session) -> HttpResponse:
    """What was handed in or saved, what of it counts, under which reference, and what happens next."""
    now = server_now()
    if session.is_running(now):
        return redirect("session_overview", session.pk)
    status = session.status_at(now)
    context = session_context(session, now) | {
        "protocol": session.participant.study.protocol,
        "ended": wording.ended_words(session, status),
        "ended_at": session.ended_at or session.deadline_at,
        "asks_resources": session.resources_recorded_at is None and status != SessionStatus.WITHDRAWN,
        "way_back": None
        if status == SessionStatus.WITHDRAWN
        else way_back(session.participant, has_finished=True),
    }
    return render(request, "batches/receipt.html", context)


def session_context(session: Session, now: datetime) -> dict[str, object]:
    """What every page about a session shows."""
    status = session.status_at(now)
    places = [(place, wording.state_at(place.state, status)) for place in answer_places(session)]
    states = [state for _place, state in places]
    return clock_context(session, now) | {
        "study": session.participant.study,
        "now": now,
        "status": status,
        "places": [(place, wording.STATE_WORDS[state]) for place, state in places],
        "counts": wording.state_counts(states),
        "counted": wording.counted_words(states, session.overdue_rule),
        "unanswered": [place for place, state in places if state in UNANSWERED],
        "flagged": [place for place, _state in places if place.is_flagged],
        "at_the_end": wording.OVERDUE_WORDS[session.overdue_rule],
        # What the person of this session reads besides the instructions for everybody.
        "own_instructions": session.participant.study.protocol.arm_instructions(
            session.arm, get_language() or ""
        )
        if session.arm
        else "",
    }


def clock_context(session: Session, now: datetime) -> dict[str, object]:
    """What the time bar shows."""
    seconds_left = session.seconds_left(now)
    return {
        "session": session,
        "device_key": session.pk,
        "seconds_left": seconds_left,
        "total_seconds": int((session.deadline_at - session.started_at).total_seconds()),
        "time_left": wording.duration_words(seconds_left),
        # Warnings about the time say so where saving alone is not enough.
        "must_submit": wording.OVERDUE_WORDS[session.overdue_rule]
        if session.overdue_rule == "submitted_only"
        else "",
    }
