"""The JSON interface of the participant's pages, and how it says what is refused."""

from ninja.security import SessionAuth

from batches.endpoints import router
from batches.error_messages import ErrorMessageAPI
from batches.services.answers import AnswerNotFound, TextRefused
from batches.services.flags import FlagRefused
from batches.services.practice import PracticeClosed
from batches.services.previews import PreviewRefused

api = ErrorMessageAPI(
    title="Chiron", version="1", auth=SessionAuth(csrf=True), docs_url=None, openapi_url=None
)
api.add_router("", router)


STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (AnswerNotFound, 404),
    (TextRefused, 422),
    (FlagRefused, 410),
    (PracticeClosed, 422),
    (PreviewRefused, 429),
)
for refusal, status in STATUSES:
    api.add_exception_handler(
        refusal,
        lambda request, error, status=status: api.problem(request, status, str(error)),  # type: ignore[misc]
    )
