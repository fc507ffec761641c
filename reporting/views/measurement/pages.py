"""A page for each block of the measurement, from stored numbers: tables, and figures of the same."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from presentation.catalogue import WORDS
from presentation.drawings.shapes import WIDE
from presentation.measures import reasons_apart
from presentation.tables import Exact, Table
from psychometrics.inference.measure import Block, Scope
from reporting.views.figures import FigureShown, drawing_response, figure_files, figure_shown
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.measurement.parts import BlockPage
from reporting.views.measurement.scopes import ScopeShown, scope_of_results
from reporting.views.table_sorting import TableShown, sort_of, table_shown
from reporting.views.tabs import block_title, blocks_beside, results_tabs, why_without_numbers
from scoring.models import Measurement, ResultSet
from scoring.selectors.measures import BlockMeasures, block_measures, measurement_of
from scoring.selectors.runs import changes_since, measures_are_coming, newest_study_results, way_on
from screening.views.blinding import unblinded_study_required
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.views.access import private_shown, rights_here
from studies.views.csv_files import csv_file

VIEW = "part"
MOST_NOTES = 2  # below a table


@unblinded_study_required
@require_safe
def staff_measurement(request: HttpRequest, study: Study, block: str) -> HttpResponse:
    """One block of the newest results."""
    chosen = _block_or_404(block)
    results = newest_study_results(study)
    measurement = measurement_of(results) if results else None
    page, basis = PAGES[chosen], scope_of_results(request, results)
    query = basis.context["scope_query"]
    measures = (
        _seen_block(request, study, measurement, chosen, basis) if measurement and basis.scope else None
    )
    changes = changes_since(results) if results else []
    tables = page.viewed_tables(measures) if measures else []
    views = [name for name in page.views if any(view == name for view, _table in tables)]
    view = wanted if (wanted := request.GET.get(VIEW, "")) in views else next(iter(views), "")
    context = {
        "study": study,
        "results": results,
        "measurement": measurement,
        "changes": changes,
        "way_on": way_on(results, changes) if results else None,
        "measuring": results is not None and measures_are_coming(results, server_now()),
        "tabs": results_tabs(study, query, measurement, basis.scope, chosen),
        "blocks": blocks_beside(study, query, measurement, basis.scope, chosen),
        "views": {name: page.views[name] for name in views},
        "shown_view": view,
        **basis.context,
        "shown_block": chosen,  # templates have a variable "block" of their own
        "title": block_title(chosen),
        "page": page,
        "found": measures,
        "withheld": (
            basis.lead.may_switch
            and basis.scope == Scope.ALL
            and Can.SEE_PRIVATE not in rights_here(request)
            and measures is not None
            and any(row.prompt_id for row in measures.rows)
        ),
        "finding": page.finding(measures) if measures and measures.state == "computed" else "",
        **(_tables_context(request, page, measures, tables, view) if measures else {}),
        "figures": _figures(study, results, page, measures, basis, view) if results and measures else (),
    }
    return render(request, "reporting/measurement.html", context)


def _tables_context(
    request: HttpRequest,
    page: BlockPage,
    measures: BlockMeasures,
    tables: Sequence[tuple[str, Table]],
    view: str,
) -> dict[str, Any]:
    """The tables of the view; why numbers are absent, once for all of them; how to read them, with the notes
    of a table that has many; and the exact terms that their words stand for.
    """
    tables_shown: list[tuple[int, TableShown]] = []
    reasons: list[str] = []
    empty: list[str] = []
    summary = page.summary(measures)
    for number, (of, table) in enumerate(tables, start=1):
        if of not in {"", view}:
            continue
        there, why, without = reasons_apart(table)
        reasons, empty = reasons + why, empty + without
        if len(table.notes) > MOST_NOTES:
            summary, there = [*summary, *table.notes], replace(there, notes=())
        if there.rows:
            tables_shown.append((number, table_shown(request, there, number)))
    # The exact terms of heads and cells in plain words beside `WORDS`: tooltips have them, too.
    terms, known = {}, {str(plain) for plain, _exact in WORDS}
    for _number, sortable in tables_shown:
        for cell in chain(sortable.table.head, *sortable.table.rows):
            if isinstance(cell, Exact):
                terms[cell[:1].upper() + cell[1:]] = cell.code
    return {
        "tables": tables_shown,
        "reasons": list(dict.fromkeys(reasons)),
        "empty": list(dict.fromkeys(empty)),
        "summary": summary,
        "terms": {plain: terms[plain] for plain in sorted(terms) if plain not in known},
        "words": WORDS,
    }


def _figures(
    study: Study,
    results: ResultSet,
    page: BlockPage,
    measures: BlockMeasures,
    basis: ScopeShown,
    view: str,
) -> list[FigureShown]:
    """Those of the view that there is something to compare in."""
    if not measures.rows:
        return []
    place = {"slug": study.slug, "results_id": results.pk, "block": measures.block}
    drawn = (
        figure_shown(
            partial(plot.draw, measures),
            title=plot.title,
            about=plot.alt,
            caption=plot.caption,
            files=figure_files(
                "staff_measurement_figure", basis.context["scope_query"], **place, figure=name
            ),
            full=True,
        )
        for name, plot in page.figures.items()
        if plot.view in {"", view}
    )
    return [figure for figure in drawn if figure]


@unblinded_study_required
@require_safe
def staff_measurement_figure(
    request: HttpRequest, study: Study, results_id: int, block: str, figure: str, extension: str
) -> HttpResponse:
    """One figure of a block, for a paper."""
    plot = PAGES[_block_or_404(block)].figures.get(figure)
    if plot is None:
        raise Http404
    measures, basis = _stored_block(request, study, results_id, block)
    return drawing_response(plot.draw(measures, WIDE), extension, basis.words)


@unblinded_study_required
@require_safe
def staff_measurement_table(
    request: HttpRequest, study: Study, results_id: int, block: str, number: int
) -> HttpResponseBase:
    """One table of a block as CSV; `number` counts those that are shown, from 1."""
    measures, _basis = _stored_block(request, study, results_id, block)
    tables = PAGES[measures.block].tables(measures)
    if not 1 <= number <= len(tables):
        raise Http404
    table = tables[number - 1].sorted(sort_of(request, number))
    return csv_file(request, f"{block}-{number}", table.lines(), study=study)


def _stored_block(
    request: HttpRequest, study: Study, results_id: int, block: str
) -> tuple[BlockMeasures, ScopeShown]:
    chosen = _block_or_404(block)
    stored = ResultSet.objects.select_related("run__study__bank_version")
    results = get_object_or_404(stored, run__study=study, pk=results_id)
    measurement, basis = measurement_of(results), scope_of_results(request, results)
    if measurement is None or basis.scope is None:
        raise Http404
    return _seen_block(request, study, measurement, chosen, basis), basis


def _seen_block(
    request: HttpRequest, study: Study, measurement: Measurement, block: Block, basis: ScopeShown
) -> BlockMeasures:
    """The block as the asking person sees it; that it shows private questions is recorded."""
    measures = block_measures(measurement, block, basis.scope or Scope.ALL, rights_here(request))
    private = (
        measures.labels.get(row.prompt_id, "") for row in measures.rows if row.details.get("public") is False
    )
    private_shown(request, study, "measurement", filter(None, private))
    return replace(measures, sentence=why_without_numbers(study, block, measures.sentence))


def _block_or_404(block: str) -> Block:
    """The block of this name, of those that have a page."""
    if block not in PAGES:
        raise Http404
    return Block(block)
