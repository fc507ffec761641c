"""Reviewing what the off-task rules flagged."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from screening.forms import VerdictForm
from screening.models import VerdictDecision
from screening.offtask.facts import RULES_VERSION
from screening.selectors.participants import flagged_participants
from screening.selectors.screening import screening_cases, screening_queue, screening_summary
from screening.services.verdicts import verdict_record
from studies.models import Participant, Study
from studies.roles import Can
from studies.services.refusals import Refused
from studies.views.access import signed_in, study_page

CASES_PER_PAGE = 10


@study_page(Can.REVIEW)
@require_safe
def staff_screening(request: HttpRequest, study: Study) -> HttpResponse:
    """Flagged participants by code, those without a verdict first."""
    page = Paginator(screening_queue(study), CASES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": page,
        "cases": screening_cases(study, list(page.object_list)),
        "summary": screening_summary(study, RULES_VERSION),
        "decisions": VerdictDecision,
    }
    return render(request, "screening/screening.html", context)


@study_page(Can.REVIEW)
@require_POST
def staff_verdict(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Record one decision and return to the list."""
    participant = flagged_participants(study).filter(code=code).first()
    if participant is None:
        raise Http404
    form = VerdictForm(request.POST)
    if form.is_valid():
        _decide(request, participant, form)
    for errors in form.errors.values():
        for error in errors:
            messages.error(request, f"{code}: {error}")
    return redirect("staff_screening", slug=study.slug)


def _decide(request: HttpRequest, participant: Participant, form: VerdictForm) -> None:
    try:
        verdict = verdict_record(
            participant=participant,
            decision=VerdictDecision(form.cleaned_data["decision"]),
            reason=form.cleaned_data["reason"],
            actor=signed_in(request),
            now=timezone.now(),
            seen_verdict_id=form.cleaned_data["seen"],
        )
    except Refused as refusal:
        messages.error(request, str(refusal))
        return
    messages.success(request, f"{participant.code}: {VerdictDecision(verdict.decision).label}.")
