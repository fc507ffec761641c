"""The life of a judging run: started with a frozen plan, paused, resumed, cancelled, finished."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from formats.canonical import canonical_sha256
from judging.models import (
    OPEN_RUN_STATES,
    CriterionScore,
    JudgeConfig,
    JudgingRun,
    PauseReason,
    RowState,
    RunPurpose,
    RunState,
    ScoringRun,
)
from judging.selectors.runs import open_judging_run
from judging.services.running.budget import require_prices
from judging.services.running.deciding import runs_lock
from judging.services.running.judge_specs import JudgeSpec, require_compared, scoring_run_open
from judging.services.running.planning import JudgePlan, Progress, estimate, judge_plan
from judging.services.running.run_rows import (
    ROWS_A_SLICE,
    known_decide,
    rows_create,
    rows_delete,
    rows_reopen,
)
from judging.services.running.settling import answers_complete
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import require_not_archived, study_lock

# So long nothing is heard of a start that goes on: with SQLite a slice may wait for others who write.
DRAFT_FOR = timedelta(minutes=1)


class RunIsOpen(Refused):
    """A study has one open judging run at a time."""


class PlanOutdated(Refused):
    """Another run was started after the plan was made, and may have decided what it asks for."""


class RunNotOpen(Refused):
    """What was asked for needs a run that goes on."""


@dataclass(frozen=True)
class RunPlan:
    """What starting would do. `judge_plans` are in the order of the judges that were named.

    `newest_run` is the newest run of the study that was over at that moment.
    """

    study: Study
    judge_plans: tuple[JudgePlan, ...]
    newest_run: int

    @property
    def rows(self) -> int:
        return sum(judge.rows for judge in self.judge_plans)

    def sha256(self) -> str:
        """A hash of everything that is planned."""
        return canonical_sha256([judge.sha256 for judge in self.judge_plans])

    @property
    def estimates(self) -> list[dict[str, object]]:
        return [estimate(judge) for judge in self.judge_plans]

    @property
    def cost(self) -> Decimal | None:
        """The expected cost; None where a judge's prices are not known."""
        costs = [estimated["cost"] for estimated in self.estimates]
        return None if None in costs else sum((Decimal(str(cost)) for cost in costs), Decimal(0))


def run_plan(
    *,
    study: Study,
    specs: Sequence[JudgeSpec],
    now: datetime,
    progress: Progress,
    only: Collection[int] | None = None,
) -> RunPlan:
    """Everything that is left for these judges. Raises StudyNotFrozen, PromptsNotScorable."""
    # One that is open now may yet decide what is planned here.
    over = study.judging_runs.exclude(state__in=OPEN_RUN_STATES)
    newest = over.aggregate(pk=Max("pk"))["pk"] or 0
    runs = [scoring_run_open(study=study, spec=spec, now=now) for spec in specs]
    return RunPlan(study, tuple(judge_plan(run, progress=progress, only=only) for run in runs), newest)


def run_start(
    *,
    plan: RunPlan,
    budget: Decimal | None,
    actor: User | None,
    now: datetime,
    purpose: RunPurpose = RunPurpose.SCORES,
    details: Mapping[str, Any] | None = None,
    said: Progress = lambda done, total: None,
) -> JudgingRun:
    """Freeze the plan: all of its rows, or nothing. `details` go into the study's record of it. `said` is
    told of rows that are stored, of all; what it raises calls the start off.

    The rows are stored in slices, and nobody sees the run before the last one is there. A start that was
    ended in the middle gives way to the next one after `DRAFT_FOR`.

    Raises RunIsOpen, PlanOutdated, PricesUnknown, NotCompared, StudyArchived.
    """
    require_not_archived(plan.study)
    if purpose == RunPurpose.SCORES:
        require_compared(judge.run for judge in plan.judge_plans)
    require_prices(budget, [judge.run.config for judge in plan.judge_plans if judge.calls])
    run = JudgingRun(
        study=plan.study,
        purpose=purpose,
        budget=budget,
        planned=plan.rows,
        estimate=plan.estimates,
        started_by=actor,
        started_at=now,
        resumed_at=now,
    )
    plan_sha256, began = plan.sha256(), time.monotonic()
    _draft(run, plan, began)
    try:
        _rows_store(run, plan, began, said)
        _publish(run, plan_sha256, details or {})
    except BaseException:
        draft_remove(run, now=now)
        raise
    for judge in plan.judge_plans:
        known_decide(run, judge, now)
    return run


