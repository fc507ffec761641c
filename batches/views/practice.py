"""Practice prompts: the answering page without a clock. Nothing here ever counts."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from batches.forms.practice import PracticeForm
from batches.models import PracticeAnswer
from batches.services.answers import AnswerNotFound, TextRefused
from batches.services.clock import server_now
from batches.services.practice import PracticeClosed, practice_of, practice_save, require_practice
from batches.services.receipts import SaveReceipt
from studies.models import Participant
from studies.views.access import for_participant


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def practice(request: HttpRequest, participant: Participant, number: int) -> HttpResponse:
    """GET shows the practice prompt; POST saves the form."""
    try:
        answer = practice_of(participant, number)
        if request.method == "POST":
            return _saved(request, participant, answer)
        require_practice(participant)
    except AnswerNotFound as error:
        raise Http404 from error
    except PracticeClosed as refusal:
        messages.info(request, str(refusal))
        return redirect("study_home", participant.study.slug)
    return _page(request, participant, answer, PracticeForm.of(answer))


def _saved(request: HttpRequest, participant: Participant, answer: PracticeAnswer) -> HttpResponse:
    """Save and go on; a text that was not saved comes back in the page with the reason."""
    form = PracticeForm(request.POST)
    if not form.is_valid():
        return _page(request, participant, answer, form, status=422)
    try:
        receipt = practice_save(
            participant=participant,
            number=answer.number,
            incoming=form.incoming(tab=uuid.uuid4().hex, sequence=1),
            now=server_now(),
        )
    except (TextRefused, PracticeClosed) as refusal:
        form.add_error("text", str(refusal))
        return _page(request, participant, answer, form, status=422)
    if receipt.saved:
        return redirect("study_practice", participant.study.slug, _next_number(request, answer))
    return _page(request, participant, answer, form.again(receipt.revision), receipt=receipt, status=409)


def _next_number(request: HttpRequest, answer: PracticeAnswer) -> int:
    last = len(answer.participant.study.protocol.practice_prompts)
    wanted = answer.number + {"next": 1, "previous": -1}.get(request.POST.get("go", ""), 0)
    return min(max(wanted, 1), last)


def _page(
    request: HttpRequest,
    participant: Participant,
    answer: PracticeAnswer,
    form: PracticeForm,
    *,
    receipt: SaveReceipt | None = None,
    status: int = 200,
) -> HttpResponse:
    prompts = participant.study.protocol.practice_prompts
    context = {
        "study": participant.study,
        "participant": participant,
        "answer": answer,
        "prompt": prompts[answer.number - 1],
        "numbers": range(1, len(prompts) + 1),
        "form": form,
        "receipt": receipt,
    }
    return render(request, "batches/practice.html", context, status=status)
