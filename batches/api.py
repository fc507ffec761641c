"""The JSON endpoints of the answering page: save an answer, ask the time."""

from typing import TYPE_CHECKING, cast
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.responses import Status
from ninja.security import SessionAuth

from batches.models import RevisionOutcome
from batches.schemas import Clock, NotSaved, Problem, SaveBody, Saved
from batches.selectors.sessions import session_for_user
from batches.services.answers import (
    AnswerNotFound,
    IncomingText,
    SaveReceipt,
    TextRefused,
    answer_save,
)
from studies.bank.sentences import error_sentence, field_path
from studies.models import User

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    class SignedInRequest(HttpRequest):
        """A request that passed the session check."""

        user: User

else:
    SignedInRequest = HttpRequest

api = NinjaAPI(title="Chiron", version="1", auth=SessionAuth(csrf=True), docs_url=None, openapi_url=None)

HTTP_SENTENCES = {
    400: "The request holds no readable JSON; send one JSON object.",
    401: "You are signed out. Sign in again; your text stays on this page and is saved afterwards.",
    403: "This page is out of date, probably because you signed in again. Reload it; your text stays on it.",
}
BROKEN_CHARACTER = "has a broken character; remove it and save again"
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


def problem(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    return api.create_response(request, {"sentence": sentence}, status=status)


@api.exception_handler(AnswerNotFound)
def not_found(request: HttpRequest, error: AnswerNotFound) -> HttpResponse:
    return problem(request, 404, str(error))


@api.exception_handler(TextRefused)
def text_refused(request: HttpRequest, error: TextRefused) -> HttpResponse:
    return problem(request, 422, str(error))


@api.exception_handler(RequestDataTooBig)
def body_too_big(request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    return problem(request, 413, "The text is far too long to be sent; shorten it. It stays on this page.")


@api.exception_handler(HttpError)
def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    sentence = HTTP_SENTENCES.get(error.status_code, str(error))
    return problem(request, error.status_code, sentence)


@api.exception_handler(ValidationError)
def body_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """The first problem of the body as one sentence, without what was sent."""
    first = error.errors[0]
    # The location starts with where the value was read from and the view's parameter.
    path = field_path(tuple(first["loc"][2:])) or "The request body"
    broken = first["type"] == "string_unicode"
    reason = BROKEN_CHARACTER if broken else error_sentence(cast("ErrorDetails", first))
    return problem(request, 422, f"{path} {reason}.")
