"""How an answer looks as Markdown, before and after it is saved."""

from django.utils import timezone
from ninja import Router

from batches.endpoints.access import PROBLEMS, SignedInRequest
from batches.rules.texts import check_answer_text
from batches.schemas import Preview, PreviewBody, Problem
from batches.services.answers import TextRefused
from batches.services.previews import answer_preview
from batches.services.receipts import fault_sentence

MAX_CHARACTERS = 1_000_000
"""What the longest answer of any study may have; practice has no session to ask for its own limit."""

router = Router()


@router.post("/preview", response={200: Preview, 429: Problem, **PROBLEMS})
def preview_text(request: SignedInRequest, body: PreviewBody) -> Preview:
    """The text as safe HTML. Nothing is stored. 429: the last one took long, or is not made yet."""
    fault = check_answer_text(body.text, max_characters=MAX_CHARACTERS)
    if fault is not None:
        raise TextRefused(fault_sentence(fault))
    return Preview(html=answer_preview(user_id=request.user.pk, text=body.text, now=timezone.now()))
