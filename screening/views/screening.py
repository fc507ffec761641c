"""The start of the off-task filter."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from jobs.services.starting import job_start
from screening.jobs import SCREENING
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.views.access import signed_in, study_page


@study_page(Can.JUDGE)
@require_POST
def staff_screening_filter(request: HttpRequest, study: Study) -> HttpResponse:
    """Have the rules look at everybody who has finished."""
    job_start(kind=SCREENING, study=study, actor=signed_in(request), now=server_now())
    return redirect("staff_screening", slug=study.slug)
