"""One prompt at a time: reading it, and saving its answer without JavaScript."""

import uuid
from contextlib import suppress
from datetime import datetime

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_safe

from batches.forms import AnswerForm
from batches.models import Answer, RevisionOutcome, Session
from batches.selectors.sessions import answer_at, answers_in_full
from batches.services.answers import TextRefused, answer_save, prompt_seen_soon
from batches.services.flags import FlagRefused, answer_flag
from batches.services.receipts import SaveReceipt, outcome_sentence
from batches.views.sessions import for_owner, session_context
from studies.selectors.private_questions import is_private
from studies.services.clock import server_now
from studies.views.access import signed_in


# The page shows files from its memory.
@csp_update({"img-src": ["blob:"]})
@require_http_methods(["GET", "POST"])
@for_owner
def prompt(request: HttpRequest, session: Session, position: int) -> HttpResponse:
    """GET shows the prompt and stamps its first view; POST saves the form."""
    now = server_now()
    answer = answer_at(session, position)
    if answer is None:
        raise Http404("no such prompt in this session")
    if request.method == "POST":
        return _saved(request, answer, now)
    return _page(request, answer, AnswerForm.of(answer.session, answer), now)


# Twenty forms that are nearly alike: a tenth of it.
@gzip_page
@require_safe
@for_owner
def questions(request: HttpRequest, session: Session) -> HttpResponse:
    """Every question of a running session with its form, for the memory of an open page; not seen by that.

    A private question comes without its text, unless the protocol allows it.
    """
    now = server_now()
    if not session.is_running(now):
        raise Http404("this session does not run")
    held = [
        (answer, AnswerForm.of(session, answer), _may_be_held(session, answer))
        for answer in answers_in_full(session)
    ]
    response = render(request, "batches/questions.html", session_context(session, now) | {"held": held})
    response["Cache-Control"] = "no-store"
    return response


def _may_be_held(session: Session, answer: Answer) -> bool:
    """Whether an open page may keep the question while another one is shown."""
    return session.participant.study.protocol.private_offline or not is_private(answer.prompt)


def _saved(request: HttpRequest, answer: Answer, now: datetime) -> HttpResponse:
    """Save and go on; a text that was not saved comes back in the page with the reason."""
    form = AnswerForm(answer.session, request.POST)
    if not form.is_valid():
        return _page(request, answer, form, now, status=422)
    if not form.changes(answer):
        return _next_page(request, answer, now)
    try:
        receipt = answer_save(
            user_id=signed_in(request).pk,
            session_id=answer.session_id,
            position=answer.position,
            # Every form counts as a tab of its own: a page that the browser kept and sends again is then
            # recognised as stale by its revision.
            incoming=form.incoming(tab=uuid.uuid4().hex, sequence=1),
            now=now,
        )
    except TextRefused as refusal:
        form.add_error("text", str(refusal))
        return _page(request, answer, form, now, status=422)
    if receipt.saved:
        return _next_page(request, answer, now)
    if not answer.session.is_running(now):
        return _too_late(request, answer.session, form, receipt.sentence)
    # The page keeps this text and now knows the newer one: saving again is then a decision, not an accident.
    return _page(request, answer, form.again(receipt.revision), now, receipt=receipt, status=409)


def _too_late(request: HttpRequest, session: Session, form: AnswerForm, sentence: str) -> HttpResponse:
    """Give the text back. The prompt is not shown any more."""
    context = {"session": session, "study": session.participant.study, "sentence": sentence, "form": form}
    return render(request, "batches/too_late.html", context, status=410)


def _page(
    request: HttpRequest,
    answer: Answer,
    form: AnswerForm,
    now: datetime,
    *,
    receipt: SaveReceipt | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the prompt while the session runs; every way of seeing it first is stamped. A browser keeps no
    copy of a private one, also where an open page may hold it.
    """
    session = answer.session
    if not session.is_running(now):
        if form.is_bound:
            sentence = outcome_sentence(RevisionOutcome.REFUSED_LATE, session.status_at(now))
            return _too_late(request, session, form, sentence)
        return redirect("session_receipt", session.pk)
    if answer.first_seen_at is None:
        prompt_seen_soon(session=session, position=answer.position, now=now)
    context = session_context(session, now)
    context |= {"answer": answer, "form": form, "receipt": receipt}
    context["is_held"] = _may_be_held(session, answer)
    response = render(request, "batches/prompt.html", context, status=status)
    if is_private(answer.prompt):
        response["Cache-Control"] = "no-store"
    return response


def _next_page(request: HttpRequest, answer: Answer, now: datetime) -> HttpResponse:
    session, position = answer.session, answer.position
    go = request.POST.get("go", "")
    if go == "flag":
        # After the end the mark means nothing any more, and the page that follows says that time is over.
        with suppress(FlagRefused):
            answer_flag(
                user_id=signed_in(request).pk,
                session_id=session.pk,
                position=position,
                flagged=not answer.is_flagged,
                now=now,
            )
    if go == "finish":
        return redirect("session_submit", session.pk)
    wanted = {"next": position + 1, "previous": position - 1}.get(go, position)
    if session.answers.filter(position=wanted).exists():
        return redirect("session_prompt", session.pk, wanted)
    return redirect("session_overview", session.pk)
