"""Reading what one agrees to, deciding on it, and keeping a copy."""

from collections.abc import Iterable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from presentation.moments import moment_text
from studies.forms.people import ACCEPT, ConsentForm
from studies.models import Participant
from studies.protocol.consents import recorded_items
from studies.selectors.participants import has_agreed, latest_consent
from studies.selectors.told import agreed_sha256, recorded_sentences, told_lines
from studies.services.clock import server_now
from studies.services.events import has_withdrawn
from studies.services.people.consents import consent_record
from studies.services.refusals import Refused
from studies.views.access import for_participant


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """GET shows what holds now; POST records a decision on exactly that."""
    return _decided(request, participant) if request.method == "POST" else _page(request, participant)


@never_cache
@require_safe
@for_participant
def study_consent_copy(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The person's newest decision with all it was about, as a text file."""
    consent = latest_consent(participant)
    if consent is None:
        raise Http404
    # A text of its own: readable in years, without this site.
    decision = _("agreed to take part") if consent.accepted else _("declined to take part")
    facts = (
        (_("Study"), participant.study.name),
        (_("Participant code"), participant.code),
        (_("Decision"), decision),
        (_("Time"), moment_text(consent.decided_at, seconds=True)),
        (_("SHA-256 of text and list"), consent.sha256),
    )
    lines = [f"{label}: {value}" for label, value in facts]
    lines += ["", _("The text"), "--------", consent.text.rstrip()]
    if consent.told:
        lines += ["", _("What you were told"), "------------------"]
        lines += [f"{label}: {text}" for label, text in consent.told]
    lines += ["", _("What this site records"), "----------------------"]
    lines += [f"- {sentence}" for sentence in recorded_sentences(consent.recorded)]
    text = "\n".join(lines) + "\n"
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    name = f"consent-{participant.study.slug}-{participant.code}.txt"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _decided(request: HttpRequest, participant: Participant) -> HttpResponse:
    form = ConsentForm(request.POST)
    if not form.is_valid():
        return _page(
            request, participant, [str(error) for errors in form.errors.values() for error in errors]
        )
    accepted = form.cleaned_data["decision"] == ACCEPT
    try:
        consent_record(
            participant=participant,
            accepted=accepted,
            shown_sha256=form.cleaned_data["shown"],
            now=server_now(),
        )
    except Refused as refusal:
        return _page(request, participant, [str(refusal)])
    if accepted:
        messages.success(request, _("Thank you. Your agreement is recorded."))
        return redirect("study_home", slug=participant.study.slug)
    return redirect("study_consent", slug=participant.study.slug)


def _page(request: HttpRequest, participant: Participant, errors: Iterable[str] = ()) -> HttpResponse:
    protocol = participant.study.protocol
    latest = latest_consent(participant)
    agreed = agreed_sha256(participant.study)
    context = {
        "participant": participant,
        "study": participant.study,
        "protocol": protocol,
        "told": told_lines(participant.study),
        "recorded": recorded_sentences(recorded_items(protocol)),
        "shown": agreed,
        "latest": latest,
        "has_agreed": has_agreed(participant),
        "is_current": latest is not None and latest.sha256 == agreed,
        "has_withdrawn": has_withdrawn(participant),
        "errors": errors,
    }
    return render(request, "studies/consent.html", context, status=422 if errors else 200)
