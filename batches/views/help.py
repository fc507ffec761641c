"""A participant writes to the study team, from any page."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from batches.models import Session
from batches.selectors.sessions import label_at, session_of
from batches.services.clock import server_now
from studies.forms.contact import HelpForm, page_shown
from studies.models import Participant
from studies.selectors.contact import thread_of
from studies.services.people.messages import message_send
from studies.services.refusals import Refused
from studies.views.access import for_participant


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_help(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The conversation with the team; POST adds a message to it. A running session goes on meanwhile."""
    now = server_now()
    form = HelpForm(request.POST) if request.method == "POST" else _empty_form(request)
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
        "session_is_running": session is not None and session.is_running(now),
        "thread": thread_of(participant),
        "contact": participant.study.protocol.contact,
    }
    return render(request, "studies/help.html", context, status=422 if form.is_bound else 200)


def _empty_form(request: HttpRequest) -> HelpForm:
    return HelpForm(initial={"page": page_shown(request.GET.get("page", ""))})


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
