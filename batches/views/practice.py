"""Practice in the workspace of a session, against a clock that ends nothing. Nothing here ever counts."""

import uuid
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from batches.forms import AnswerForm
from batches.models import PracticeAnswer, Session
from batches.services.answers import AnswerNotFound, TextRefused
from batches.services.practice import (
    PracticeClosed,
    practice_answers,
    practice_flag,
    practice_of,
    practice_open,
    practice_restart,
    practice_save,
    practice_session,
)
from batches.services.receipts import SaveReceipt
from batches.views.sessions import clock_context
from batches.views.wording import OVERDUE_WORDS, STATE_WORDS
from studies.models import Participant
from studies.services.clock import server_now
from studies.views.access import for_participant


@require_http_methods(["GET", "POST"])
@for_participant
def practice(request: HttpRequest, participant: Participant, number: int) -> HttpResponse:
    """GET shows the practice prompt and starts a first clock; POST saves the form or starts a new clock."""
    now = server_now()
    try:
        if request.POST.get("go") == "restart":
            practice_restart(participant=participant, now=now)
            return redirect("study_practice", participant.study.slug, number)
        if request.method == "POST":
            return _saved(request, practice_of(participant, number), now)
        answer = practice_open(participant=participant, number=number, now=now)
    except AnswerNotFound as error:
        raise Http404 from error
    except PracticeClosed as refusal:
        messages.info(request, str(refusal))
        return redirect("study_home", participant.study.slug)
    session = practice_session(participant, now)
    return _page(request, session, answer, AnswerForm.of(session, answer), now)


def _saved(request: HttpRequest, answer: PracticeAnswer, now: datetime) -> HttpResponse:
    """Save and go on; a text that was not saved comes back in the page with the reason."""
    participant, session = answer.participant, practice_session(answer.participant, now)
    form = AnswerForm(session, request.POST)
    if not form.is_valid():
        return _page(request, session, answer, form, now, status=422)
    try:
        if form.changes(answer):
            incoming = form.incoming(tab=uuid.uuid4().hex, sequence=1)
            receipt = practice_save(participant=participant, number=answer.number, incoming=incoming, now=now)
            if not receipt.saved:
                form = form.again(receipt.revision)
                return _page(request, session, answer, form, now, receipt=receipt, status=409)
        if request.POST.get("go") == "flag":
            practice_flag(participant=participant, number=answer.number, flagged=not answer.is_flagged)
    except (TextRefused, PracticeClosed) as refusal:
        form.add_error("text", str(refusal))
        return _page(request, session, answer, form, now, status=422)
    if request.POST.get("go") == "finish":
        return redirect("study_home", participant.study.slug)
    last = len(participant.study.protocol.practice_prompts)
    wanted = answer.number + {"next": 1, "previous": -1}.get(request.POST.get("go", ""), 0)
    return redirect("study_practice", participant.study.slug, min(max(wanted, 1), last))


def _page(
    request: HttpRequest,
    session: Session,
    answer: PracticeAnswer,
    form: AnswerForm,
    now: datetime,
    *,
    receipt: SaveReceipt | None = None,
    status: int = 200,
) -> HttpResponse:
    participant = answer.participant
    context = clock_context(session, now) | {
        "is_practice": True,
        "device_key": f"practice-{participant.pk}",
        "study": participant.study,
        "places": [(place, STATE_WORDS[place.state]) for place in practice_answers(participant)],
        "at_the_end": OVERDUE_WORDS[session.overdue_rule],
        "must_submit": "",
        "answer": answer,
        "form": form,
        "receipt": receipt,
    }
    return render(request, "batches/prompt.html", context, status=status)
