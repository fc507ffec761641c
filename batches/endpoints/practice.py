"""Saving a practice text, with the bodies and replies of an answer."""

from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError
from ninja.responses import Status

from batches.endpoints.access import PROBLEMS, SignedInRequest
from batches.endpoints.answers import as_reply
from batches.schemas import Current, NotSaved, SaveBody, Saved
from batches.services.answers import IncomingText
from batches.services.clock import server_now
from batches.services.practice import practice_of, practice_save
from studies.models import Participant
from studies.selectors.participants import participant_of

router = Router()
ADDRESS = "/studies/{slug:slug}/practice/{int:number}"


@router.post(ADDRESS, response={200: Saved, 409: NotSaved, **PROBLEMS})
def save_practice(
    request: SignedInRequest, slug: str, number: int, body: SaveBody
) -> Status[Saved | NotSaved]:
    """Save one practice text. 409: another tab has saved newer text. 422: practice is over."""
    receipt = practice_save(
        participant=_own_place(request, slug),
        number=number,
        incoming=IncomingText(**body.model_dump()),
        now=server_now(),
    )
    return as_reply(receipt)


@router.get(ADDRESS, response={200: Current, **PROBLEMS})
def saved_practice(request: SignedInRequest, slug: str, number: int) -> Current:
    """What the server holds for one practice prompt."""
    answer = practice_of(_own_place(request, slug), number)
    return Current(
        text=answer.text, note="", confidence=None, revision=answer.revision, saved_at=answer.saved_at
    )


def _own_place(request: SignedInRequest, slug: str) -> Participant:
    participant = participant_of(request.user, slug)
    if participant is None:
        raise HttpError(404, _("There is no such study of yours."))
    return participant
