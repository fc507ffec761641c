"""The measurement of a study's newest results: one page per block, from stored numbers."""

from io import BytesIO
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from psychometrics.inference.measure import Block
from reporting.views.figures import in_readers_numbers, shows_several_points, with_scope
from reporting.views.measurement.blocks_shown import PAGES, block_links
from reporting.views.measurement.scopes import has_choice, scope_asked, scope_context, scope_words
from reporting.views.measurement.shown import BlockPage, FigureSpec
from reporting.views.results import FIGURE_POLICY
from scoring.models import ResultSet
from scoring.selectors.measures import BlockMeasures, block_measures, measurement_of
from scoring.selectors.runs import changes_since, newest_study_results
from screening.views.blinding import unblinded_study_required
from studies.models import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
PNG_DOTS_PER_INCH = 200


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
        "links": block_links(),
        **scope_context(scope, choice=choice),
        "shown_block": chosen,  # templates have a variable "block" of their own
        "page": page,
        "found": found,
        "summary": page.summary(found) if found and found.state == "computed" else (),
        "tables": page.tables(found) if found and found.rows else (),
        "figures": drawable(page, found) if found and found.rows else {},
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
    spec = PAGES[block_or_404(block)].figures.get(figure)
    if measurement is None or spec is None or extension not in FIGURE_TYPES:
        raise Http404
    choice = has_choice(results)
    scope = scope_asked(request, choice=choice)
    drawn = spec.draw(block_measures(measurement, Block(block), scope))
    if drawn is None:
        raise Http404
    return HttpResponse(
        figure_bytes(with_scope(drawn, scope_words(scope, choice=choice)), extension),
        content_type=FIGURE_TYPES[extension],
        headers={"Content-Security-Policy": FIGURE_POLICY},
    )


def drawable(page: BlockPage, found: BlockMeasures) -> dict[str, FigureSpec]:
    """The figures that there is something to compare in."""
    drawn = {name: spec.draw(found) for name, spec in page.figures.items()}
    return {
        name: page.figures[name]
        for name, figure in drawn.items()
        if figure is not None and shows_several_points(figure)
    }


def block_or_404(block: str) -> Block:
    try:
        return Block(block)
    except ValueError:
        raise Http404 from None


def figure_bytes(figure: "Figure", extension: str) -> bytes:
    """The file of a figure. It carries no date and no chance ids: equal numbers give equal files."""
    # Importing matplotlib takes half a second, which no command and no other page should pay.
    from matplotlib import rc_context

    image = BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "chiron"}):
        in_readers_numbers(figure).savefig(
            image, format=extension, dpi=PNG_DOTS_PER_INCH, metadata=dates.get(extension)
        )
    return image.getvalue()
