"""How far the judges of a study agree: numbers as stored, beside the paper's, and figures of them."""

from collections.abc import Iterable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from judging.models import JudgingRun
from judging.selectors.judges import run_name
from presentation.agreement import PUBLISHED_ONLY, STATISTICS, statistic_name
from presentation.catalogue import meaning_of
from presentation.drawings.shapes import WIDE
from presentation.numbers import counted
from psychometrics.agreement.reference import PUBLISHED_ABILITIES, reference_figures
from psychometrics.inference.measure import Scope
from reporting.views.agreement.drawings import FIGURES
from reporting.views.agreement.pairs import LevelShown, PairShown
from reporting.views.agreement.tables import pair_of, panels_shown
from reporting.views.figures import FigureShown, drawing_response, figure_files, figure_shown
from reporting.views.measurement.scopes import ScopeShown, lead_of_scores, scope_of_scores
from scoring.models import JudgeComparison
from scoring.selectors.judges import design_of, newly_judged, panels, study_agreements
from scoring.selectors.runs import rests_on_an_earlier_protocol
from screening.views.blinding import unblinded_study_required
from studies.models import Study


@unblinded_study_required
@require_safe
def staff_agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """Two judges' answers drawn, all pairs in short, theta under every judge, and those two in full."""
    stored = list(study_agreements(study))
    basis = scope_of_scores(request, study, choice=_has_both(stored))
    stored_panels = panels_shown(row for row in stored if row.scope == basis.scope)
    chosen = pair_of(stored_panels, request.GET.get("x", ""), request.GET.get("y", ""))
    panel, pair = chosen if chosen else (None, None)
    levels = [(level, _figures(study, level, pair)) for level in (*pair.scores, pair.people)] if pair else []
    first = next((drawn for level, drawn in levels if drawn and level.row.level == "answer"), {})
    context = {
        "study": study,
        "panel": panel,
        "pair": pair,
        "others": [other for other in stored_panels if other is not panel],
        "statistics": [(statistic_name(name), meaning_of(f"agreement.{name}")) for name in STATISTICS],
        "published_abilities": PUBLISHED_ABILITIES,
        "published_figures": [
            (name, reference_figures(level)[statistic]) for (level, statistic), name in PUBLISHED_ONLY.items()
        ],
        "figure": first.pop("differences", None),
        "levels": levels,
        "judged": newly_judged(pair.first, pair.second, pair.computed_at) if pair else 0,
        "untold": basis.scope is None,
        "could_compute": bool(pair is None and panels(study)),
        "judge_again": rests_on_an_earlier_protocol(study),
        **basis.context,
    }
    return render(request, "reporting/agreement.html", context)


def _has_both(stored: Iterable[JudgeComparison]) -> bool:
    """Whether there are numbers of the public questions alone beside those of all."""
    return any(row.scope == Scope.PUBLIC for row in stored)


def _figures(study: Study, level: LevelShown, pair: PairShown) -> dict[str, FigureShown | None]:
    """Both figures of one kind of score, by name; none where single pairs were not kept."""
    if not level.values.get("cells"):
        return {}
    texts = {
        "differences": (
            _("How far apart the judges are: %(level)s"),
            _(
                "Differences %(y)s − %(x)s over the mean of both, with the offset and its limits. The table "
                "below holds these numbers."
            ),
            _(
                "Differences over means, after Bland and Altman; a larger point is more scores. Outside of "
                "the limits: %(count)s."
            ),
        ),
        "confusion": (
            _("Met or not: %(level)s"),
            _("How many scores %(x)s and %(y)s call met or not. The table below holds these numbers."),
            _("Scores of both judges, by which of them calls them met (at least 0.5)."),
        ),
    }
    facts = {"level": level.name, "x": pair.x, "y": pair.y, "count": counted(level.values["outside"])}
    return {
        name: figure_shown(
            partial(draw, level.values, pair.x, pair.y),
            title=texts[name][0] % facts,
            about=texts[name][1] % facts,
            caption=texts[name][2] % facts,
            full=name == "differences",
            files=figure_files(
                "staff_agreement_figure", "", slug=study.slug, agreement_id=level.row.pk, figure=name
            ),
        )
        for name, draw in FIGURES.items()
    }


@unblinded_study_required
@require_safe
def staff_agreement_figure(
    request: HttpRequest, study: Study, agreement_id: int, figure: str, extension: str
) -> HttpResponse:
    """The differences of two judges, or what both call met, as a file."""
    comparison = study_agreements(study).filter(pk=agreement_id).first()
    if comparison is None or figure not in FIGURES or not comparison.values.get("cells"):
        raise Http404
    lead = lead_of_scores(study, choice=_has_both(study_agreements(study)))
    if comparison.scope != lead.scope and not lead.may_switch:
        raise Http404
    drawn = FIGURES[figure](comparison.values, run_name(comparison.first), run_name(comparison.second), WIDE)
    return drawing_response(drawn, extension, ScopeShown(Scope(comparison.scope), lead).words)


def agreement_panel(run: JudgingRun) -> str:
    """What a judging run's page shows of its judges' agreement; blank where nothing is stored."""
    stored = list(study_agreements(run.study).filter(first__design_hash=design_of(run)))
    lead = lead_of_scores(run.study, choice=_has_both(stored))
    panel = next(iter(panels_shown(row for row in stored if row.scope == lead.scope)), None)
    context = {"study": run.study, "panel": panel}
    return render_to_string("reporting/_agreement.html", context) if panel else ""
