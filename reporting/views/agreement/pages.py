"""How far the judges of a study agree: numbers as stored, beside the paper's, and figures of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from judging.models import JudgingRun
from presentation.agreement import PUBLISHED_ONLY, STATISTICS, judge_name, statistic_name
from presentation.catalogue import meaning_of
from presentation.figures import BLUE, INK, ORANGE, WIDTH, Figure, chart, heat_grid, with_legend
from presentation.numbers import counted, decimals, percent
from psychometrics.agreement.reference import PUBLISHED_ABILITIES, reference_figures
from psychometrics.inference.measure import Scope
from reporting.views.agreement.tables import PanelShown, pair_of, panels_shown
from reporting.views.figures import figure_response
from reporting.views.measurement.scopes import ScopeShown, scope_asked
from scoring.selectors.agreements import design_of, newly_judged, panels, study_agreements
from screening.views.blinding import unblinded_study_required
from studies.models import Study

Values = Mapping[str, Any]
MIN_AREA, MAX_AREA = 12.0, 420.0  # areas of points


def _differences_figure(values: Values, x: str, y: str) -> "Figure":
    """Bland and Altman's figure: difference y - x over the mean of both; larger points are more pairs."""
    figure, axes = chart((WIDTH, 4.6), _("mean of both scores"), _("difference, y − x"))
    cells = np.array(values["cells"], dtype=np.float64)
    mean, difference, pairs = cells.T
    axes.scatter(
        mean, difference, s=np.maximum(MAX_AREA * pairs / pairs.max(), MIN_AREA), color=BLUE, alpha=0.6,
        linewidths=0,
    )  # fmt: skip
    lines = (
        ("upper_limit", _("offset + 1.96 SD:"), "--"),
        ("offset", _("offset:"), "-"),
        ("lower_limit", _("offset − 1.96 SD:"), "--"),
    )
    for name, label, style in lines:
        if (value := values["statistics"][name]["value"]) is not None:
            axes.axhline(
                value, color=ORANGE, linestyle=style, linewidth=1.4, label=f"{label} {decimals(value, 3)}"
            )
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-1.08, 1.08)
    return with_legend(figure)


def confusion_figure(values: Values, x: str, y: str) -> "Figure":
    """How many pairs each of the judges calls met (at least 0.5) or not."""
    cells = values["confusion"]
    table = np.array([[cells["both"], cells["only_x"]], [cells["only_y"], cells["neither"]]])
    shares = table / table.sum()
    texts = [
        [f"{counted(int(number))}\n{percent(share)}" for number, share in zip(*line, strict=True)]
        for line in zip(table, shares, strict=True)
    ]
    names = [_("met"), _("not met")]
    figure, axes = heat_grid(shares, texts, names, names, inches=(4.6, 4.2), colours="Blues", vmin=0, vmax=1)
    axes.tick_params(axis="y", rotation=90)
    axes.set_xlabel(f"y: {y}", parse_math=False)
    axes.set_ylabel(f"x: {x}", parse_math=False)
    return figure


FIGURES = {"differences": _differences_figure, "confusion": confusion_figure}


@unblinded_study_required
@require_safe
def staff_agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """All pairs in short, one of them in full, and theta under every judge."""
    stored = list(study_agreements(study))
    asked = scope_asked(request, choice=any(row.scope == Scope.PUBLIC for row in stored))
    shown = panels_shown(row for row in stored if row.scope == asked.scope)
    chosen = pair_of(shown, request.GET.get("x", ""), request.GET.get("y", ""))
    panel, pair = chosen if chosen else (None, None)
    context = {
        "study": study,
        "panel": panel,
        "pair": pair,
        "others": [one for one in shown if one is not panel],
        "statistics": [(statistic_name(name), meaning_of(f"agreement.{name}")) for name in STATISTICS],
        "published_abilities": PUBLISHED_ABILITIES,
        "published_figures": [
            (name, reference_figures(level)[statistic]) for (level, statistic), name in PUBLISHED_ONLY.items()
        ],
        "judged": newly_judged(pair.first, pair.second, pair.computed_at) if pair else 0,
        "could_compute": bool(pair is None and panels(study)),
        **asked.context,
    }
    return render(request, "reporting/agreement.html", context)


@unblinded_study_required
@require_safe
def staff_agreement_figure(
    request: HttpRequest, study: Study, agreement_id: int, figure: str
) -> HttpResponse:
    """The differences of two judges, or what both call met, as SVG."""
    found = study_agreements(study).filter(pk=agreement_id).first()
    if found is None or figure not in FIGURES or not found.values.get("cells"):
        raise Http404
    choice = study_agreements(study).filter(scope=Scope.PUBLIC).exists()
    drawn = FIGURES[figure](found.values, judge_name(found.first), judge_name(found.second))
    return figure_response(drawn, words=ScopeShown(Scope(found.scope), choice).words)


def run_panel(run: JudgingRun) -> PanelShown | None:
    """What a judging run's page shows of its judges' agreement; None where nothing is stored."""
    stored = study_agreements(run.study).filter(scope=Scope.ALL, first__design_hash=design_of(run))
    return next(iter(panels_shown(stored)), None)
