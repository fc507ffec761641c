"""The planner: how precise a study of some size will be. Everything that is asked is in the address.

What formulas say stands at once. How designs hang together and what a rehearsal recovers is computed by a
job, kept by what it depends on, and shown once it is there.
"""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_safe

from jobs.models import Job, JobState
from jobs.selectors import job_by_id
from jobs.services.starting import job_instead, job_kept
from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.shapes import WIDE, Drawing, Key
from presentation.numbers import counted, decimals
from psychometrics.planning.formulas import Plan, precision
from psychometrics.planning.records import Simulated
from psychometrics.planning.tables import BETWEEN_SDS, Planned, planned_by_formulas
from reporting.forms.planner import PLAN, BankChoice, PlannerForm, fields_of, with_defaults
from reporting.views.figures import drawing_response, figure_files, figure_shown
from reporting.views.planner.tables import planner_tables
from studies.roles import SiteCan
from studies.selectors.banks import item_banks_with_sizes, mean_square
from studies.services.clock import server_now
from studies.views.access import signed_in, site_page

LOOKS = ("model", "third", "average dashed", "average")
LINES = tuple(zip(BETWEEN_SDS, LOOKS, strict=True))
LEAST, POINTS = 3, 60
TOLD_EVERY = 10  # points of a curve that are told
TICKS = (3, 10, 30, 100, 300, 1000, 3000, 10_000)


@site_page(SiteCan.PLAN)
@require_safe
def staff_planner(request: HttpRequest) -> HttpResponse:
    """The form with the published design's values, or what was asked with its answer."""
    if "again" in request.GET:
        return _started_again(request)
    form = PlannerForm(with_defaults(request.GET.dict()), _stored_banks())
    valid = form.is_valid()
    planned, job = _answer(form, request) if valid else (None, None)
    tables = planner_tables(planned) if planned else []
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    figure = (
        figure_shown(
            partial(_half_width_drawing, form.plan()),
            about=_(
                "Half-width of the 95 % interval by number of people, for four SDs of ability between people"
            ),
            caption=_("The tables hold the same numbers. The square is this plan."),
            files=figure_files("staff_planner_figure", query),
        )
        if valid
        else None
    )
    context = {"form": form, "tables": tables, "figure": figure, "job": job}
    return render(request, "reporting/planner.html", context, status=200 if valid else 422)


@site_page(SiteCan.PLAN)
@require_safe
def staff_planner_figure(request: HttpRequest, extension: str) -> HttpResponse:
    """Half-width by number of people for four SDs between people, with the plan itself, to take away."""
    form = PlannerForm(with_defaults(request.GET.dict()), _stored_banks())
    if not form.is_valid():
        raise Http404
    return drawing_response(_half_width_drawing(form.plan(), WIDE), extension)


def _started_again(request: HttpRequest) -> HttpResponse:
    """To the plan of a job of theirs that failed or was called off, which somebody pressed for once more."""
    user, job = signed_in(request), None
    with suppress(ValueError):
        job = job_by_id(UUID(request.GET["again"]))
    if job is None or job.kind != PLAN or job.actor_id != user.pk:
        return redirect("staff_planner")
    banks = _stored_banks()
    plan = fields_of(job.arguments, banks)
    form = PlannerForm(with_defaults(plan), banks)
    if request.method == "GET" and job.state in (JobState.FAILED, JobState.CANCELLED) and form.is_valid():
        job_instead(kind=PLAN, actor=user, now=server_now(), arguments=form.to_simulate())
    return redirect(f"{reverse('staff_planner')}?{urlencode(plan)}")


def _answer(form: PlannerForm, request: HttpRequest) -> tuple[Planned, Job | None]:
    """What is known of the plan, and the job that computes the rest where that is not there yet."""
    name = form.bank.name if form.bank else None
    planned = planned_by_formulas(form.plan(), form.kind, form.prices, form.half_widths, name)
    if request.method == "HEAD":  # whoever looks whether there is something asks for nothing
        return planned, None
    kept = partial(
        job_kept, kind=PLAN, actor=signed_in(request), now=server_now(), arguments=form.to_simulate()
    )
    job = kept()
    if job.state != JobState.DONE:
        return planned, job
    try:
        return planned.completed(Simulated.from_json(job.result["found"])), None
    except (KeyError, TypeError, ValueError):  # kept by another version
        return planned, kept(anew=True)


def _stored_banks() -> dict[str, BankChoice]:
    """Every stored item bank by its name and the beginning of its digest, which an address may keep."""
    choices = {}
    for bank, size in item_banks_with_sizes():
        name, square = str(bank), partial(mean_square, bank)
        label = _("%(bank)s, questions: %(number)s") % {"bank": bank, "number": counted(size)}
        choices[name.replace(" ", "-")] = BankChoice(name, label, size, bank.is_logistic, square, bank.pk)
    return choices


def curve_people(most: int) -> list[int]:
    """Numbers of people in a geometric series."""
    return sorted({round(LEAST * (most / LEAST) ** (place / (POINTS - 1))) for place in range(POINTS)})


def _point_text(label: str, people: int, half_width: float) -> str:
    return ngettext(
        "%(label)s: %(people)s person, half-width %(half)s",
        "%(label)s: %(people)s people, half-width %(half)s",
        people,
    ) % {
        "label": label, "people": counted(people), "half": decimals(half_width),
    }  # fmt: skip


def _half_width_drawing(plan: Plan, width: float) -> Drawing | None:
    most = max(2 * plan.people, 500)
    people = curve_people(most)
    series, keys = [], []
    for sd, look in LINES:
        widths = [precision(replace(plan, people=n, between_sd=sd)).half_width for n in people]
        label = _("SD %(sd)s") % {"sd": decimals(sd, 2)}
        places = [
            Place(n, half, _point_text(label, n, half) if number % TOLD_EVERY == 0 else "")
            for number, (n, half) in enumerate(zip(people, widths, strict=True))
        ]
        series.append(Series("curve", places, look))
        keys.append(Key(label, f"curve {look}", "line"))
    own = precision(plan).half_width
    series.append(
        Series(
            "dots",
            [Place(plan.people, own, _point_text(_("this plan"), plan.people, own), r=6.0)],
            "topmark",
            "square",
        )
    )
    keys.append(Key(_("this plan"), "topmark", "square"))
    return chart(
        series,
        Axis(_("people (logarithmic)"), log=True, named=[(n, counted(n)) for n in TICKS]),
        Axis(_("half-width of the 95 % interval (logits)"), low=0.0),
        decimals,
        width=width,
        keys=keys,
    )
