"""The first pages: an introduction or one's own studies, and the staff's list of studies."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from studies.models import User
from studies.selectors.participants import participations_of
from studies.selectors.studies import studies_with_people
from studies.views.access import staff_required


@cache_control(private=True, no_cache=True)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this site is, for visitors; the studies a signed-in person takes part in."""
    if not isinstance(request.user, User):
        return render(request, "studies/welcome.html")
    return render(request, "studies/home.html", {"participations": participations_of(request.user)})


@never_cache
@staff_required
@require_safe
def staff_home(request: HttpRequest) -> HttpResponse:
    """Every study, newest first, with how many people wait for a decision."""
    return render(request, "studies/staff_home.html", {"studies": studies_with_people()})
