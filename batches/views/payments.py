"""The list for whoever pays the participants."""

import csv

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from batches.services.payments import payments_list
from studies.models import Study
from studies.views.access import signed_in, staff_study_required
from studies.views.second_factor import proof_required


@staff_study_required
@require_GET
@proof_required
def staff_payments(request: HttpRequest, study: Study) -> HttpResponse:
    """A CSV file; asking for it is recorded."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-payments.csv"'
    rows = payments_list(study=study, actor=signed_in(request), now=timezone.now())
    csv.writer(response, lineterminator="\n").writerows(rows)
    return response
