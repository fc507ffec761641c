"""One judging run: how far it is, and what the study team may do about it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from judging.coordinator import retry_budget, retry_plan, run_retry
from judging.forms.judging import CancelForm, ResumeForm
from judging.models import JudgingRun, PauseReason, RunState
from judging.selectors.audits import audit_samples
from judging.selectors.judges import shortest
from judging.selectors.progress import judging_progress
from judging.selectors.run_progress import JudgeProgress, Progress, calls_by_minute
from judging.selectors.runs import judging_run_by_number
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import RunNotOpen, run_cancel, run_pause, run_resume
from judging.views.reason_texts import WAYS_ON, reason_text
from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.shapes import NARROW, WIDE, Drawing
from presentation.listing import Cell, csv_lines, wants_csv
from presentation.numbers import counted, decimals, numbered
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import Guarded, signed_in, study_page
from studies.views.csv_files import csv_file

THROUGHPUT_HEIGHT = 110.0
JUDGE_FILE: dict[str, Cell[JudgeProgress]] = {
    "judge": "name", "replicate": "run__replicate", "decided": "decided", "planned": "planned",
    "being_asked": "being_asked", "scored": "scored", "shared": "shared", "known": "cached",
    "unscored": "unscored_number", "calls": "calls_number", "failed_calls": "failed_calls",
    "tokens_read": "prompt_tokens", "tokens_written": "completion_tokens",
    "cost": lambda judge: None if judge.cost is None else str(judge.cost),
}  # fmt: skip
REASON_FILE = {"reason": "code", "unscored": "unscored", "asked_again_later": "waiting"}
# What is read aloud changes only so often.
SAID_EVERY_PERCENT = 10
P = ParamSpec("P")
RunView = Callable[Concatenate[HttpRequest, JudgingRun, P], HttpResponseBase]

# Workers that store results of the run may be in the way, and PostgreSQL may choose this one to give way.
OUTAGE_SECONDS = 5.0
NOTHING_LEFT = gettext_lazy("Nothing is left to ask again: the answers have a score, or count no more.")


@dataclass(frozen=True)
class ReasonRow:
    """A reason, and how many rows it left unscored or waiting for another round."""

    code: str
    sentence: Promise | str
    unscored: int
    waiting: int


def run_page(can: Can) -> Callable[[RunView[P]], Guarded]:
    """`study_page` for pages about one judging run: gives the view the run of the address."""

    def guard(view: RunView[P]) -> Guarded:
        @wraps(view)
        def guarded(
            request: HttpRequest, study: Study, /, number: int, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            run = judging_run_by_number(study, number)
            if run is None:
                raise Http404
            return view(request, run, *args, **kwargs)

        return study_page(can)(guarded)

    return guard


run_required = run_page(Can.JUDGE)


@run_required
@require_safe
def staff_judging_run(request: HttpRequest, run: JudgingRun) -> HttpResponseBase:
    """The whole page, or the rows of its table of judges or of reasons as CSV."""
    if not wants_csv(request):
        return _run_page(request, run)
    progress = judging_progress(run, server_now())
    is_reasons = request.GET.get("table", "") == "reasons"
    name = f"judging-run-{run.pk}-{'reasons' if is_reasons else 'judges'}"
    lines = csv_lines(JUDGE_FILE, progress.judges)
    if is_reasons:
        lines = csv_lines(REASON_FILE, _reason_rows(progress))
    return csv_file(request, name, lines, study=run.study)


@run_required
@require_safe
def staff_judging_live(request: HttpRequest, run: JudgingRun) -> HttpResponse:
    """The part of the page that changes while the run goes on."""
    return render(request, "judging/_live.html", run_context(run))


@run_required
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judging_pause(request: HttpRequest, run: JudgingRun) -> HttpResponse:
    """Stop asking for now."""
    if request.method == "POST":
        paused = run_pause(
            run=run, reason=PauseReason.BY_HAND, detail="", actor=signed_in(request), now=server_now()
        )
        if not paused:
            messages.info(request, _("The run was not running any more."))
    return _to_run(run)


@run_required
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judging_resume(request: HttpRequest, run: JudgingRun) -> HttpResponse:
    """Go on, under the budget that was sent."""
    if request.method != "POST":
        return _to_run(run)
    form = ResumeForm(request.POST, spent=judging_progress(run, server_now()).spent)
    if not form.is_valid():
        return _run_page(request, run, resume_form=form)
    budget, actor = form.cleaned_data["budget"], signed_in(request)
    try:
        retry_on_db_outage(
            lambda: run_resume(run=run, budget=budget, actor=actor, now=server_now()),
            seconds=OUTAGE_SECONDS,
        )
    except RunNotOpen as refusal:
        messages.error(request, str(refusal))
    except Refused as refusal:
        form.add_error("budget", str(refusal))
        return _run_page(request, run, resume_form=form)
    return _to_run(run)


@run_required
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judging_cancel(request: HttpRequest, run: JudgingRun) -> HttpResponse:
    """End the run with what is decided."""
    if request.method != "POST":
        return _to_run(run)
    form = CancelForm(request.POST, left=judging_progress(run, server_now()).open)
    if not form.is_valid():
        return _run_page(request, run, cancel_form=form)
    try:
        actor = signed_in(request)
        retry_on_db_outage(lambda: run_cancel(run=run, actor=actor, now=server_now()), seconds=OUTAGE_SECONDS)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return _to_run(run)


@run_required
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judging_retry(request: HttpRequest, run: JudgingRun) -> HttpResponse:
    """Ask again about what the run left without a score, for one reason or any; first what it would take."""
    reason = (
        (request.POST if request.method == "POST" else request.GET).get("reason", "").replace("\0", "")[:40]
    )
    try:
        if request.method != "POST":
            return _retry_page(request, run, reason)
        again = run_retry(run=run, reason=reason, actor=signed_in(request), clock=timezone.now)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return _to_run(run)
    if again is None:
        messages.info(request, NOTHING_LEFT)
        return _to_run(run)
    messages.success(request, _("What failed is being asked again."))
    return _to_run(again)


def _retry_page(request: HttpRequest, run: JudgingRun, reason: str) -> HttpResponse:
    """How many requests asking again would take, and at which cost. Raises what refuses it."""
    now = server_now()
    plan, left = retry_plan(run=run, reason=reason, now=now), retry_budget(run)
    if not plan.rows:
        messages.info(request, NOTHING_LEFT)
        return _to_run(run)
    context = {
        "study": run.study,
        "run": run,
        "reason": reason,
        "sentence": reason_text(reason) if reason else "",
        "estimates": plan.estimates,
        "calls": sum(int(str(estimated["calls"])) for estimated in plan.estimates),
        "cost": plan.cost,
        "budget_left": left,
    }
    return render(request, "judging/retry.html", context)


def _to_run(run: JudgingRun) -> HttpResponse:
    return redirect("staff_judging_run", slug=run.study.slug, number=run.pk)


def _run_page(request: HttpRequest, run: JudgingRun, **refused: Form) -> HttpResponse:
    """The page; `refused` is the form that was sent and is not in order, as resume_form or cancel_form."""
    context = run_context(run) | {"audits": audit_samples(run), **refused}
    context["cancel_refused"] = "cancel_form" in refused
    return render(request, "judging/run.html", context, status=422 if refused else 200)


def run_context(run: JudgingRun) -> dict[str, object]:
    """What the live part of a run's page shows."""
    progress = judging_progress(run, server_now())
    return {
        "study": run.study,
        "run": run,
        "progress": progress,
        "reasons": _reason_rows(progress),
        "way_on": WAYS_ON.get(run.pause_reason, ""),
        "said": said(progress),
        "throughput": _throughput(progress),
        "resume_form": ResumeForm(initial={"budget": shortest(run.budget)}, spent=progress.spent),
        "cancel_form": CancelForm(left=progress.open),
    }


