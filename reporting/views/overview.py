"""The staff's page of one study: its protocol, how far it has come, and where to go from here."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reporting.selectors.overview import study_overview
from studies.models import Study
from studies.roles import Can
from studies.views.access import study_page


@study_page(Can.SEE_STUDY, instead="staff_screening")
@require_safe
def staff_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Progress per profile and batch; for whoever may see the protocol, that, coverage and amendments.

    Reviewers must not know how far the study has come with whom: they are led to their own work.
    """
    return render(request, "reporting/study.html", {"study": study, "overview": study_overview(study)})
