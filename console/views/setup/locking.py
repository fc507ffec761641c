"""Locking a study: what differs from the pilot, what cannot change later, and what comes after."""

import json
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from batches.views.wording import duration_words
from console.forms.protocol import CloseForm, ProtocolFileForm
from console.forms.steps import STEP_FORMS
from console.selectors.consequences import Facts
from console.services.locking import LockRefused, require_lockable, require_seen, study_lock_ready
from console.views.setup.protocol_rows import left_to_do, protocol_rows, protocol_texts
from console.views.setup.steps import setup_context
from presentation.problems import problem_in_words
from studies.models import Study
from studies.protocol.settings import ProtocolRefused
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.drafts import ROW, draft_sha256, draft_take_over
from studies.services.refusals import Refused
from studies.services.studies import study_close
from studies.views.access import signed_in, study_page

ALL_NAMES = tuple(dict.fromkeys([*ROW, *(name for form in STEP_FORMS.values() for name in form.names())]))


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_lock(request: HttpRequest, study: Study) -> HttpResponse:
    """What of the protocol differs from the pilot's, and the rest; of a draft with the lock."""
    return _lock_page(request, study)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_lock_confirm(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask once more, then lock the study."""
    if request.method != "POST":  # somebody reloads where a refusal came back
        return redirect("staff_lock", slug=study.slug)
    seen, now = request.POST.get("seen", ""), server_now()
    try:
        if request.POST.get("confirmed") != "yes":
            raise LockRefused(_("It is not locked: tick what it means first."))
        if request.POST.get("again") != "yes":
            require_lockable(study, now)
            require_seen(study, ALL_NAMES, seen)
            return render(request, "console/setup/lock_again.html", _lock_context(study, now))
        study_lock_ready(study=study, names=ALL_NAMES, seen=seen, now=now, actor=signed_in(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return _lock_page(request, study, status=422)
    messages.success(
        request,
        _("The study is locked. Simulated people can answer now.")
        if study.is_simulated
        else _("The study is locked. People can be invited and may start now."),
    )
    return redirect("staff_study", slug=study.slug)


def _lock_page(request: HttpRequest, study: Study, status: int = 200) -> HttpResponse:
    return render(request, "console/setup/lock.html", _lock_context(study, server_now()), status=status)


def _lock_context(study: Study, now: datetime) -> dict[str, Any]:
    context = setup_context(study, "lock", now)
    facts = Facts(study, context["prompts"], context["ready"].judging)
    rows = protocol_rows(facts)
    return context | {
        "differing": [row for row in rows if row.differs],
        "same": [row for row in rows if not row.differs],
        "number": len(rows),
        "texts": protocol_texts(study),
        "facts": facts,
        "hours": facts.people * study.protocol.time_budget_minutes / 60,
        "each": duration_words(60 * study.protocol.time_budget_minutes),
        "seen": draft_sha256(study, ALL_NAMES),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_setup_close(request: HttpRequest, study: Study) -> HttpResponse:
    """Close the study with a reason; what remains to do is said before and after."""
    form = CloseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            study_close(
                study=study, reason=form.cleaned_data["reason"], now=server_now(), actor=signed_in(request)
            )
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The study is closed. Running sessions keep their deadlines."))
            return redirect("staff_setup_close", slug=study.slug)
    context = {"study": study, "form": form, "left": left_to_do(study)}
    return render(request, "console/setup/close.html", context, status=422 if form.errors else 200)


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_setup_file(request: HttpRequest, study: Study) -> HttpResponse:
    """The settings as a JSON file, which the import and the commands take."""
    content = json.dumps(study.protocol.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(content, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-protocol.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_setup_import(request: HttpRequest, study: Study) -> HttpResponse:
    """Take settings from a JSON file into a draft; what the file leaves out stays as it is."""
    form = ProtocolFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            draft_take_over(
                study=study, settings=form.cleaned_data["file"], now=server_now(), actor=signed_in(request)
            )
        except ProtocolRefused as refusal:
            for sentence in refusal.sentences:
                form.add_error("file", problem_in_words(sentence))
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The settings of the file are taken over. Look at each step."))
            return redirect("staff_lock", slug=study.slug)
    context = {"study": study, "form": form}
    return render(request, "console/setup/import.html", context, status=422 if form.errors else 200)
