"""A session as a whole: the list of prompts, the declared resources, handing in, the receipt."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from batches.forms.resources import ResourcesForm
from batches.models import Session
from batches.rules.statuses import AnswerState, SessionStatus
from batches.selectors.sessions import answer_places
from batches.services.ending import SessionOver, resources_record, session_submit
from batches.views.access import for_owner
from batches.views.wording import ENDED_WORDS, OVERDUE_WORDS, STATE_WORDS, duration_words, state_counts


@require_safe
@for_owner
def overview(request: HttpRequest, session: Session) -> HttpResponse:
    """All prompts of a running session with the state of each answer."""
    now = timezone.now()
    if not session.is_running(now):
        return redirect("session_receipt", session.pk)
    return render(request, "batches/overview.html", session_context(session, now))


@require_http_methods(["GET", "HEAD", "POST"])
@for_owner
def submit(request: HttpRequest, session: Session) -> HttpResponse:
    """The review page: what is empty, what was used, and the button that hands in."""
    now = timezone.now()
    running = session.is_running(now)
    form = ResourcesForm(session, request.POST if request.method == "POST" else None)
    # While there is time, an incomplete form is shown again. At the very end the batch matters more: it is
    # handed in without the declaration, which the receipt asks for.
    if form.is_bound and (form.is_valid() or not running):
        declared = form.declared if form.is_valid() else None
        try:
            session_submit(session=session, resources=declared, now=now)
        except SessionOver as refusal:
            messages.warning(request, str(refusal))
        return redirect("session_receipt", session.pk)
    if not running:
        return redirect("session_receipt", session.pk)
    context = {**session_context(session, now), "form": form}
    return render(request, "batches/submit.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_owner
def resources(request: HttpRequest, session: Session) -> HttpResponse:
    """Declare resources while working, or after the end where they were not declared in time."""
    now = timezone.now()
    form = ResourcesForm(session, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            resources_record(session=session, resources=form.declared, now=now)
            messages.success(request, "Your resources are recorded.")
        except SessionOver as refusal:
            messages.warning(request, str(refusal))
        return redirect("session_overview", session.pk)
    context = {**session_context(session, now), "form": form}
    return render(request, "batches/resources.html", context, status=422 if form.is_bound else 200)


@require_safe
@for_owner
def receipt(request: HttpRequest, session: Session) -> HttpResponse:
    """What was handed in or saved, when, under which reference, and what happens next."""
    now = timezone.now()
    if session.is_running(now):
        return redirect("session_overview", session.pk)
    context = session_context(session, now)
    context |= {
        "ended": ENDED_WORDS[session.status_at(now)],
        "ended_at": session.ended_at or session.deadline_at,
        "asks_resources": session.resources_recorded_at is None and session.status != SessionStatus.WITHDRAWN,
    }
    return render(request, "batches/receipt.html", context)


def session_context(session: Session, now: datetime) -> dict[str, object]:
    """What every page about a session shows."""
    places = answer_places(session)
    seconds_left = session.seconds_left(now)
    status = session.status_at(now)
    return {
        "session": session,
        "study": session.participant.study,
        "now": now,
        "seconds_left": seconds_left,
        "time_left": duration_words(seconds_left),
        "status": status,
        "places": [(place, STATE_WORDS[place.state]) for place in places],
        "counts": state_counts(places),
        "unanswered": [place for place in places if place.state in UNANSWERED],
        "at_the_end": OVERDUE_WORDS[session.overdue_rule],
    }


UNANSWERED = frozenset({AnswerState.BLANK, AnswerState.SKIPPED, AnswerState.NOT_REACHED})