def _draft(run: JudgingRun, plan: RunPlan, began: float) -> None:
    """Take the place of the study's open run. Raises RunIsOpen, PlanOutdated."""
    drafts_clear(before=run.started_at - DRAFT_FOR, study=run.study)
    run.resumed_at = _moment(run, began)
    try:
        with transaction.atomic():
            run.save()
            # Another run was over, or begun, since the plan was made.
            if run.study.judging_runs.filter(pk__gt=plan.newest_run).exists():
                raise _outdated(run.study)
    except IntegrityError:  # a study has one, which may be gone again by now
        said = (
            _('The study "%(study)s" is being judged already; wait for that run, resume or cancel it.')
            if open_judging_run(run.study)
            else _('A run of the study "%(study)s" is being started at this moment; wait until it is there.')
        )
        raise RunIsOpen(said % {"study": run.study.slug}) from None


def _moment(run: JudgingRun, began: float) -> datetime:
    """The time by the clock that the start was told: to clear what a killed one left may take long."""
    return run.started_at + timedelta(seconds=time.monotonic() - began)


def _rows_store(run: JudgingRun, plan: RunPlan, began: float, said: Progress) -> None:
    stored = count(0, ROWS_A_SLICE)

    def keep() -> None:
        """Let others see that the start goes on. Raises PlanOutdated where they took it for dead."""
        said(min(next(stored), run.planned), run.planned)
        draft = _drafts().filter(pk=run.pk, state=RunState.RUNNING)
        if not draft.update(resumed_at=_moment(run, began)):
            raise _outdated(run.study)

    for judge in plan.judge_plans:
        rows_create(run, judge, run.started_at, keep)


@transaction.atomic
def _publish(run: JudgingRun, plan_sha256: str, details: Mapping[str, Any]) -> None:
    """Let everybody see the run, and workers ask. Raises PlanOutdated."""
    draft = _drafts().filter(pk=run.pk, state=RunState.RUNNING)
    if not draft.update(plan_sha256=plan_sha256, resumed_at=run.started_at):
        raise _outdated(run.study)
    require_not_archived(study_lock(run.study))
    run.plan_sha256 = plan_sha256
    _event(
        run,
        StudyEventKind.JUDGING_STARTED,
        run.started_at,
        actor=run.started_by,
        purpose=run.purpose,
        rows=run.planned,
        budget=None if run.budget is None else str(run.budget),
        plan_sha256=plan_sha256,
        **details,
    )


def _drafts() -> QuerySet[JudgingRun]:
    return JudgingRun.everything.filter(plan_sha256="")


def draft_remove(draft: JudgingRun, *, now: datetime) -> None:
    """Delete a run that was never published; another can be started at once."""
    if _drafts().filter(pk=draft.pk).update(state=RunState.CANCELLED, ended_at=now):
        rows_delete(draft)
        _drafts().filter(pk=draft.pk).delete()


def drafts_clear(*, before: datetime, study: Study | None = None) -> None:
    """Delete what starts left that were ended in the middle: nothing was heard of them since `before`."""
    left = _drafts().exclude(state=RunState.RUNNING, resumed_at__gte=before)
    for draft in left if study is None else left.filter(study=study):
        draft_remove(draft, now=before)


def _event(
    run: JudgingRun, kind: StudyEventKind, now: datetime, actor: User | None = None, **details: Any
) -> None:
    event_record(study=run.study, kind=kind, now=now, actor=actor, run=run.pk, **details)


def _outdated(study: Study) -> PlanOutdated:
    said = _('The study "%(study)s" was judged while this was being planned; plan it again.')
    return PlanOutdated(said % {"study": study.slug})


