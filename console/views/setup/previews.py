"""The participant's own pages with the texts of a draft, in a frame on the page where they are written."""

from copy import copy
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods

from batches.rules.deadlines import deadline
from batches.rules.statuses import AnswerState, SessionStatus
from batches.views.wording import (
    ENDED_WORDS,
    OVERDUE_WORDS,
    STATE_WORDS,
    counted_words,
    duration_words,
    state_counts,
)
from console.forms.steps import STEP_FORMS
from studies.models import Prompt, Study, StudyStatus
from studies.protocol.consents import recorded_items
from studies.protocol.settings import ProtocolRefused, ProtocolSettings, read_settings
from studies.roles import Can
from studies.selectors.banks import questions_in_set
from studies.selectors.private_questions import of_public
from studies.selectors.told import recorded_sentences, told_lines
from studies.services.clock import server_now
from studies.views.access import study_page

TEMPLATES = {
    "consent": "studies/consent.html",
    "instructions": "batches/instructions.html",
    "start": "batches/start.html",
    "receipt": "batches/receipt.html",
}
BASE = "console/setup/preview_base.html"


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})
@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SEE_PROTOCOL)
def staff_setup_preview(request: HttpRequest, study: Study, page: str) -> HttpResponse:
    """A page as participants see it; POST shows what is written in a form and not saved yet."""
    if page not in TEMPLATES:
        raise Http404
    settings = _written(request, study) if request.method == "POST" else study.protocol
    if settings is None:
        return render(request, "console/setup/preview_refused.html")
    # What a participant reads after the lock, without changing the study's row.
    locked = copy(study)
    locked.settings, locked.status = settings.model_dump(mode="json"), StudyStatus.FROZEN
    context = _context(locked, settings, page, server_now()) | {"page_base": BASE}
    return render(request, TEMPLATES[page], context)


def _written(request: HttpRequest, study: Study) -> ProtocolSettings | None:
    """The settings with what the form of a step holds; None where it cannot be used."""
    kind = STEP_FORMS.get(request.POST.get("step", ""))
    if kind is None:
        return study.protocol
    form = kind(study, request.POST)
    if not form.is_valid():
        return None
    try:
        return read_settings({**study.all_settings, **form.settings()})
    except ProtocolRefused:
        return None


def _context(study: Study, settings: ProtocolSettings, page: str, now: datetime) -> dict[str, Any]:
    """What the participant's view gives the page, for somebody who has just been admitted."""
    common = {"study": study, "protocol": settings, "at_the_end": OVERDUE_WORDS[settings.overdue_rule]}
    if page == "consent":
        recorded = recorded_sentences(recorded_items(settings))
        participant = SimpleNamespace(vetting_status="approved", code="P-000")
        lines = told_lines(study, settings)
        return common | {
            "participant": participant, "told": lines, "recorded": recorded,
        }  # fmt: skip
    if page == "receipt":
        return common | _receipt(study, settings, now)
    budget = timedelta(minutes=settings.time_budget_minutes)
    ends_at = deadline(started_at=now, budget=budget, closes_at=study.closes_at)
    return common | {
        "budget": duration_words(int(budget.total_seconds())),
        "ends_at": ends_at,
        "shortened": ends_at < now + budget,
        "in_set": questions_in_set(study),
        "own_instructions": settings.arms[0].instructions if settings.arms else "",
        "may_practise": True,
        "path": SimpleNamespace(current=None),
    }


def _receipt(study: Study, settings: ProtocolSettings, now: datetime) -> dict[str, Any]:
    """Of somebody who has just handed in answers to a set."""
    prompts = Prompt.objects.filter(of_public(), version=study.bank_version_id).only("label")
    prompts = prompts[: settings.batch_size]
    words = STATE_WORDS[AnswerState.ANSWERED]
    states = [AnswerState.ANSWERED] * len(prompts)
    started_at = now - timedelta(minutes=settings.time_budget_minutes) / 2
    session = SimpleNamespace(
        pk="00000000-0000-0000-0000-000000000000",
        reference="R-000000",
        started_at=started_at,
        deadline_at=started_at + timedelta(minutes=settings.time_budget_minutes),
    )
    return {
        "session": session,
        "status": SessionStatus.SUBMITTED,
        "ended": ENDED_WORDS[SessionStatus.SUBMITTED],
        "ended_at": now,
        "places": [(SimpleNamespace(prompt=prompt), words) for prompt in prompts],
        "counts": state_counts(states),
        "counted": counted_words(states, settings.overdue_rule),
    }
