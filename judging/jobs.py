"""Long work of judging: the plan of a large study, estimated or started."""

import time
from decimal import Decimal

from django.utils.translation import gettext, gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import FINE, JobContext, JobResult, Part
from jobs.registry import job_kind
from jobs.selectors import job_by_id
from judging.models import JudgeConfig, JudgingRun
from judging.selectors.runs import judging_runs, open_judging_run
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import DRAFT_FOR, RunIsOpen, RunPlan, run_plan, run_start
from studies.roles import Can
from studies.services.refusals import Refused

PLANNING = gettext_noop("Writing out every request to count it")
STORING = gettext_noop("Storing the plan")
PLAN = "judging_plan"
# A start that was killed in the middle is in the way for a while.
LOOK_SECONDS = 1.0


class PlanIsAnother(Refused):
    """What would be started is not what was estimated."""


@job_kind(PLAN, label=_("Plan of judging"), can=Can.JUDGE, page="staff_judging", all_or_nothing=True)
def judging_plan(
    job: JobContext, *, judges: list[str], replicates: int, budget: str | None, seen: str
) -> JobResult:
    """Estimate what judging the study would take; where `seen` names a plan that was looked at, start it."""
    row = job_by_id(job.number) if seen and job.number else None
    if row is not None:
        # The run that this very job had started when its worker was killed goes on, whoever comes after.
        runs = judging_runs(job.study).filter(started_by=job.actor, plan_sha256=seen)
        if (begun := runs.filter(started_at__gte=row.created_at).first()) is not None:
            return _run_has_started(begun)
    configs = [JudgeConfig.objects.get(slug=slug) for slug in judges]
    specs = study_judge_specs(study=job.study, configs=configs, replicates=replicates)
    until = FINE // 2 if seen else FINE
    done = [0]

    def planning(answers: int, of: int) -> None:
        """One judge's plan is made after the other's."""
        job.progress(round((done[0] + answers / of) / len(specs) * until), FINE, PLANNING)
        done[0] += answers == of

    plan = run_plan(study=job.study, specs=specs, now=job.clock(), progress=planning)
    if not seen:
        cost = None if plan.cost is None else str(plan.cost)
        facts = {"rows": plan.rows, "estimates": plan.estimates, "cost": cost, "sha256": plan.sha256()}
        sentence = gettext_noop("Verdicts to get: %(rows)d. Nothing is started yet.")
        label = gettext_noop("Look at the estimate")
        return JobResult(sentence, facts, "staff_judging", [job.study.slug], label)
    if plan.sha256() != seen:
        raise PlanIsAnother(
            gettext("The plan is another one since the estimate. Look at the new estimate, then start.")
        )
    run = _started(job, plan, None if budget is None else Decimal(budget), Part(job, until, FINE, STORING))
    return _run_has_started(run)


def _run_has_started(run: JudgingRun) -> JobResult:
    return JobResult(
        gettext_noop("The run has started. You may leave this page; the workers do the rest."),
        url_name="staff_judging_run",
        args=[run.study.slug, run.pk],
        label=gettext_noop("Go to the run"),
    )


def _started(job: JobContext, plan: RunPlan, budget: Decimal | None, storing: Part) -> JudgingRun:
    """The run. What a worker left that was killed at this very job gives way after `DRAFT_FOR`."""
    until = job.clock() + 2 * DRAFT_FOR
    while True:
        try:
            return run_start(plan=plan, budget=budget, actor=job.actor, now=job.clock(), said=storing)
        except RunIsOpen:
            if open_judging_run(job.study) or job.clock() > until:
                raise
        storing(0, 1)
        time.sleep(LOOK_SECONDS)
