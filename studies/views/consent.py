"""Reading the consent text and deciding on it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from studies.forms.consent import ACCEPT, ConsentForm
from studies.models import Participant
from studies.selectors.participants import consent_sha256, has_agreed, latest_consent, participant_of
from studies.services.consents import consent_record
from studies.services.refusals import Refused
from studies.views.access import signed_in

DECLINED = (
    "Your decision is recorded: you do not take part. Thank you for considering it. "
    "You can change your mind here while the study runs."
)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """GET shows the text that holds now; POST records a decision on exactly that text."""
    participant = participant_of(signed_in(request), slug)
    if participant is None:
        raise Http404
    return decided(request, participant) if request.method == "POST" else page(request, participant)


def decided(request: HttpRequest, participant: Participant) -> HttpResponse:
    form = ConsentForm(request.POST)
    if not form.is_valid():
        return page(request, participant, [str(error) for errors in form.errors.values() for error in errors])
    accepted = form.cleaned_data["decision"] == ACCEPT
    try:
        consent_record(
            participant=participant,
            accepted=accepted,
            shown_sha256=form.cleaned_data["shown"],
            now=timezone.now(),
        )
    except Refused as refusal:
        return page(request, participant, [str(refusal)])
    if accepted:
        messages.success(request, "Thank you. Your agreement is recorded.")
        return redirect("study_home", slug=participant.study.slug)
    messages.info(request, DECLINED)
    return redirect("study_consent", slug=participant.study.slug)


def page(request: HttpRequest, participant: Participant, errors: list[str] | None = None) -> HttpResponse:
    text = participant.study.protocol.consent_text
    latest = latest_consent(participant)
    context = {
        "participant": participant,
        "study": participant.study,
        "text": text,
        "shown": consent_sha256(text),
        "latest": latest,
        "has_agreed": has_agreed(participant),
        "is_current": latest is not None and latest.text == text,
        "errors": errors or [],
    }
    return render(request, "studies/consent.html", context, status=400 if errors else 200)
