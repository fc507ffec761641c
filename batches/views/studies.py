"""A person's place in a study: the way through it, its instructions, starting the clock, writing to the team,
taking away what is stored, and leaving.
"""

import tempfile
from datetime import datetime, timedelta

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils.translation import get_language, gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from batches.forms import WithdrawForm
from batches.models import Session
from batches.rules.deadlines import deadline
from batches.rules.path import StepKind
from batches.rules.statuses import SessionStatus
from batches.selectors.deletion import withdrawal_of
from batches.selectors.sessions import label_at, session_of
from batches.services import starting
from batches.services.ending import AlreadyWithdrawn, session_withdraw
from batches.services.entering import way_back
from batches.services.own_data import own_data_write
from batches.views.path import path_of, remember_reading
from batches.views.sessions import clock_context
from batches.views.wording import OVERDUE_WORDS, duration_words
from studies.forms.people import HelpForm, page_shown
from studies.models import Participant
from studies.selectors.banks import questions_in_set
from studies.selectors.contact import thread_of
from studies.services.clock import server_now
from studies.services.people.messages import message_send
from studies.services.refusals import Refused
from studies.views.access import for_participant

IN_MEMORY = 1024 * 1024


# `no_store`, here and at the start: a browser that goes back asks again, and is led to the running session.
@cache_control(no_store=True)
@require_safe
@for_participant
def study_home(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Where the person is in the study, and the one next step. Looking starts nothing."""
    now = server_now()
    path = path_of(participant, request, now)
    context = {
        "participant": participant,
        "study": participant.study,
        "path": path,
        "way_back": way_back(participant, has_finished=False) if path.is_rejected else None,
    }
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
            # With the instructions of the arm that the person would get.
            place = starting.place_to_show(participant=participant, now=now)
            own = participant.study.protocol.arm_instructions(place.arm, get_language() or "")
            context = {"own_instructions": own, "in_set": questions_in_set(participant.study)}
            return render(request, "batches/start.html", _promises(participant, now) | context)
        session = starting.session_start(
            participant=participant, now=now, shown_arm=starting.arm_shown(participant)
        )
    except starting.AlreadyStarted as refusal:
        return redirect("session_overview", refusal.session.pk)
    except starting.OtherInstructions as refusal:
        messages.warning(request, str(refusal))
        return redirect("session_start", participant.study.slug)
    except starting.StartRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("study_home", participant.study.slug)
    return redirect("session_overview", session.pk)


def _promises(participant: Participant, now: datetime) -> dict[str, object]:
    """What holds for this person. The deadline is the one a start at this moment would get."""
    study = participant.study
    protocol = study.protocol
    budget = starting.budget_of(participant)
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


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_help(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The conversation with the team; POST adds a message to it. A running session goes on meanwhile."""
    now = server_now()
    form = (
        HelpForm(request.POST)
        if request.method == "POST"
        else HelpForm(initial={"page": page_shown(request.GET.get("page", ""))})
    )
    session = session_of(participant)
    reference = session.reference if session else ""
    label = _prompt_label(form["page"].value() or "", session)
    if form.is_valid() and _sent(form, participant, reference, label, now):
        messages.success(
            request, _("Your message is sent. The study team's reply appears here and on your other pages.")
        )
        return redirect("study_help", participant.study.slug)
    context = {
        "study": participant.study,
        "participant": participant,
        "form": form,
        "page": form["page"].value() or "",
        "label": label,
        "reference": reference,
        "thread": thread_of(participant),
        "protocol": participant.study.protocol,
    }
    if session is not None and session.is_running(now):
        context |= clock_context(session, now) | {"status": SessionStatus.ACTIVE, "session_is_running": True}
    return render(request, "batches/help.html", context, status=422 if form.is_bound else 200)


def _prompt_label(page: str, session: Session | None) -> str:
    """The label of the prompt that a page of the person's own session shows; blank for other pages."""
    try:
        found = resolve(page_shown(page).partition("?")[0])
    except Resolver404:
        return ""
    if session is None or found.url_name != "session_prompt" or found.kwargs["session_id"] != session.pk:
        return ""
    return label_at(session, found.kwargs["position"])


def _sent(form: HelpForm, participant: Participant, reference: str, label: str, now: datetime) -> bool:
    """Whether the message went out; the form says why not."""
    try:
        message_send(
            participant=participant,
            text=form.cleaned_data["text"],
            page=form.cleaned_data["page"],
            prompt_label=label,
            session_reference=reference,
            now=now,
        )
    except Refused as refusal:
        form.add_error("text", str(refusal))
        return False
    return True


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_data(request: HttpRequest, participant: Participant) -> HttpResponseBase:
    """GET says what there is; POST downloads it, and is recorded."""
    if request.method != "POST":
        context = {
            "study": participant.study,
            "participant": participant,
            "withdrawal": withdrawal_of(participant),
        }
        return render(request, "batches/own_data.html", context)
    # The response closes it, and with that it is gone.
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    own_data_write(participant=participant, file=file, now=server_now())
    file.seek(0)
    name = f"{participant.study.slug}-{participant.code}.zip"
    response = FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
    response["Cache-Control"] = "private, no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def withdraw(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Self-service withdrawal with one confirmation; afterwards the page says what is deleted and when."""
    now = server_now()
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            session_withdraw(participant=participant, reason=form.cleaned_data["reason"], now=now)
        except AlreadyWithdrawn as refusal:
            messages.info(request, str(refusal))
        return redirect("study_withdraw", participant.study.slug)
    days = participant.study.protocol.deletion_days
    context = {
        "study": participant.study,
        "participant": participant,
        "form": form,
        "withdrawal": withdrawal_of(participant),
        "days": days,
        "would_delete_at": now + timedelta(days=days),
    }
    return render(request, "batches/withdraw.html", context, status=422 if form.is_bound else 200)
