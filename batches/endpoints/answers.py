"""Saving an answer, reading what is saved, asking the time."""

from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError
from ninja.responses import Status

from batches.endpoints.access import PROBLEMS, SignedInRequest
from batches.models import RevisionOutcome, Session
from batches.schemas import Clock, Current, NotSaved, SaveBody, Saved
from batches.selectors.saved_answers import read_saved_answer
from batches.selectors.sessions import session_clock
from batches.services.answers import AnswerNotFound, IncomingText, answer_save
from batches.services.clock import server_now
from batches.services.receipts import SaveReceipt

router = Router()


@router.post(
    "/sessions/{uuid:session_id}/answers/{int:position}",
    response={200: Saved, 409: NotSaved, 410: NotSaved, **PROBLEMS},
)
def save_answer(
    request: SignedInRequest, session_id: UUID, position: int, body: SaveBody
) -> Status[Saved | NotSaved]:
    """Save one answer. 409: another tab has saved newer text. 410: the session is over."""
    receipt = answer_save(
        user_id=request.user.pk,
        session_id=session_id,
        position=position,
        incoming=IncomingText(**body.model_dump()),
        now=server_now(),
    )
    return as_reply(receipt)


@router.get("/sessions/{uuid:session_id}/answers/{int:position}", response={200: Current, **PROBLEMS})
def saved_answer(request: SignedInRequest, session_id: UUID, position: int) -> Current:
    """What the server holds for one answer, also after the end; a page compares its own copies with it."""
    saved = read_saved_answer(user_id=request.user.pk, session_id=session_id, position=position)
    if saved is None:
        raise AnswerNotFound
    return Current.model_validate(saved, from_attributes=True)


@router.get("/sessions/{uuid:session_id}/time", response={200: Clock, **PROBLEMS})
def session_time(request: SignedInRequest, session_id: UUID) -> Clock:
    """The remaining time by the server's clock, the only one that counts."""
    now = server_now()
    session = session_clock(request.user, session_id)
    if session is None:
        raise HttpError(404, _("There is no such session of yours."))
    return as_clock(session, now)


def as_clock(session: Session, now: datetime) -> Clock:
    """The session's time."""
    return Clock(
        server_time=now,
        deadline_at=session.deadline_at,
        seconds_left=session.seconds_left(now),
        status=session.status_at(now),
        extended_seconds=session.extended_seconds,
    )


def as_reply(receipt: SaveReceipt) -> Status[Saved | NotSaved]:
    """The receipt with its HTTP status."""
    if receipt.saved:
        return Status(200, Saved.model_validate(receipt, from_attributes=True))
    status = 410 if receipt.outcome == RevisionOutcome.REFUSED_LATE else 409
    return Status(status, NotSaved.model_validate(receipt, from_attributes=True))
