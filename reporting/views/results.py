"""Results: tables, and a figure of the same numbers."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from presentation.figures import shows_several_points
from presentation.first_intervals import interval_sentences
from psychometrics.inference.measure import Block
from reporting.selectors.reports import report_of
from reporting.views.figures import ability_chart, figure_response
from reporting.views.measurement.beside import beside_categories, beside_table
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.measurement.scopes import scope_of_results
from scoring.models import ResultSet
from scoring.selectors.measures import block_measures, measurement_of
from scoring.selectors.runs import changes_since, newest_study_results
from screening.views.blinding import unblinded_study_required
from studies.models import Study


@unblinded_study_required
@require_safe
def staff_results(request: HttpRequest, study: Study) -> HttpResponse:
    """The newest results, with what a reader must know before quoting them."""
    results = newest_study_results(study)
    shown = scope_of_results(request, results)
    measurement = measurement_of(results) if results else None
    report = report_of(results, shown.scope) if results else None
    cohort = block_measures(measurement, Block.COHORT, shown.scope) if measurement else None
    person_error = cohort.get("person.se") if cohort else None
    context = {
        "study": study,
        "report": report,
        "person_se": person_error.value if person_error else None,
        "has_figure": report is not None and shows_several_points(ability_chart(report)),
        "changes": changes_since(results) if results else [],
        "pages": PAGES,
        "intervals": list(interval_sentences(report.overall, report.categories)) if report else [],
        "beside": beside_table(report, measurement) if report else None,
        "beside_categories": beside_categories(report) if report else None,
        **shown.context,
    }
    return render(request, "reporting/results.html", context)


@unblinded_study_required
@require_safe
def staff_results_figure(request: HttpRequest, study: Study, results_id: int) -> HttpResponse:
    """Average with its first interval, and Top, as SVG."""
    results = get_object_or_404(ResultSet, run__study=study, pk=results_id)
    shown = scope_of_results(request, results)
    return figure_response(ability_chart(report_of(results, shown.scope)), words=shown.words)
