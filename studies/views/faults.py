"""The page for a request that cannot be read."""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.decorators.csrf import requires_csrf_token

BEYOND_LIMITS = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


@requires_csrf_token
def unreadable_request(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 where repeating it would not help: it holds more than is taken."""
    too_large = isinstance(exception, BEYOND_LIMITS)
    # Without the request: what signs people in may be what cannot be read.
    page = loader.render_to_string("400.html", {"too_large": too_large})
    return HttpResponse(page, status=413 if too_large else 400)
