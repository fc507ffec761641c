"""Judging a study: where it stands, an estimate, the start of a run, and computing results anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_http_methods

from jobs.models import Job, JobState
from jobs.selectors import newest_jobs
from jobs.services.starting import job_start
from judging.forms.judging import PlanForm
from judging.jobs import PLAN
from judging.models import JudgingRun, RunPurpose
from judging.selectors.audits import RaterAgreement
from judging.selectors.judges import judges_to_choose
from judging.selectors.run_progress import Progress
from judging.selectors.runs import judging_runs, open_judging_run
from judging.services.running.judge_specs import goes_on_by_earlier_rules, study_judge_specs
from judging.services.running.runs import RunIsOpen, RunPlan, run_plan, run_start
from judging.views.runs import run_context
from presentation.listing import Column, Listing
from presentation.numbers import decimals, percent
from reporting.selectors.judging_board import Next, judging_board
from scoring.jobs import RESULTS
from studies.models import Study, StudyStatus
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import signed_in, study_page
from studies.views.csv_files import csv_file

RUNS_PER_PAGE = 20
PEOPLE_AT_ONCE = 500  # some ten thousand answers: planning them takes about a second
START = "start"
RUN_COLUMNS: tuple[Column[JudgingRun], ...] = (
    Column("run", gettext_lazy("Run"), ("pk",)),
    Column("state", gettext_lazy("State"), ("state",)),
    Column(
        "judges", gettext_lazy("Judges"), (),
        lambda run: ", ".join(str(estimate["judge"]) for estimate in run.estimate),
    ),
    Column(
        "verdicts", pgettext_lazy("of a judge", "Verdicts"), (),
        lambda run: sum(int(estimate["rows"]) for estimate in run.estimate), numeric=True,
    ),
    Column(
        "budget", gettext_lazy("Budget"), ("budget",), lambda run: str(run.budget or ""), numeric=True
    ),
    Column("started", gettext_lazy("Started"), ("started_at",)),
    Column("by", gettext_lazy("By"), ("started_by__email",)),
)  # fmt: skip


@dataclass(frozen=True)
class Estimated:
    """The plan that a job made, as far as the page tells of it."""

    rows: int
    estimates: Sequence[Mapping[str, Any]]
    cost: str | None
    sha256: str


@study_page(Can.JUDGE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judging(request: HttpRequest, study: Study) -> HttpResponseBase:
    """What judging would take, its start, and all runs of the study.

    POST plans and shows the estimate; it starts the run where this very plan's estimate was on the page.
    """
    jobs = newest_jobs(study, PLAN, RESULTS)
    planning = jobs.get(PLAN)
    form = PlanForm(request.POST if request.method == "POST" else _estimated(study, planning), study=study)
    if request.method != "POST" and form.is_bound and not form.is_valid():
        form = PlanForm(study=study)  # a judge of the estimate is another or gone: nobody sent what is wrong
    takes_long = study.participants.all()[PEOPLE_AT_ONCE:]  # longer than a request may
    if request.method == "POST" and form.is_valid() and takes_long.exists():
        return _by_job(request, study, form)
    plan: RunPlan | Estimated | None = (
        _planned(study, form) if request.method == "POST" and form.is_valid() else None
    )
    if isinstance(plan, RunPlan) and request.POST.get("action") == START:
        run = _started(request, plan, form)
        if run is not None:
            return redirect("staff_judging_run", slug=study.slug, number=run.pk)
    if plan is None and form.is_bound and form.is_valid() and request.method != "POST" and planning:
        plan = Estimated(**planning.result["facts"])
    return _judging_page(request, study, form, plan, jobs)


def _by_job(request: HttpRequest, study: Study, form: PlanForm) -> HttpResponseBase:
    """Let a job estimate or start what the form says. Pressed twice, it is the same one."""
    budget, starts = form.budget_wanted, request.POST.get("action") == START
    arguments = {
        "judges": [judge.slug for judge in form.chosen],
        "replicates": form.replicates_wanted,
        "budget": None if budget is None else str(budget),
        "seen": form.cleaned_data["seen"] if starts else "",
    }
    try:
        job_start(kind=PLAN, study=study, actor=signed_in(request), arguments=arguments, now=server_now())
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("staff_judging", slug=study.slug)


def _estimated(study: Study, planning: Job | None) -> Mapping[str, Any] | None:
    """What the form said whose estimate a job made, as long as nothing was started since."""
    if planning is None or planning.state != JobState.DONE or planning.arguments["seen"]:
        return None
    if judging_runs(study).filter(started_at__gte=planning.created_at).exists():
        return None
    return {**planning.arguments, "seen": planning.result["facts"]["sha256"]}


def _planned(study: Study, form: PlanForm) -> RunPlan | None:
    """The plan; None where it is refused, and the form says why."""
    try:
        specs = study_judge_specs(study=study, configs=form.chosen, replicates=form.replicates_wanted)
        return run_plan(study=study, specs=specs, now=server_now(), progress=lambda done, total: None)
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return None


def _started(request: HttpRequest, plan: RunPlan, form: PlanForm) -> JudgingRun | None:
    """The run; None where the plan is not the one that was looked at."""
    if not plan.rows:
        return None
    if form.cleaned_data["seen"] != plan.sha256():
        messages.warning(
            request, _("The plan is another one since the estimate. Look at the new estimate, then start.")
        )
        return None
    try:
        run = run_start(plan=plan, budget=form.budget_wanted, actor=signed_in(request), now=server_now())
    except RunIsOpen as refusal:
        messages.info(request, str(refusal))
        return open_judging_run(plan.study)
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return None
    except IntegrityError:  # an answer was erased, or a judge changed, in this very moment
        messages.warning(request, _("The study or a judge was changed at this moment. Estimate once more."))
        return None
    messages.success(request, _("The run has started. You may leave this page; the workers do the rest."))
    return run


def _judging_page(
    request: HttpRequest,
    study: Study,
    form: PlanForm,
    plan: "RunPlan | Estimated | None",
    jobs: Mapping[str, Job],
) -> HttpResponseBase:
    newest = list(judging_runs(study)[: RUNS_PER_PAGE + 1])
    listing = Listing(request, RUN_COLUMNS, per_page=RUNS_PER_PAGE)
    every = listing.ordered(judging_runs(study))
    if listing.wants_csv:
        return csv_file(request, "judging-runs", listing.lines(every), study=study)
    runs = every if listing.sort or len(newest) > RUNS_PER_PAGE else newest
    page = listing.page(runs)
    for run in newest:
        run.study = study
    current = next((run for run in newest if run.purpose == RunPurpose.SCORES or run.is_open), None)
    of_run = run_context(current) if current else {}
    progress = of_run.get("progress")
    board = judging_board(study, newest, progress.unscored if isinstance(progress, Progress) else 0)
    if "judges" in form.fields and not form.is_bound:
        protocol = study.protocol
        form.initial.update(judges=[protocol.planned_judge or ""], budget=protocol.judge_budget)
    if current and board.is_amended and "judges" in form.fields and not form.is_bound:
        # Those who judged before.
        form.initial["judges"] = [estimate["judge"] for estimate in current.estimate]
    is_draft = study.status == StudyStatus.DRAFT
    can_plan = not is_draft and not (current and current.is_open)
    context = {
        **of_run,
        "study": study,
        "board": board,
        "steps": board.steps,
        "primary": "start" if plan and plan.rows else board.next.value,
        "form": form,
        "judges": judges_to_choose() if can_plan and "judges" in form.fields else (),
        "plan": plan,
        "goes_on_by_earlier_rules": can_plan and goes_on_by_earlier_rules(study),
        "estimates": plan.estimates if plan else (),
        "plan_sha256": plan.sha256() if isinstance(plan, RunPlan) else plan.sha256 if plan else "",
        "prices_missing": plan is not None and form.budget_wanted is not None and plan.cost is None,
        "reply_unbounded": plan is not None
        and form.budget_wanted is not None
        and any(judge.max_output_tokens is None for judge in form.chosen),
        "can_plan": can_plan,
        "plans_here": can_plan
        and (plan is not None or bool(form.errors) or not current or board.next == Next.ESTIMATE),
        "page": page,
        "listing": listing,
        "is_draft": is_draft,
        "agreement": _agreement_words(board.audit),
        "recomputing": jobs.get(RESULTS),
        "planning": jobs.get(PLAN),
        "sees_judges": SiteCan.MAKE_STUDIES in site_rights(signed_in(request)),
    }
    return render(request, "judging/judging.html", context, status=422 if form.errors else 200)


def _agreement_words(audit: RaterAgreement | None) -> dict[str, str]:
    """How people and the judge agree, as text."""
    if audit is None:
        return {}
    return {
        "kappa": decimals(audit.kappa, 2),
        "kind": percent(audit.too_kind, 0),
        "strict": percent(audit.too_strict, 0),
    }
