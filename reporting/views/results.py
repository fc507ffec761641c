"""The first page of the results: one sentence, the ladder, three numbers, categories, whether to trust it."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from jobs.selectors import unless_done
from jobs.services.starting import job_start
from presentation.drawings.shapes import WIDE
from presentation.first_intervals import interval_sentences
from psychometrics.inference.measure import Block, Scope
from reporting.selectors.headline import PERSON_ERROR, Headline, headline_of
from reporting.selectors.reports import NO_ITEM_BANK, SIMULATED, report_of
from reporting.views.figures import FigureShown, drawing_response, figure_files, figure_shown
from reporting.views.headline.categories import ABILITY, RAW, categories_shown
from reporting.views.headline.figure import ladder_caption, ladder_drawing, ladder_table, ladder_title
from reporting.views.headline.sentence import headline_sentence
from reporting.views.headline.tiles import tiles
from reporting.views.headline.trust import checks
from reporting.views.measurement.beside import beside_categories, beside_table
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.measurement.scopes import ScopeShown, scope_of_results
from reporting.views.tabs import blocks_absent, results_tabs
from scoring.jobs import RESULTS
from scoring.models import Measurement, ResultSet
from scoring.selectors.leaderboards import ModelChanges, model_changes
from scoring.selectors.measures import BlockMeasures, block_measures, measurement_of
from scoring.selectors.runs import (
    changes_since,
    measures_are_coming,
    newest_study_results,
    results_are_coming,
    way_on,
)
from screening.views.blinding import unblinded_study_required
from studies.models import Study
from studies.roles import Can
from studies.selectors.names import code_names
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import rights_here, signed_in, study_page
from studies.views.csv_files import csv_file

VALUES = "values"


@unblinded_study_required
@require_safe
def staff_results(request: HttpRequest, study: Study) -> HttpResponse:
    """The newest results, with what a reader must know before quoting them."""
    results = newest_study_results(study)
    if results is not None:
        results.run.study = study  # so that nothing of it is read again
    basis = scope_of_results(request, results)
    query = basis.context["scope_query"]
    context = {
        "study": study,
        "results": results,
        "job": unless_done(study, RESULTS),
        "way_on": way_on(results, changes_since(results)) if results else None,
        "coming": results is None and results_are_coming(study, server_now()),
        "tabs": results_tabs(study, query, measurement_of(results) if results else None, basis.scope),
        **basis.context,
    }
    if results is not None and basis.scope is not None:
        context |= _results_context(request, study, results, basis)
    return render(request, "reporting/results.html", context)


def _results_context(
    request: HttpRequest, study: Study, results: ResultSet, basis: ScopeShown
) -> dict[str, Any]:
    query = basis.context["scope_query"]
    measurement = measurement_of(results)
    headline = _headline(results, basis, measurement)
    tasks = _tasks(request, measurement, basis) if headline.report.tasks else None
    values = RAW if request.GET.get(VALUES) == RAW or headline.ability is None else ABILITY
    about_tasks = str(PAGES[Block.BENCHMARK].finding(tasks)) if tasks and headline.ability is None else ""
    newer = model_changes(study)
    sentence = about_tasks or headline_sentence(headline, _models_since(study, measurement, newer))
    categories = categories_shown(headline, values, code_names(study))
    gaps: dict[str, list[str]] = {}
    for category in categories:
        if not category.drawing:
            gaps.setdefault(category.why, []).append(category.name)

    def is_said(text: str) -> bool:
        return escape(text) in sentence

    absent = blocks_absent(study, measurement, basis.scope) if measurement and basis.scope else {}
    return {
        "report": headline.report,
        "found": headline,
        # Others stand above every page of the study, in the card of what is absent, or in the sentence.
        "notes": [
            note
            for note in headline.report.notes
            if note not in {str(SIMULATED), str(NO_ITEM_BANK), *headline.report.metric_notes}
            and not is_said(note)
        ],
        "absent": {
            (_("for the reason above.") if why == str(NO_ITEM_BANK) or is_said(why) else why): titles
            for why, titles in absent.items()
        },
        "tasks": tasks,
        "sentence": sentence,
        "changes": changes_since(results),
        "newer_models": newer,
        "measuring": measures_are_coming(results, server_now()),
        "first": _first_figure(headline, tasks, query, slug=study.slug, results_id=results.pk),
        "tiles": tiles(headline),
        "categories": [category for category in categories if category.drawing],
        "gaps": gaps,
        "values": values,
        "checks": checks(study, headline, query),
        "intervals": list(interval_sentences(headline.report.overall, headline.report.categories)),
        "person_se": (row.value if (row := headline.get(PERSON_ERROR)) else None),
        "beside": beside_table(headline.report, headline),
        "beside_categories": beside_categories(headline.report),
    }


def _first_figure(
    headline: Headline, tasks: BlockMeasures | None, query: str, **place: object
) -> FigureShown | None:
    """The ladder; where there is none, each task with people's share of right answers."""
    ladder = figure_shown(
        lambda width: ladder_drawing(headline, width),
        title=ladder_title(headline),
        about=_("People on the ladder of models, from weaker to stronger; the table has the numbers."),
        caption=ladder_caption(headline),
        files=figure_files("staff_results_figure", query, **place),
        table=ladder_table(headline),
    )
    if ladder or not tasks:
        return ladder
    page = PAGES[Block.BENCHMARK]
    plot = page.figures["tasks"]
    files = figure_files("staff_measurement_figure", query, **place, block=Block.BENCHMARK, figure=plot.name)
    table = next(table for view, table in page.viewed_tables(tasks) if view == plot.view)
    return figure_shown(
        partial(plot.draw, tasks),
        title=plot.title, about=plot.alt, caption=plot.caption, files=files, table=table,
    )  # fmt: skip


