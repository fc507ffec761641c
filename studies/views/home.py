"""The first page: an introduction, or one's own studies."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from studies.models import User
from studies.selectors.participants import participations_of


@cache_control(private=True, no_cache=True)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this site is, for visitors; the studies a signed-in person takes part in."""
    if not isinstance(request.user, User):
        return render(request, "studies/welcome.html")
    return render(request, "studies/home.html", {"participations": participations_of(request.user)})
