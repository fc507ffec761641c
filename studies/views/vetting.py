"""Deciding who may take part."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from studies.forms.vetting import APPROVE, VettingForm
from studies.models import Participant
from studies.selectors.participants import participant_by_code, participants_to_vet, vetting_counts
from studies.selectors.studies import study_by_slug
from studies.services.participants import participant_approve, participant_reject
from studies.services.refusals import Refused
from studies.views.access import signed_in, staff_required

PEOPLE_PER_PAGE = 50


@never_cache
@staff_required
@require_safe
def staff_participants(request: HttpRequest, slug: str) -> HttpResponse:
    """Everyone in the study, those waiting for a decision first."""
    study = study_by_slug(slug)
    if study is None:
        raise Http404
    people = Paginator(participants_to_vet(study), PEOPLE_PER_PAGE).get_page(request.GET.get("page"))
    context = {"study": study, "page": people, "counts": vetting_counts(study)}
    return render(request, "studies/participants.html", context)


@staff_required
@require_POST
def staff_decision(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Record one decision and return to the list."""
    participant = participant_by_code(slug, code)
    if participant is None:
        raise Http404
    form = VettingForm(request.POST)
    if form.is_valid():
        decide(request, participant, form.cleaned_data["decision"], form.cleaned_data["reason"])
    for errors in form.errors.values():
        for error in errors:
            messages.error(request, f"{code}: {error}")
    return redirect("staff_participants", slug=slug)


def decide(request: HttpRequest, participant: Participant, decision: str, reason: str) -> None:
    now, actor = timezone.now(), signed_in(request)
    try:
        if decision == APPROVE:
            participant_approve(participant=participant, reason=reason, actor=actor, now=now)
            messages.success(request, f"{participant.code} is approved.")
        else:
            participant_reject(participant=participant, reason=reason, actor=actor, now=now)
            messages.success(request, f"{participant.code} is rejected.")
    except Refused as refusal:
        messages.error(request, str(refusal))
