"""A person's place in a study: what comes next, starting the clock, withdrawing."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from batches.forms.resources import WithdrawForm
from batches.models import Session
from batches.rules.deadlines import deadline
from batches.selectors.sessions import session_of
from batches.services.ending import AlreadyWithdrawn, session_withdraw
from batches.services.starting import (
    AlreadyStarted,
    ConsentMissing,
    HasWithdrawn,
    StartRefused,
    require_startable,
    session_start,
)
from batches.views.access import for_participant
from batches.views.wording import ENDED_WORDS, OVERDUE_WORDS, duration_words
from studies.models import Participant


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a person can do now: consent, start, continue, finished, withdrawn or wait."""

    kind: str
    sentence: str
    session: Session | None = None


@require_safe
@for_participant
def study_home(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Where the person is in the study, and the one next step. Looking starts nothing."""
    now = timezone.now()
    step = next_step(participant, now)
    left = duration_words(step.session.seconds_left(now)) if step.session else ""
    context = {"participant": participant, "study": participant.study, "step": step, "time_left": left}
    return render(request, "batches/study_home.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def start(request: HttpRequest, participant: Participant) -> HttpResponse:
    """GET says what starting means; only POST starts."""
    now = timezone.now()
    try:
        if request.method != "POST":
            require_startable(participant, now)
            return render(request, "batches/start.html", start_context(participant, now))
        session = session_start(participant=participant, now=now)
    except AlreadyStarted as refusal:
        return redirect("session_overview", refusal.session.pk)
    except StartRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("study_home", participant.study.slug)
    return redirect("session_overview", session.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def withdraw(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Self-service withdrawal with one confirmation."""
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            session_withdraw(participant=participant, reason=form.cleaned_data["reason"], now=timezone.now())
        except AlreadyWithdrawn as refusal:
            messages.info(request, str(refusal))
        return redirect("study_home", participant.study.slug)
    context = {"study": participant.study, "form": form}
    return render(request, "batches/withdraw.html", context, status=422 if form.is_bound else 200)


def next_step(participant: Participant, now: datetime) -> NextStep:
    """What `require_startable` says, as a step with a sentence."""
    try:
        require_startable(participant, now)
    except AlreadyStarted as refusal:
        if refusal.session.is_running(now):
            return NextStep("continue", "Your clock is running.", refusal.session)
        return NextStep("finished", ENDED_WORDS[refusal.session.status_at(now)], refusal.session)
    except HasWithdrawn:
        return NextStep("withdrawn", "You have withdrawn from this study.", session_of(participant))
    except ConsentMissing as refusal:
        return NextStep("consent", str(refusal))
    except StartRefused as refusal:
        return NextStep("wait", str(refusal))
    return NextStep(
        "start", "Everything is ready. Nothing starts until you press the button on the start page."
    )


def start_context(participant: Participant, now: datetime) -> dict[str, object]:
    """What the start page promises. The deadline is the one a start at this moment would get."""
    study = participant.study
    protocol = study.protocol
    budget = timedelta(minutes=protocol.time_budget_minutes)
    ends_at = deadline(started_at=now, budget=budget, closes_at=study.closes_at)
    return {
        "study": study,
        "protocol": protocol,
        "budget": duration_words(protocol.time_budget_minutes * 60),
        "ends_at": ends_at,
        "shortened": ends_at < now + budget,
        "at_the_end": OVERDUE_WORDS[protocol.overdue_rule],
    }
