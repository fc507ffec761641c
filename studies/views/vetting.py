"""Deciding who may take part."""

from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMessage
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from studies.forms.people import APPROVE, VettingForm
from studies.models import Participant, Study
from studies.roles import Can
from studies.selectors.participants import participants_to_vet, vetting_counts
from studies.services.people.participants import participant_approve, participant_reject
from studies.services.people.vetting_mails import decision_mail
from studies.services.refusals import Refused
from studies.views.access import person_page, signed_in, site_url_of, study_page

PEOPLE_PER_PAGE = 50


@study_page(Can.SEE_PEOPLE)
@require_safe
def staff_participants(request: HttpRequest, study: Study) -> HttpResponse:
    """Everyone in the study, those waiting for a decision first."""
    return _people_page(request, study)


@person_page(Can.DECIDE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_decision(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Record one decision and return to the list. A refused one comes back with what was written, and so does
    one of which only the mail was to be shown.
    """
    if request.method != "POST":  # somebody reloads, or changes the language, where a decision came back
        return redirect("staff_participants", slug=participant.study.slug)
    form = VettingForm(request.POST)
    if not form.is_valid():
        return _people_page(request, participant.study, refused=form, person=participant)
    if "preview" in request.POST:
        return _people_page(request, participant.study, previewed=form, person=participant)
    _decide(request, participant, form.cleaned_data["decision"], form.cleaned_data["reason"])
    return redirect("staff_participants", slug=participant.study.slug)


def _people_page(
    request: HttpRequest,
    study: Study,
    *,
    refused: VettingForm | None = None,
    previewed: VettingForm | None = None,
    person: Participant | None = None,
) -> HttpResponse:
    """The list, above it a decision on `person` that was refused or is previewed."""
    people = Paginator(participants_to_vet(study), PEOPLE_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": people,
        "counts": vetting_counts(study),
        "refused": refused,
        "draft": refused or previewed,
        "mail": _mail_of(request, previewed, person) if previewed and person else None,
        "person": person,
        "mail_language": settings.LANGUAGE_CODE,
    }
    return render(request, "studies/participants.html", context, status=422 if refused else 200)


def _mail_of(request: HttpRequest, form: VettingForm, person: Participant) -> EmailMessage:
    """What would be mailed."""
    approved, reason = form.cleaned_data["decision"] == APPROVE, form.cleaned_data["reason"].strip()
    return decision_mail(
        person, approved=approved, reason=reason, site_url=site_url_of(request), now=timezone.now()
    )


def _decide(request: HttpRequest, participant: Participant, decision: str, reason: str) -> None:
    now, actor, site_url = timezone.now(), signed_in(request), site_url_of(request)
    approved, rejected = _("%(code)s is approved."), _("%(code)s is rejected.")
    decide, sentence = (
        (participant_approve, approved) if decision == APPROVE else (participant_reject, rejected)
    )
    try:
        decide(participant=participant, reason=reason, actor=actor, now=now, site_url=site_url)
        messages.success(request, sentence % {"code": participant.code})
    except Refused as refusal:
        messages.error(request, str(refusal))
