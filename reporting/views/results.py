"""Results: tables, and a figure of the same numbers."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from presentation.figures import figure_file, shows_several_points, with_scope
from presentation.first_intervals import interval_sentences
from psychometrics.inference.measure import Block, Scope
from reporting.selectors.reports import report_of
from reporting.views.ability_chart import ability_chart
from reporting.views.measurement.beside import beside_categories, beside_table
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.measurement.scopes import has_choice, scope_asked, scope_context, scope_words
from scoring.models import Measurement, ResultSet
from scoring.selectors.measures import block_measures, measurement_of
from scoring.selectors.runs import changes_since, newest_study_results
from screening.views.blinding import unblinded_study_required
from studies.models import Study

# Opened by itself, a figure is a document whose drawing is styled inline; it runs and loads nothing.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@unblinded_study_required
@require_safe
def staff_results(request: HttpRequest, study: Study) -> HttpResponse:
    """The newest results, with what a reader must know before quoting them."""
    results = newest_study_results(study)
    choice = has_choice(results)
    scope = scope_asked(request, choice=choice)
    measurement = measurement_of(results) if results else None
    report = report_of(results, scope) if results else None
    context = {
        "study": study,
        "report": report,
        "person_se": person_error(measurement, scope) if measurement else None,
        "has_figure": report is not None and shows_several_points(ability_chart(report)),
        "changes": changes_since(results) if results else [],
        "pages": PAGES,
        "intervals": list(interval_sentences(report.overall, report.categories)) if report else [],
        "beside": beside_table(report, measurement) if report else None,
        "beside_categories": beside_categories(report) if report else None,
        **scope_context(scope, choice=choice),
    }
    return render(request, "reporting/results.html", context)


@unblinded_study_required
@require_safe
def staff_results_figure(request: HttpRequest, study: Study, results_id: int) -> HttpResponse:
    """Average with its first interval, and Top, as SVG."""
    results = ResultSet.objects.filter(run__study=study, pk=results_id).first()
    if results is None:
        raise Http404
    choice = has_choice(results)
    scope = scope_asked(request, choice=choice)
    chart = ability_chart(report_of(results, scope))
    if chart is None:
        raise Http404
    return HttpResponse(
        figure_file(with_scope(chart, scope_words(scope, choice=choice)), "svg"),
        content_type="image/svg+xml",
        headers={"Content-Security-Policy": FIGURE_POLICY},
    )


def person_error(measurement: Measurement, scope: Scope) -> float | None:
    """The median standard error of a single person's theta, in logits."""
    row = block_measures(measurement, Block.COHORT, scope).get("person.se")
    return row.value if row else None
