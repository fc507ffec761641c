"""Screening is blind: whoever may still decide on somebody sees no scores, and not who is Top.

Every member of the staff may decide, so while a verdict is open nobody on the pages sees results.
"""

from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from screening.selectors.participants import undecided_participants
from studies.models import Study
from studies.views.access import Guarded, P, StudyView, staff_study_required


def unblinded_study_required(view: StudyView[P]) -> Guarded:
    """`staff_study_required` for pages and files that tell scores or Top: refused while a verdict is open."""

    @wraps(view)
    def unblinded(
        request: HttpRequest, study: Study, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        return results_hidden(request, study) or view(request, study, *args, **kwargs)

    return staff_study_required(unblinded)


def results_hidden(request: HttpRequest, study: Study) -> HttpResponse | None:
    """What is said instead of results; None where no verdict is open."""
    waiting = undecided_participants(study).count()
    if not waiting:
        return None
    context = {"study": study, "waiting": waiting}
    return render(request, "reporting/results_hidden.html", context, status=HTTPStatus.FORBIDDEN)
