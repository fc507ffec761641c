"""Practice as the page of a session asks for it: saving, what is saved, flags and the clock."""

from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError
from ninja.responses import Status

from batches.endpoints.access import PROBLEMS, SignedInRequest
from batches.endpoints.answers import as_clock, as_reply
from batches.schemas import Clock, Current, Flag, NotSaved, SaveBody, Saved
from batches.services.answers import IncomingText
from batches.services.clock import server_now
from batches.services.practice import (
    practice_flag,
    practice_of,
    practice_save,
    practice_session,
    require_practice,
)
from studies.models import Participant
from studies.selectors.participants import participant_of

router = Router()
PRACTICE = "/studies/{slug:slug}/practice"
ADDRESS = f"{PRACTICE}/{{int:number}}"


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
    return Current.model_validate(practice_of(_own_place(request, slug), number), from_attributes=True)


@router.put(f"{ADDRESS}/flag", response={200: Flag, **PROBLEMS})
def flag_practice(request: SignedInRequest, slug: str, number: int, body: Flag) -> Flag:
    """Set or take away the mark. 422: practice is over."""
    practice_flag(participant=_own_place(request, slug), number=number, flagged=body.flagged)
    return body


@router.get(f"{PRACTICE}/time", response={200: Clock, **PROBLEMS})
def practice_time(request: SignedInRequest, slug: str) -> Clock:
    """The practice clock. 422: practice is over."""
    participant = _own_place(request, slug)
    require_practice(participant)
    now = server_now()
    return as_clock(practice_session(participant, now), now)


def _own_place(request: SignedInRequest, slug: str) -> Participant:
    participant = participant_of(request.user, slug)
    if participant is None:
        raise HttpError(404, _("There is no such study of yours."))
    return participant
