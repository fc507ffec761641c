"""The first pages: an introduction or one's own studies, and the staff's list of studies."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from studies.models import User
from studies.roles import SiteCan
from studies.selectors.participants import participations_of
from studies.selectors.roles import rights_by_study
from studies.selectors.studies import studies_with_people
from studies.views.access import signed_in, site_page


@cache_control(private=True, no_cache=True)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this site is, for visitors; the studies a signed-in person takes part in."""
    if not isinstance(request.user, User):
        return render(request, "studies/welcome.html")
    return render(request, "studies/home.html", {"participations": participations_of(request.user)})


@site_page(SiteCan.PLAN)
@require_safe
def staff_home(request: HttpRequest) -> HttpResponse:
    """The studies somebody has a part in, newest first, with how many people wait for a decision."""
    user = signed_in(request)
    studies = list(studies_with_people(user))
    rights = rights_by_study(user, studies)
    for study in studies:
        study.rights = rights[study.pk]  # type: ignore[attr-defined]
    return render(request, "studies/staff_home.html", {"studies": studies})
