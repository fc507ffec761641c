"""The measurement of a study's newest results: one page per block, from stored numbers."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from presentation.figures import figure_file, shows_several_points, with_scope
from psychometrics.inference.measure import Block
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.measurement.parts import BlockPage, IntervalPlot, Plot
from reporting.views.measurement.scopes import has_choice, scope_asked, scope_context, scope_words
from reporting.views.results import FIGURE_POLICY
from scoring.models import ResultSet
from scoring.selectors.measures import BlockMeasures, block_measures, measurement_of
from scoring.selectors.runs import changes_since, newest_study_results
from screening.views.blinding import unblinded_study_required
from studies.models import Study

FIGURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@unblinded_study_required
@require_safe
def staff_measurement(request: HttpRequest, study: Study, block: str) -> HttpResponse:
    """One block of the newest results."""
    chosen = block_or_404(block)
    results = newest_study_results(study)
    measurement = measurement_of(results) if results else None
    choice = has_choice(results)
    page, scope = PAGES[chosen], scope_asked(request, choice=choice)
    found = block_measures(measurement, chosen, scope) if measurement else None
    context = {
        "study": study,
        "results": results,
        "measurement": measurement,
        "changes": changes_since(results) if results else [],
        "pages": PAGES,
        **scope_context(scope, choice=choice),
        "shown_block": chosen,  # templates have a variable "block" of their own
        "page": page,
        "found": found,
        "summary": page.summary(found) if found else (),
        "tables": page.tables(found) if found else (),
        "figures": drawable(page, found) if found else {},
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
    plot = PAGES[block_or_404(block)].figures.get(figure)
    if measurement is None or plot is None or extension not in FIGURE_TYPES:
        raise Http404
    choice = has_choice(results)
    scope = scope_asked(request, choice=choice)
    drawn = plot.draw(block_measures(measurement, Block(block), scope))
    if drawn is None:
        raise Http404
    return HttpResponse(
        figure_file(with_scope(drawn, scope_words(scope, choice=choice)), extension),
        content_type=FIGURE_TYPES[extension],
        headers={"Content-Security-Policy": FIGURE_POLICY},
    )


def drawable(page: BlockPage, found: BlockMeasures) -> dict[str, Plot | IntervalPlot]:
    """The figures that there is something to compare in."""
    plots = page.figures if found.rows else {}
    return {name: plot for name, plot in plots.items() if shows_several_points(plot.draw(found))}


def block_or_404(block: str) -> Block:
    """The block of this name, of those that have a page."""
    if block not in PAGES:
        raise Http404
    return Block(block)
