"""Files shown with prompts, under unguessable addresses and only to those working on them."""

import uuid

from csp.decorators import csp_exempt
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from batches.selectors.sessions import attachment_for_user, works_on
from studies.bank.records import PDF_TYPE
from studies.models import User
from studies.selectors.private_questions import is_private
from studies.services.clock import server_now
from studies.services.private_questions import private_seen_of_bank
from studies.services.storage import stored_file
from studies.views.second_factor import second_factor_missing


@require_safe
@cache_control(private=True, no_cache=True)
def attachment(request: HttpRequest, token: uuid.UUID, name: str) -> HttpResponseBase:
    """The file, or 404 for everybody whose running session does not hold its prompt.

    Browsers keep a copy and ask before each use: "not modified" is only said to those who may still see it.
    Of a private prompt they keep none.
    """
    user = request.user
    if not isinstance(user, User):
        raise Http404("no attachment for visitors")
    as_staff = user.is_staff and not second_factor_missing(request)
    found = attachment_for_user(user, token, as_staff=as_staff, now=server_now())
    if found is None or found.name != name:
        raise Http404("no such attachment for this person")
    if is_private(found.prompt) and not works_on(user, found):
        version, labels = found.prompt.version, {found.prompt.label}
        private_seen_of_bank(version=version, page="file", labels=labels, actor=user, now=server_now())
    etag = quote_etag(found.sha256)
    unmodified = get_conditional_response(request, etag=etag)
    if unmodified is not None:
        unmodified["ETag"] = etag
        # A browser takes over the headers of "not modified" for the copy it keeps.
        return _framed(request, unmodified) if found.media_type == PDF_TYPE else unmodified
    content = stored_file(found)
    if content is None:
        raise Http404("its file is missing")
    response = FileResponse(content, filename=found.name, content_type=found.media_type)
    response["ETag"] = etag
    if is_private(found.prompt):
        response["Cache-Control"] = "no-store"
    return _framed(request, response) if found.media_type == PDF_TYPE else response


def _framed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The browser's PDF viewer stands in a frame of our page and does not work under the page's policy."""
    response["X-Frame-Options"] = "SAMEORIGIN"
    return csp_exempt()(lambda _request: response)(request)
