"""The study team's side of what it and the participants write to each other."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from presentation.listing import Cell, csv_lines, page_of, wants_csv
from studies.forms.people import ReplyForm
from studies.models import Participant, Study
from studies.roles import Can
from studies.selectors.contact import thread_of, threads
from studies.selectors.private_questions import private_labels
from studies.services.clock import server_now
from studies.services.people.messages import message_answer
from studies.services.refusals import Refused
from studies.views.access import (
    person_page,
    private_shown,
    rights_here,
    signed_in,
    site_url_of,
    study_page,
)
from studies.views.csv_files import csv_file

THREADS_PER_PAGE = 50
WAITING = "waiting"
# What people write goes into no file.
FILE: dict[str, Cell[Any]] = {
    "person": "code", "waits_for_reply": lambda person: not person.is_from_team, "messages": "written",
    "newest_at": "newest_at",
}  # fmt: skip


@study_page(Can.INVITE)
@require_safe
def staff_messages(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Everyone who is in a conversation with the team, those who wait for a reply first; the same as CSV."""
    if wants_csv(request):
        return csv_file(request, "messages", csv_lines(FILE, _threads(request, study)), study=study)
    return _messages_page(request, study)


@person_page(Can.INVITE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_thread(request: HttpRequest, participant: Participant) -> HttpResponse:
    """One conversation; POST replies in it."""
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            message_answer(
                participant=participant,
                text=form.cleaned_data["text"],
                actor=signed_in(request),
                now=server_now(),
                site_url=site_url_of(request),
            )
        except Refused as refusal:
            form.add_error("text", str(refusal))
        else:
            messages.success(request, _("Sent. %(code)s sees it on every page.") % {"code": participant.code})
            return redirect("staff_messages", participant.study.slug)
    return _messages_page(request, participant.study, participant, form)


def _messages_page(
    request: HttpRequest, study: Study, participant: Participant | None = None, form: ReplyForm | None = None
) -> HttpResponse:
    """The conversations, and beside them the one with this person: the first where none is named. With the
    labels of the questions that it is about where the reader may know them.
    """
    page = page_of(request, _threads(request, study), THREADS_PER_PAGE)
    chosen = participant or next(iter(page), None)
    thread = list(thread_of(chosen)) if chosen else []
    if chosen:
        hidden = private_labels(chosen.study, {message.prompt_label for message in thread} - {""})
        if Can.SEE_PRIVATE in rights_here(request):
            private_shown(request, chosen.study, "messages", hidden)
        else:
            for message in thread:
                message.prompt_label = "" if message.prompt_label in hidden else message.prompt_label
    context = {
        "study": study,
        "page": page,
        "words": _words(request),
        "show": request.GET.get("show", ""),
        "participant": chosen,
        "thread": thread,
        "form": form or ReplyForm(),
    }
    status = 422 if form is not None and form.is_bound else 200
    return render(request, "studies/messages.html", context, status=status)


def _threads(request: HttpRequest, study: Study) -> QuerySet[Participant]:
    return threads(study, _words(request), only_waiting=request.GET.get("show") == WAITING)


def _words(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[:100]
