"""Results: tables, and a figure of the same numbers."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scoring.models import ResultSet
from scoring.selectors.reports import report_of
from scoring.selectors.runs import changes_since, newest_study_results
from scoring.views.access import staff_study_required
from scoring.views.figures import ability_figure
from studies.models import Study

# Opened by itself, a figure is a document whose drawing is styled inline; it runs and loads nothing.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@staff_study_required
@require_safe
def staff_results(request: HttpRequest, study: Study) -> HttpResponse:
    """The newest results, with what a reader must know before quoting them."""
    results = newest_study_results(study)
    context = {
        "study": study,
        "report": report_of(results) if results else None,
        "changes": changes_since(results) if results else [],
    }
    return render(request, "scoring/results.html", context)


@staff_study_required
@require_safe
def staff_results_figure(request: HttpRequest, study: Study, results_id: int) -> HttpResponse:
    """Average and Top with their intervals, as SVG."""
    results = ResultSet.objects.filter(run__study=study, pk=results_id).first()
    if results is None:
        raise Http404
    return HttpResponse(
        ability_figure(report_of(results)),
        content_type="image/svg+xml",
        headers={"Content-Security-Policy": FIGURE_POLICY},
    )
