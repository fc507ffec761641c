"""The measurement of a study's newest results: one page per block, from stored numbers."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from presentation.figures import shows_several_points
from psychometrics.inference.measure import Block
from reporting.views.figures import TYPES, figure_response
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.measurement.scopes import scope_of_results
from scoring.models import ResultSet
from scoring.selectors.measures import block_measures, measurement_of
from scoring.selectors.runs import changes_since, newest_study_results
from screening.views.blinding import unblinded_study_required
from studies.models import Study


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