def run_pause(
    *, run: JudgingRun, reason: PauseReason, detail: str, now: datetime, actor: User | None = None
) -> bool:
    """Stop asking; calls under way are still stored. False where the run was not running (any more)."""
    with transaction.atomic():
        changed = JudgingRun.objects.filter(pk=run.pk, state=RunState.RUNNING).update(
            state=RunState.PAUSED, pause_reason=reason, pause_detail=detail
        )
        if changed:
            _event(run, StudyEventKind.JUDGING_PAUSED, now, actor=actor, reason=reason.value, detail=detail)
    return bool(changed)


def error_in_words(error: Exception) -> str:
    """Why a run pauses for an error of the program: what fails once would fail again and again, each time
    with calls that cost money. Without the data that the error's message may quote.
    """
    return f"{type(error).__name__}; the trace is in the log of the worker. Nothing judged is lost."


def run_resume(*, run: JudgingRun, budget: Decimal | None, actor: User | None, now: datetime) -> None:
    """Go on with a paused run, under this budget. What failed because the judge failed is asked again.

    Raises RunNotOpen, PricesUnknown, StudyArchived.
    """
    require_prices(budget, [scored.config for scored in scoring_runs_of(run)])
    with transaction.atomic():
        changed = JudgingRun.objects.filter(pk=run.pk, state=RunState.PAUSED).update(
            state=RunState.RUNNING, pause_reason="", pause_detail="", resumed_at=now, budget=budget
        )
        if not changed:
            raise RunNotOpen(_("Only a paused run can be resumed; this one is not paused."))
        # Whoever resumes wants the judge asked now. The judge before the study, as whoever changes a judge.
        judges = JudgeConfig.objects.filter(pk__in=scoring_runs_of(run).values("config")).order_by("pk")
        list(judges.select_for_update(no_key=True).values_list("pk"))
        judges.update(held_until=None)
        require_not_archived(study_lock(run.study))
        again = rows_reopen(run, now)
        _event(
            run,
            StudyEventKind.JUDGING_RESUMED,
            now,
            actor=actor,
            budget=None if budget is None else str(budget),
            asked_again=again,
        )


def run_cancel(*, run: JudgingRun, actor: User | None, now: datetime) -> None:
    """End a run before everything is decided; what is decided stays. Raises RunNotOpen.

    Calls under way stay on record and decide nothing: the next run may plan their rows from now on.
    """
    with transaction.atomic():
        changed = JudgingRun.objects.filter(pk=run.pk, state__in=OPEN_RUN_STATES).update(
            state=RunState.CANCELLED, pause_reason="", pause_detail="", ended_at=now
        )
        if not changed:
            raise RunNotOpen(_("This run is over already."))
        left = CriterionScore.objects.filter(judging_run=run, state=RowState.OPEN)
        left.exclude(lease=None).update(lease=None)
        _event(run, StudyEventKind.JUDGING_CANCELLED, now, actor=actor, left=left.count())
    # Nobody looks at this run again: what has all its verdicts gets its score now.
    for scored in scoring_runs_of(run):
        answers_complete(run=scored, now=now)


def run_finish(*, run: JudgingRun, now: datetime) -> bool:
    """Mark a run whose rows are all decided; False where some are open or the run is over already."""
    with transaction.atomic():
        # Whoever resumes the run at the same time waits here, or has opened rows again before this looks.
        runs_lock({run.pk})
        if CriterionScore.objects.filter(judging_run=run, state=RowState.OPEN).exists():
            return False
        changed = JudgingRun.objects.filter(pk=run.pk, state__in=OPEN_RUN_STATES).update(
            state=RunState.FINISHED, pause_reason="", pause_detail="", ended_at=now
        )
        if changed:
            unscored = CriterionScore.objects.filter(judging_run=run, state=RowState.UNSCORED).count()
            _event(run, StudyEventKind.JUDGING_FINISHED, now, unscored=unscored)
    return bool(changed)


def scoring_runs_of(run: JudgingRun) -> QuerySet[ScoringRun]:
    """The scores that the run adds to, one for each judge and replicate, in the order of its plan."""
    pks = CriterionScore.objects.filter(judging_run=run).values("run").distinct()
    return ScoringRun.objects.filter(pk__in=pks).select_related("study", "config").order_by("pk")