def _models_since(study: Study, measurement: Measurement | None, newer: ModelChanges | None) -> str:
    """What is said of models in place of that there are none, where some came after the computation."""
    if newer:
        return _("Results of models are there that a lead has not taken over into this study yet.")
    measured = measurement.models_version if measurement else None
    if measurement and (study.models_version or 0) > (measured or 0):
        return _("Results of models came after these numbers: recompute, and people stand among them.")
    return ""


def _tasks(request: HttpRequest, measurement: Measurement | None, basis: ScopeShown) -> BlockMeasures | None:
    """The block of a benchmark with tasks, once it is measured."""
    if measurement is None or basis.scope is None:
        return None
    block = block_measures(measurement, Block.BENCHMARK, basis.scope, rights_here(request))
    return block if block.state == "computed" else None


def _headline(results: ResultSet, basis: ScopeShown, measurement: Measurement | None) -> Headline:
    return headline_of(report_of(results, basis.scope or Scope.PUBLIC), measurement)


@unblinded_study_required
@require_safe
def staff_results_figure(request: HttpRequest, study: Study, results_id: int, extension: str) -> HttpResponse:
    """The ladder to take away."""
    headline, basis = _stored_headline(request, study, results_id)
    return drawing_response(ladder_drawing(headline, WIDE), extension, basis.words)


@unblinded_study_required
@require_safe
def staff_results_table(request: HttpRequest, study: Study, results_id: int) -> HttpResponseBase:
    """Everybody on the ladder as CSV."""
    headline, _basis = _stored_headline(request, study, results_id)
    if headline.ability is None:
        raise Http404
    return csv_file(request, "results", ladder_table(headline).lines(), study=study)


def _stored_headline(request: HttpRequest, study: Study, results_id: int) -> tuple[Headline, ScopeShown]:
    results = get_object_or_404(ResultSet, run__study=study, pk=results_id)
    basis = scope_of_results(request, results)
    if basis.scope is None:
        raise Http404
    return _headline(results, basis, measurement_of(results)), basis


@study_page(Can.JUDGE)
@require_POST
def staff_results_recompute(request: HttpRequest, study: Study) -> HttpResponse:
    """Bring results, agreement and measurement up to the verdicts and scores as they are now, as a job."""
    try:
        job_start(kind=RESULTS, study=study, actor=signed_in(request), now=server_now())
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("staff_judging" if "judging" in request.POST else "staff_results", slug=study.slug)
