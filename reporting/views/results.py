"""Results and their measurement, a page each block, from stored numbers: tables, and figures of the same."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from presentation.figures import shows_several_points
from presentation.first_intervals import interval_sentences
from psychometrics.inference.measure import Block
from reporting.selectors.reports import report_of
from reporting.views.figures import TYPES, ability_chart, figure_response
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


@unblinded_study_required
@require_safe
def staff_measurement(request: HttpRequest, study: Study, block: str) -> HttpResponse:
    """One block of the newest results."""
    chosen = _block_or_404(block)
    results = newest_study_results(study)
    measurement = measurement_of(results) if results else None
    page, shown = PAGES[chosen], scope_of_results(request, results)
    found = block_measures(measurement, chosen, shown.scope) if measurement else None
    plots = page.figures.items() if found and found.rows else ()
    context = {
        "study": study,
        "results": results,
        "measurement": measurement,
        "changes": changes_since(results) if results else [],
        "pages": PAGES,
        **shown.context,
        "shown_block": chosen,  # templates have a variable "block" of their own
        "page": page,
        "found": found,
        "summary": page.summary(found) if found else (),
        "tables": page.tables(found) if found else (),
        # Those that there is something to compare in.
        "figures": {name: plot for name, plot in plots if found and shows_several_points(plot.draw(found))},
    }
    return render(request, "reporting/measurement.html", context)


@unblinded_study_required
@require_safe
def staff_measurement_figure(
    request: HttpRequest, study: Study, results_id: int, block: str, figure: str, extension: str
) -> HttpResponse:
    """One figure of a block as SVG for the page, as PDF or PNG for a paper."""
    results = ResultSet.objects.filter(run__study=study, pk=results_id).first()
    measurement = measurement_of(results) if results else None
    plot = PAGES[_block_or_404(block)].figures.get(figure)
    if measurement is None or plot is None or extension not in TYPES:
        raise Http404
    shown = scope_of_results(request, results)
    drawn = plot.draw(block_measures(measurement, Block(block), shown.scope))
    return figure_response(drawn, extension, shown.words)


def _block_or_404(block: str) -> Block:
    """The block of this name, of those that have a page."""
    if block not in PAGES:
        raise Http404
    return Block(block)
