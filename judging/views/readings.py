"""What is read in an answer, for whoever writes it: the form that is read, and what was read so far."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from batches.models import Answer, Session
from batches.selectors.sessions import answer_at
from batches.views.sessions import for_owner
from judging.selectors.readings import answer_reader
from studies.services.clock import server_now

SHOWN_CHARACTERS = 200
FORMS: Mapping[str, Promise] = {
    "line": _(
        "the answer alone, in one line; or, after other text, what follows “The answer is:” in its line"
    ),
    "choice": _("the letter of one option, such as (B), with or without the option’s text"),
    "truth": _("one of the words True and False"),
    "yes_no": _("one of the words Yes and No, first or alone"),
    "validity": _("one of the words valid and invalid"),
    "number": _("one number, such as 12 or \u22123"),
    "brackets": _("the missing closing brackets and nothing else, such as ] )"),
    "words": _("the words in their order, with spaces or commas between them"),
}


@require_POST
@for_owner
def answer_reading(request: HttpRequest, session: Session, position: int) -> HttpResponse:
    """How the text would be read if it were handed in now. Nothing is stored."""
    reader, answer = answer_reader(session.participant.study), answer_at(session, position)
    if reader is None or answer is None or not session.is_running(server_now()):
        raise Http404("nothing is read here")
    text = request.POST.get("text", "")[: session.answer_max_characters]
    reading = reader.read(text, answer.prompt)
    return render(request, "judging/_reading.html", {"reading": reading, "shown": SHOWN_CHARACTERS})


def reading_place(session: Session, answer: Answer, text: str | None) -> str:
    """What form of answer is read and what was, beside the text being written; blank for other judges."""
    reader = answer_reader(session.participant.study)
    form = reader.form(answer.prompt) if reader else ""
    context: dict[str, object] = {}
    if reader is not None and form:
        context = {
            "session": session,
            "answer": answer,
            "form_read": FORMS[form],
            "reading": reader.read(text or "", answer.prompt),
            "shown": SHOWN_CHARACTERS,
        }
    return render_to_string("judging/_reading_place.html", context)
