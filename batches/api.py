"""The JSON interface of the participant's pages, put together from its routers."""

from django.http import HttpRequest, HttpResponse
from ninja.security import SessionAuth

from batches.endpoints import answers, flags, notices, practice, previews
from batches.error_messages import ErrorMessageAPI
from batches.services.answers import AnswerNotFound, TextRefused
from batches.services.flags import FlagRefused
from batches.services.practice import PracticeClosed
from batches.services.previews import PreviewRefused

api = ErrorMessageAPI(
    title="Chiron", version="1", auth=SessionAuth(csrf=True), docs_url=None, openapi_url=None
)
api.add_router("", answers.router)
api.add_router("", flags.router)
api.add_router("", previews.router)
api.add_router("", notices.router)
api.add_router("", practice.router)


@api.exception_handler(AnswerNotFound)
def not_found(request: HttpRequest, error: AnswerNotFound) -> HttpResponse:
    return api.problem(request, 404, str(error))


@api.exception_handler(TextRefused)
def text_refused(request: HttpRequest, error: TextRefused) -> HttpResponse:
    return api.problem(request, 422, str(error))


@api.exception_handler(FlagRefused)
def flag_refused(request: HttpRequest, error: FlagRefused) -> HttpResponse:
    return api.problem(request, 410, str(error))


@api.exception_handler(PracticeClosed)
def practice_closed(request: HttpRequest, error: PracticeClosed) -> HttpResponse:
    return api.problem(request, 422, str(error))


@api.exception_handler(PreviewRefused)
def preview_refused(request: HttpRequest, error: PreviewRefused) -> HttpResponse:
    return api.problem(request, 429, str(error))
