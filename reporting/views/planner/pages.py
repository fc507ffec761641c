"""The planner: how precise a study of some size will be. Everything is in the address; nothing is stored."""

from dataclasses import replace

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from presentation.figures import BLUE, ORANGE, WIDTH, Figure, chart, with_legend
from presentation.numbers import counted, decimals
from psychometrics.planning.formulas import Plan, precision
from psychometrics.planning.tables import BETWEEN_SDS, NamedBank
from reporting.forms.planner import BankChoice, PlannerForm, with_defaults
from reporting.views.figures import figure_response
from reporting.views.planner.tables import planner_tables
from studies.models import ItemBank
from studies.roles import SiteCan
from studies.selectors.banks import item_arrays, item_banks_with_sizes
from studies.views.access import site_page

LINES = ((BETWEEN_SDS[0], ":"), (BETWEEN_SDS[1], "-."), (BETWEEN_SDS[2], "--"), (BETWEEN_SDS[3], "-"))
POINTS = 60
TICKS = (3, 10, 30, 100, 300, 1000, 3000, 10_000)


@site_page(SiteCan.PLAN)
@require_safe
def staff_planner(request: HttpRequest) -> HttpResponse:
    """The form with the published design's values, or what was asked with its answer."""
    form = PlannerForm(with_defaults(request.GET.dict()), _stored_banks())
    valid = form.is_valid()
    tables = planner_tables(form.planned()) if valid else ()
    context = {"form": form, "tables": tables, "query": request.GET.urlencode()}
    return render(request, "reporting/planner.html", context, status=200 if valid else 422)


@site_page(SiteCan.PLAN)
@require_safe
def staff_planner_figure(request: HttpRequest) -> HttpResponse:
    """Half-width by number of people for four SDs between people, with the plan itself."""
    form = PlannerForm(with_defaults(request.GET.dict()), _stored_banks())
    if not form.is_valid():
        raise Http404
    return figure_response(_half_width_figure(form.plan()))


def _stored_banks() -> dict[str, BankChoice]:
    """Every stored item bank by its name and the beginning of its digest, which an address may keep."""
    return {str(bank).replace(" ", "-"): _bank_choice(bank, size) for bank, size in item_banks_with_sizes()}


def _bank_choice(bank: ItemBank, size: int) -> BankChoice:
    label = _("%(bank)s, prompts: %(number)s") % {"bank": bank, "number": counted(size)}
    return BankChoice(label, size, bank.is_logistic, lambda: NamedBank(str(bank), item_arrays(bank)))


def _half_width_figure(plan: Plan) -> "Figure":
    figure, axes = chart(
        (WIDTH, 4.4), _("people (logarithmic)"), _("half-width of the 95 % interval (logits)")
    )
    most = max(2 * plan.people, 500)
    people = [int(n) for n in np.unique(np.geomspace(3, most, POINTS).round())]
    for sd, style in LINES:
        widths = [precision(replace(plan, people=n, between_sd=sd)).half_width for n in people]
        label = _("SD %(sd)s") % {"sd": decimals(sd, 2)}
        axes.plot(people, widths, linestyle=style, color=BLUE, label=label)
    axes.plot([plan.people], [precision(plan).half_width], "s", color=ORANGE, label=_("this plan"))
    axes.set_xscale("log")
    ticks = [n for n in TICKS if n <= most]
    axes.set_xticks(ticks, [counted(n) for n in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)
    return with_legend(figure)
