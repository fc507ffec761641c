"""Files shown with prompts, under unguessable addresses and only to those working on them."""

import uuid

from csp.decorators import csp_exempt
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from batches.selectors.attachments import attachment_for_user
from studies.bank.records import PDF_TYPE
from studies.models import User

FRESH_SECONDS = 3600


@require_safe
@cache_control(private=True, max_age=FRESH_SECONDS)
def attachment(request: HttpRequest, token: uuid.UUID, name: str) -> HttpResponseBase:
    """The file, or 404 for everybody whose running session does not hold its prompt."""
    user = request.user
    found = attachment_for_user(user, token, now=timezone.now()) if isinstance(user, User) else None
    if found is None or found.name != name:
        raise Http404("no such attachment for this person")
    response = FileResponse(found.file.open("rb"), filename=found.name, content_type=found.media_type)
    # The stored type is the only one the browser may see in it.
    response["X-Content-Type-Options"] = "nosniff"
    return framed(request, response) if found.media_type == PDF_TYPE else response


def framed(request: HttpRequest, response: FileResponse) -> HttpResponseBase:
    """The browser's PDF viewer stands in a frame of our page and does not work under the page's policy."""
    response["X-Frame-Options"] = "SAMEORIGIN"
    return csp_exempt()(lambda _request: response)(request)
