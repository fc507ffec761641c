"""A person's place in a study: the way through it, its instructions and starting the clock."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from batches.rules.deadlines import deadline
from batches.rules.path import StepKind
from batches.services.clock import server_now
from batches.services.starting import (
    AlreadyStarted,
    OtherInstructions,
    StartRefused,
    arm_shown,
    budget_of,
    place_to_show,
    session_start,
)
from batches.views.path import path_of, remember_reading
from batches.views.wording import OVERDUE_WORDS, duration_words
from studies.models import Participant
from studies.views.access import for_participant


# `no_store`, here and at the start: a browser that goes back asks again, and is led to the running session.
@cache_control(no_store=True)
@require_safe
@for_participant
def study_home(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Where the person is in the study, and the one next step. Looking starts nothing."""
    now = server_now()
    path = path_of(participant, request, now)
    context = {"participant": participant, "study": participant.study, "path": path}
    return render(request, "batches/study_home.html", context)


@require_safe
@for_participant
def instructions(request: HttpRequest, participant: Participant) -> HttpResponse:
    """What holds in this study, and what to practise on. No clock runs here."""
    now = server_now()
    remember_reading(request, participant)
    path = path_of(participant, request, now)
    may_practise = any(row.kind == StepKind.PRACTICE and row.address for row in path.rows)
    context = _promises(participant, now) | {"path": path, "may_practise": may_practise}
    return render(request, "batches/instructions.html", context)


@cache_control(no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def start(request: HttpRequest, participant: Participant) -> HttpResponse:
    """GET says what starting means; only POST starts."""
    now = server_now()
    try:
        if request.method != "POST":
            return _start_page(request, participant, now)
        session = session_start(participant=participant, now=now, shown_arm=arm_shown(participant))
    except AlreadyStarted as refusal:
        return redirect("session_overview", refusal.session.pk)
    except OtherInstructions as refusal:
        messages.warning(request, str(refusal))
        return redirect("session_start", participant.study.slug)
    except StartRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("study_home", participant.study.slug)
    return redirect("session_overview", session.pk)


def _start_page(request: HttpRequest, participant: Participant, now: datetime) -> HttpResponse:
    """What starting means, with the instructions of the arm that the person would get."""
    place = place_to_show(participant=participant, now=now)
    own = participant.study.protocol.arm_instructions(place.arm)
    return render(request, "batches/start.html", _promises(participant, now) | {"own_instructions": own})


def _promises(participant: Participant, now: datetime) -> dict[str, object]:
    """What holds for this person. The deadline is the one a start at this moment would get."""
    study = participant.study
    protocol = study.protocol
    budget = budget_of(participant)
    ends_at = deadline(started_at=now, budget=budget, closes_at=study.closes_at)
    return {
        "study": study,
        "protocol": protocol,
        "budget": duration_words(int(budget.total_seconds())),
        "extra": duration_words(participant.extra_minutes * 60) if participant.extra_minutes else "",
        "ends_at": ends_at,
        "shortened": ends_at < now + budget,
        "at_the_end": OVERDUE_WORDS[protocol.overdue_rule],
    }
