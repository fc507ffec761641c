"""One prompt at a time: reading it, and saving its answer without JavaScript."""

import uuid
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from batches.forms.answers import AnswerForm
from batches.models import Answer, Session
from batches.selectors.sessions import answer_at
from batches.services.answers import IncomingText, TextRefused, answer_save, prompt_seen
from batches.services.receipts import SaveReceipt
from batches.views.access import for_owner, signed_in_user
from batches.views.sessions import session_context


@require_http_methods(["GET", "POST"])
@for_owner
def prompt(request: HttpRequest, session: Session, position: int) -> HttpResponse:
    """GET shows the prompt and stamps its first view; POST saves the form."""
    now = timezone.now()
    if request.method == "POST":
        return _saved(request, session, position, now)
    if not session.is_running(now):
        return redirect("session_receipt", session.pk)
    answer = _answer(session, position)
    if answer.first_seen_at is None:
        prompt_seen(session=session, position=position, now=now)
    form = AnswerForm(initial={"text": answer.text, "base_revision": answer.revision})
    return _page(request, answer, form, now)


def _saved(request: HttpRequest, session: Session, position: int, now: datetime) -> HttpResponse:
    """Save and go on; a text that was not saved comes back in the page with the reason."""
    answer = _answer(session, position)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _page(request, answer, form, now, status=422)
    if form.cleaned_data["text"] == answer.text:
        return _next_page(request, session, position)
    try:
        receipt = _save(request, session, position, form, now)
    except TextRefused as refusal:
        form.add_error("text", str(refusal))
        return _page(request, answer, form, now, status=422)
    if receipt.saved:
        return _next_page(request, session, position)
    return _refused(request, answer, form, receipt, now)


def _save(
    request: HttpRequest, session: Session, position: int, form: AnswerForm, now: datetime
) -> SaveReceipt:
    incoming = IncomingText(
        text=form.cleaned_data["text"],
        base_revision=form.cleaned_data["base_revision"],
        # Every form counts as a tab of its own: a page that the browser kept and sends again is then
        # recognised as stale by its revision.
        tab=uuid.uuid4().hex,
        sequence=1,
    )
    user_id = signed_in_user(request).pk
    return answer_save(user_id=user_id, session_id=session.pk, position=position, incoming=incoming, now=now)


def _refused(
    request: HttpRequest, answer: Answer, form: AnswerForm, receipt: SaveReceipt, now: datetime
) -> HttpResponse:
    session = answer.session
    if not session.is_running(now):
        context = {"session": session, "study": session.participant.study, "receipt": receipt}
        return render(request, "batches/too_late.html", {**context, "form": form}, status=410)
    # The page keeps this text and now knows the newer one: saving again is then a decision, not an accident.
    again = AnswerForm(initial={"text": form.cleaned_data["text"], "base_revision": receipt.revision})
    return _page(request, answer, again, now, receipt=receipt, status=409)


def _page(
    request: HttpRequest,
    answer: Answer,
    form: AnswerForm,
    now: datetime,
    *,
    receipt: SaveReceipt | None = None,
    status: int = 200,
) -> HttpResponse:
    session = answer.session
    context = session_context(session, now)
    context |= {"answer": answer, "form": form, "receipt": receipt}
    return render(request, "batches/prompt.html", context, status=status)


def _answer(session: Session, position: int) -> Answer:
    answer = answer_at(session, position)
    if answer is None:
        raise Http404("no such prompt in this session")
    return answer


def _next_page(request: HttpRequest, session: Session, position: int) -> HttpResponse:
    wanted = {"next": position + 1, "previous": position - 1}.get(request.POST.get("go", ""), position)
    if session.answers.filter(position=wanted).exists():
        return redirect("session_prompt", session.pk, wanted)
    return redirect("session_overview", session.pk)
