"""How far the judges of a study agree: numbers as stored, beside the paper's, and figures of them."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from judging.models import JudgingRun
from presentation.agreement import PUBLISHED_ONLY, STATISTICS, judge_name, statistic_name
from presentation.catalogue import meaning_of
from presentation.drawings.charts import Across, Axis, Place, Series, chart
from presentation.drawings.grids import Cell, heat_grid
from presentation.drawings.shapes import WIDE, Drawing, Key
from presentation.numbers import counted, decimals, percent
from psychometrics.agreement.reference import PUBLISHED_ABILITIES, reference_figures
from psychometrics.inference.measure import Scope
from reporting.views.agreement.tables import PanelShown, pair_of, panels_shown
from reporting.views.figures import drawing_response
from reporting.views.measurement.scopes import ScopeShown, scope_asked
from scoring.selectors.agreements import design_of, newly_judged, panels, study_agreements
from screening.views.blinding import unblinded_study_required
from studies.models import Study

Values = Mapping[str, Any]
MIN_RADIUS, MAX_RADIUS = 2.0, 12.0  # of points, in pixels


def differences_drawing(values: Values, x: str, y: str, width: float) -> Drawing | None:
    """Bland and Altman's figure: difference y - x over the mean of both; larger points are more pairs."""
    most = max((pairs for _mean, _difference, pairs in values["cells"]), default=1)
    places = [
        Place(
            mean,
            difference,
            _("mean %(mean)s, difference %(difference)s: %(pairs)s pairs")
            % {"mean": decimals(mean), "difference": decimals(difference), "pairs": counted(round(pairs))},
            r=max(MAX_RADIUS * (pairs / most) ** 0.5, MIN_RADIUS),
        )
        for mean, difference, pairs in values["cells"]
    ]
    across, keys = [Across(0.0, "zero")], []
    lines = (
        ("upper_limit", _("offset + 1.96 SD:"), "topmark dashed"),
        ("offset", _("offset:"), "topmark line"),
        ("lower_limit", _("offset − 1.96 SD:"), "topmark dashed"),
    )
    for name, label, look in lines:
        if (value := values["statistics"][name]["value"]) is not None:
            across.append(Across(value, look))
            keys.append(Key(f"{label} {decimals(value, 3)}", look, "line"))
    return chart(
        [Series("dots", places, "average many")],
        Axis(_("mean of both scores"), -0.05, 1.05),
        Axis(_("difference, y − x"), -1.08, 1.08),
        decimals,
        width=width,
        keys=keys,
        across=across,
    )


def confusion_drawing(values: Values, x: str, y: str, width: float) -> Drawing | None:
    """How many pairs each of the judges calls met (at least 0.5) or not."""
    cells = values["confusion"]
    table = ((cells["both"], cells["only_x"]), (cells["only_y"], cells["neither"]))
    whole = sum(map(sum, table)) or 1
    rows = [_("x: met"), _("x: not met")]
    columns = [_("y: met"), _("y: not met")]
    grid = [
        [
            Cell(number / whole, (counted(number), percent(number / whole)), f"{row}, {column}: {number}")
            for number, column in zip(line, columns, strict=True)
        ]
        for line, row in zip(table, rows, strict=True)
    ]
    return heat_grid(grid, rows, columns, width=width, limits=(0, 1), across=f"x: {x}; y: {y}")


FIGURES = {"differences": differences_drawing, "confusion": confusion_drawing}


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
    request: HttpRequest, study: Study, agreement_id: int, figure: str, extension: str
) -> HttpResponse:
    """The differences of two judges, or what both call met, as a file."""
    found = study_agreements(study).filter(pk=agreement_id).first()
    if found is None or figure not in FIGURES or not found.values.get("cells"):
        raise Http404
    choice = study_agreements(study).filter(scope=Scope.PUBLIC).exists()
    drawn = FIGURES[figure](found.values, judge_name(found.first), judge_name(found.second), WIDE)
    return drawing_response(drawn, extension, ScopeShown(Scope(found.scope), choice).words)


def run_panel(run: JudgingRun) -> PanelShown | None:
    """What a judging run's page shows of its judges' agreement; None where nothing is stored."""
    stored = study_agreements(run.study).filter(scope=Scope.ALL, first__design_hash=design_of(run))
    return next(iter(panels_shown(stored)), None)
