"""The staff's page of one study: its protocol, how far it has come, and where to go from here."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reporting.selectors.overview import study_overview
from studies.models import Study
from studies.views.access import staff_study_required


@staff_study_required
@require_safe
def staff_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Protocol, progress per profile and batch, coverage, amendments."""
    return render(request, "reporting/study.html", {"study": study, "overview": study_overview(study)})
