"""The JSON interface of the participant's pages: every refusal is one sentence for the person there."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError, ValidationErrorContext
from ninja.security import SessionAuth
from pydantic_core import ErrorDetails

from batches.endpoints import router
from batches.services.answers import AnswerNotFound, TextRefused
from batches.services.contact import ReportedSessionNotFound
from batches.services.flags import FlagRefused
from batches.services.practice import PracticeClosed
from batches.services.previews import PreviewRefused
from formats.sentences import error_sentence, field_path

SIGNED_OUT = _("You are signed out. Sign in again; your text stays on this page and is saved afterwards.")
MESSAGES = {
    400: _("The request holds no readable JSON; send one JSON object."),
    403: _(
        "This page is out of date, probably because you signed in again. Reload it; your text stays on it."
    ),
    413: _("The text is far too long to be sent; shorten it. It stays on this page."),
}
STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (AnswerNotFound, 404),
    (ReportedSessionNotFound, 404),
    (TextRefused, 422),
    (FlagRefused, 410),
    (PracticeClosed, 422),
    (PreviewRefused, 429),
)


class ErrorMessageAPI(NinjaAPI):
    """Answers refusals, and errors of the request itself, as `{"sentence": …}`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_exception_handler(ValidationError, self._body_invalid)
        self.add_exception_handler(HttpError, self._http_error)
        self.add_exception_handler(AuthenticationError, self._signed_out)
        self.add_exception_handler(RequestDataTooBig, lambda request, _error: self.problem(request, 413))
        for refusal, status in STATUSES:
            self.add_exception_handler(
                refusal,
                lambda request, error, status=status: self.problem(request, status, str(error)),  # type: ignore[misc]
            )

    def create_response(self, request: HttpRequest, data: Any, **options: Any) -> HttpResponse:
        """Every reply is one person's and of this moment: texts, time left, notices."""
        response: HttpResponse = super().create_response(request, data, **options)
        response["Cache-Control"] = "private, no-store"
        return response

    def problem(self, request: HttpRequest, status: int, sentence: str = "") -> HttpResponse:
        """A refusal; without a sentence the usual one for its status."""
        return self.create_response(request, {"sentence": sentence or str(MESSAGES[status])}, status=status)

    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext[Any]]
    ) -> ValidationError:
        """Keep the first problem, as a sentence."""
        first = error_contexts[0].pydantic_validation_error.errors(include_url=False)[0]
        return ValidationError([{"sentence": body_error_message(first)}])

    def _body_invalid(self, request: HttpRequest, error: Any) -> HttpResponse:
        return self.problem(request, 422, error.errors[0]["sentence"])

    def _signed_out(self, request: HttpRequest, _error: Any) -> HttpResponse:
        """Visitors are told what strangers are told, and in a header that signing in may help."""
        response = self.problem(request, 404, str(SIGNED_OUT))
        response["X-Signed-Out"] = "1"
        return response

    def _http_error(self, request: HttpRequest, error: Any) -> HttpResponse:
        return self.problem(request, error.status_code, str(MESSAGES.get(error.status_code, error)))


def body_error_message(error: ErrorDetails) -> str:
    """What is wrong with a request's body; the location begins with the view's parameter."""
    name = field_path(error["loc"][1:]) or "The request body"
    return f"{name} {error_sentence(error)}."


api = ErrorMessageAPI(
    title="Chiron", version="1", auth=SessionAuth(csrf=True), docs_url=None, openapi_url=None
)
api.add_router("", router)
