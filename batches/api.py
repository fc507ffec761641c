"""The JSON endpoints of the answering page: save an answer, ask the time."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.responses import Status
from ninja.security import SessionAuth

from batches.models import RevisionOutcome
from batches.schemas import Clock, Current, NotSaved, Problem, SaveBody, Saved
from batches.selectors.sessions import session_for_user
from batches.selectors.standing import answer_standing
from batches.sentence_api import SentenceAPI
from batches.services.answers import AnswerNotFound, IncomingText, TextRefused, answer_save
from batches.services.receipts import SaveReceipt
from studies.models import User

if TYPE_CHECKING:

    class SignedInRequest(HttpRequest):
        """A request that passed the session check."""

        user: User

else:
    SignedInRequest = HttpRequest

api = SentenceAPI(title="Chiron", version="1", auth=SessionAuth(csrf=True), docs_url=None, openapi_url=None)

PROBLEMS = dict.fromkeys((400, 401, 403, 404, 413, 422), Problem)


@api.post(
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
        now=timezone.now(),
    )
    return as_reply(receipt)


@api.get("/sessions/{uuid:session_id}/answers/{int:position}", response={200: Current, **PROBLEMS})
def saved_answer(request: SignedInRequest, session_id: UUID, position: int) -> Current:
    """What the server holds for one answer, also after the end; a page compares its own copies with it."""
    standing = answer_standing(user_id=request.user.pk, session_id=session_id, position=position)
    if standing is None:
        raise AnswerNotFound("There is no such answer in a session of yours.")
    return Current.model_validate(standing, from_attributes=True)


@api.get("/sessions/{uuid:session_id}/time", response={200: Clock, **PROBLEMS})
def session_time(request: SignedInRequest, session_id: UUID) -> Clock:
    """The remaining time by the server's clock, the only one that counts."""
    now = timezone.now()
    session = session_for_user(request.user, session_id)
    if session is None:
        raise AnswerNotFound("There is no such session of yours.")
    return Clock(
        server_time=now,
        deadline_at=session.deadline_at,
        seconds_left=session.seconds_left(now),
        status=session.status_at(now),
    )


def as_reply(receipt: SaveReceipt) -> Status[Saved | NotSaved]:
    """The receipt with its HTTP status."""
    if receipt.saved:
        return Status(200, Saved.model_validate(receipt, from_attributes=True))
    status = 410 if receipt.outcome == RevisionOutcome.REFUSED_LATE else 409
    return Status(status, NotSaved.model_validate(receipt, from_attributes=True))


@api.exception_handler(AnswerNotFound)
def not_found(request: HttpRequest, error: AnswerNotFound) -> HttpResponse:
    return api.problem(request, 404, str(error))


@api.exception_handler(TextRefused)
def text_refused(request: HttpRequest, error: TextRefused) -> HttpResponse:
    return api.problem(request, 422, str(error))
