"""A NinjaAPI whose every refusal is one sentence for the person at the page."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError, ValidationErrorContext
from pydantic_core import ErrorDetails

from studies.bank.sentences import error_sentence, field_path

SENTENCES = {
    400: "The request holds no readable JSON; send one JSON object.",
    401: "You are signed out. Sign in again; your text stays on this page and is saved afterwards.",
    403: "This page is out of date, probably because you signed in again. Reload it; your text stays on it.",
    413: "The text is far too long to be sent; shorten it. It stays on this page.",
}


class SentenceAPI(NinjaAPI):
    """Answers errors of the request itself as `{"sentence": …}`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_exception_handler(ValidationError, self._body_invalid)
        self.add_exception_handler(HttpError, self._http_error)
        self.add_exception_handler(RequestDataTooBig, lambda request, _error: self.problem(request, 413))

    def problem(self, request: HttpRequest, status: int, sentence: str = "") -> HttpResponse:
        """A refusal; without a sentence the usual one for its status."""
        return self.create_response(request, {"sentence": sentence or SENTENCES[status]}, status=status)

    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext[Any]]
    ) -> ValidationError:
        """Keep the first problem, as a sentence."""
        first = error_contexts[0].pydantic_validation_error.errors(include_url=False)[0]
        return ValidationError([{"sentence": body_sentence(first)}])

    def _body_invalid(self, request: HttpRequest, error: Any) -> HttpResponse:
        return self.problem(request, 422, error.errors[0]["sentence"])

    def _http_error(self, request: HttpRequest, error: Any) -> HttpResponse:
        return self.problem(request, error.status_code, SENTENCES.get(error.status_code, str(error)))


def body_sentence(error: ErrorDetails) -> str:
    """What is wrong with a request's body; the location begins with the view's parameter."""
    name = field_path(error["loc"][1:]) or "The request body"
    return f"{name} {error_sentence(error)}."
