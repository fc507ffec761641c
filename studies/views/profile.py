"""The profile form, and the files handed in with it."""

import uuid

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_http_methods

from studies.forms.profile import ProfileQuestions
from studies.models import Participant, Study
from studies.roles import Can
from studies.selectors.participants import credential_of, credentials_of, has_valid_consent, newest_profile
from studies.services.clock import server_now
from studies.services.people.credentials import credential_viewed
from studies.services.people.profiles import (
    ConsentMissing,
    ProfileClosed,
    profile_submit,
    require_profile_open,
)
from studies.services.refusals import Refused
from studies.services.storage import stored_file
from studies.views.access import for_participant, signed_in, study_page
from studies.views.second_factor import proof_required


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_profile(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The questions from consent to the decision, what was answered after it; POST sends the form."""
    if request.method == "POST":
        return sent(request, participant)
    if not _closed_sentence(participant) and not has_valid_consent(participant):
        messages.info(request, str(ConsentMissing()))
        return redirect("study_consent", slug=participant.study.slug)
    return _page(request, participant, ProfileQuestions(participant))


@cache_control(private=True, no_store=True)
@study_page(Can.SEE_PEOPLE)
@require_GET
@proof_required
def staff_credential(request: HttpRequest, study: Study, code: str, token: uuid.UUID) -> FileResponse:
    """One file for the study team, to be saved and never shown by this site; who asked is recorded."""
    credential = credential_of(study.slug, code, token)
    content = credential and stored_file(credential)
    if credential is None or content is None:
        raise Http404
    credential_viewed(credential=credential, actor=signed_in(request), now=server_now())
    return FileResponse(
        content, as_attachment=True, filename=credential.name, content_type=credential.media_type
    )


def sent(request: HttpRequest, participant: Participant) -> HttpResponse:
    form = ProfileQuestions(participant, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, participant, form, status=422)
    try:
        profile_submit(participant=participant, answers=form.answers, file=form.file, now=server_now())
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, participant, form, status=422)
    messages.success(
        request, _("Thank you, your profile is sent. The study team decides, and you read it on this page.")
    )
    return redirect("study_home", slug=participant.study.slug)


def _page(
    request: HttpRequest, participant: Participant, form: ProfileQuestions, status: int = 200
) -> HttpResponse:
    context = {
        "participant": participant,
        "study": participant.study,
        "form": form,
        "closed": _closed_sentence(participant),
        "has_consented": has_valid_consent(participant),
        "profile_form": newest_profile(participant),
        "credentials": credentials_of(participant),
    }
    return render(request, "studies/profile.html", context, status=status)


def _closed_sentence(participant: Participant) -> str:
    """Why the form is not taken any more, or nothing."""
    try:
        require_profile_open(participant)
    except ProfileClosed as refusal:
        return str(refusal)
    return ""
