"""The staff's list of studies."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from studies.selectors.studies import studies_with_people
from studies.views.access import staff_required


@never_cache
@staff_required
@require_safe
def staff_home(request: HttpRequest) -> HttpResponse:
    """Every study, newest first, with how many people wait for a decision."""
    return render(request, "studies/staff_home.html", {"studies": studies_with_people()})