def _throughput(progress: Progress) -> dict[str, object]:
    """Calls a minute in the last hour of the run, as wide as its card and for phones; {} without any call."""
    calls = calls_by_minute(progress)
    if len(calls) < 2 or not any(calls):
        return {}
    label = _("Minutes before its end") if progress.run.ended_at else _("Minutes ago")
    every = next(step for step in (1, 5, 15) if len(calls) <= 6 * step)
    named = [(-minute, counted(minute)) for minute in range(0, len(calls), every)]
    places = [
        Place(minute, number, _("%(number)s a minute") % {"number": counted(number)} if number else "", r=2.5)
        for minute, number in enumerate(calls, start=1 - len(calls))
    ]

    def drawn(width: float) -> Drawing | None:
        up = Axis(_("Calls a minute"), low=0)
        series = [Series("curve", places, "average")]
        return chart(series, Axis(label, named=named), up, decimals, width=width, height=THROUGHPUT_HEIGHT)

    return {"wide": drawn(WIDE), "narrow": drawn(NARROW), "most": max(calls)}


def _reason_rows(progress: Progress) -> list[ReasonRow]:
    """Every reason that occurs, those that left most unscored first."""
    unscored: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    for judge in progress.judges:
        unscored.update(judge.unscored)
        waiting.update(judge.waiting_again)
    rows = [
        ReasonRow(code, reason_text(code), unscored[code], waiting[code]) for code in {*unscored, *waiting}
    ]
    return sorted(rows, key=lambda row: (-row.unscored, -row.waiting, row.code))


def said(progress: Progress) -> str:
    """The state in a few words, for screen readers: in steps, so that it is not said all the time."""
    state = str(progress.run.get_state_display())
    if progress.run.state != RunState.RUNNING:
        return state
    percent = progress.percent // SAID_EVERY_PERCENT * SAID_EVERY_PERCENT
    return numbered(_("%(percent)d %% decided. %(state)s."), {"percent": percent, "state": state})
