"""Screening is blind: whoever may still decide on somebody sees no scores, and not who is Top.

Reviewers never see results. Who leads a study may decide, too, and sees none while a verdict is open; an
analyst may not decide, and does.
"""

from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from screening.selectors.participants import undecided_participants
from studies.models import Study
from studies.roles import Can
from studies.views.access import Guarded, P, StudyView, rights_here, study_page


def unblinded_study_required(view: StudyView[P]) -> Guarded:
    """For pages and files that tell scores or Top: refused to whoever may decide while a verdict is open."""

    @wraps(view)
    def unblinded(
        request: HttpRequest, study: Study, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        return results_hidden(request, study) or view(request, study, *args, **kwargs)

    return study_page(Can.SEE_RESULTS)(unblinded)


def results_hidden(request: HttpRequest, study: Study) -> HttpResponse | None:
    """What is said instead of results; None where no verdict is open, or the person may not decide."""
    waiting = _open_verdicts(request, study)
    if not waiting:
        return None
    context = {"study": study, "waiting": waiting}
    return render(request, "screening/results_hidden.html", context, status=HTTPStatus.FORBIDDEN)


def results_are_hidden(request: HttpRequest, study: Study) -> bool:
    """The same, for pages of which scores are a part."""
    return _open_verdicts(request, study) > 0


def _open_verdicts(request: HttpRequest, study: Study) -> int:
    return undecided_participants(study).count() if Can.REVIEW in rights_here(request) else 0
