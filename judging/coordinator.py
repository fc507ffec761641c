"""The order of the steps of judging: plan, ask, settle; in this process or for one worker's lease."""

import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.utils.translation import gettext as _

from judging.models import JudgingRun, RowState, RunState, ScoringRun
from judging.selectors.left import unscored_answers
from judging.selectors.runs import open_judging_run
from judging.services.running.compute import local_work
from judging.services.running.coordinating import remaining_of, run_coordinate
from judging.services.running.judge_specs import JudgeSpec, spec_of
from judging.services.running.own import judge_work
from judging.services.running.planning import Progress
from judging.services.running.runs import (
    PlanOutdated,
    RunIsOpen,
    RunPlan,
    run_plan,
    run_start,
    scoring_runs_of,
)
from presentation.numbers import numbered
from studies.models import Study, User
from studies.services.refusals import Refused

Clock = Callable[[], datetime]
LOOK_SECONDS = 0.2


class RunNotOver(Refused):
    """The run goes on."""


class BudgetUsedUp(Refused):
    """Nothing of the run's budget is left."""


class RunPaused(Refused):
    """The run stopped asking before everything was decided; what was judged is stored."""


def run_continue_or_start(
    study: Study,
    specs: Sequence[JudgeSpec],
    budget: Decimal | None,
    actor: User | None,
    clock: Clock,
    planning: Progress,
) -> JudgingRun | None:
    """The study's open run, else a new one; None where nothing is left to judge."""
    while (run := open_judging_run(study)) is None:
        plan = run_plan(study=study, specs=specs, now=clock(), progress=planning)
        if not plan.rows:
            return None
        try:
            return run_start(plan=plan, budget=budget, actor=actor, now=clock())
        except (RunIsOpen, PlanOutdated):
            # Somebody else was faster: see what there is now.
            time.sleep(LOOK_SECONDS)
    return run


def run_retry(*, run: JudgingRun, reason: str, actor: User | None, clock: Clock) -> JudgingRun | None:
    """Ask the same judges once more about what this run left without a score, for `reason` or for any.

    A new run, under what is left of the budget. None where nothing is left to ask. Raises RunNotOver,
    BudgetUsedUp and what starting raises.
    """
    plan = retry_plan(run=run, reason=reason, now=clock())
    if not plan.rows:
        return None
    return run_start(plan=plan, budget=retry_budget(run), actor=actor, now=clock())


def retry_plan(*, run: JudgingRun, reason: str, now: datetime) -> RunPlan:
    """What asking again would ask; nothing is asked. Raises RunNotOver."""
    if run.is_open:
        raise RunNotOver(_("This run goes on; what failed can be asked again once it is over."))
    specs = [spec_of(scores) for scores in scoring_runs_of(run)]
    return run_plan(
        study=run.study, specs=specs, now=now, progress=lambda done, total: None,
        only=unscored_answers(run, reason),
    )  # fmt: skip


def retry_budget(run: JudgingRun) -> Decimal | None:
    """What is left of the run's budget; None where it has none. Raises BudgetUsedUp."""
    if run.budget is None:
        return None
    # What is under way may still be charged at its worst.
    left = run.budget - run.committed
    if left <= 0:
        raise BudgetUsedUp(
            numbered(
                _(
                    "The budget of run %(number)d is used up. Estimate what is left and start it with "
                    "another."
                ),
                {"number": run.pk},
            )
        )
    return left


def run_work_through(*, run: JudgingRun, clock: Clock, progress: Progress) -> None:
    """Work on a run in this process until it is over. Raises RunPaused."""
    while not run_coordinate(judging_run=run, now=clock()):
        run.refresh_from_db()
        if run.state != RunState.RUNNING:
            break
        worked = False
        for remaining in remaining_of(run, clock()):
            display = _ProgressDisplay(_decided_rows(run), run.planned, progress)
            worked |= work_for_a_while(
                judging_run=remaining.judging_run,
                run=remaining.run,
                stopping=threading.Event(),
                clock=clock,
                on_progress=display.add,
            )
        if not worked:
            # Others hold the rest, or its time has not come.
            time.sleep(LOOK_SECONDS)
    run.refresh_from_db()
    progress(_decided_rows(run), run.planned)
    if run.state == RunState.PAUSED:
        raise RunPaused(
            f"The run pauses: {run.get_pause_reason_display()}. {run.pause_detail} Everything judged before "
            "is kept: mend the cause and run the same command again with --resume."
        )


class _ProgressDisplay:
    """Progress as it is shown: what was decided before, and what is since."""

    def __init__(self, decided: int, planned: int, progress: Progress) -> None:
        self._decided, self._planned, self._progress = decided, planned, progress
        progress(decided, planned)

    def add(self, calls: int) -> None:
        self._decided += calls
        self._progress(min(self._decided, self._planned), self._planned)


def _decided_rows(run: JudgingRun) -> int:
    return run.rows.exclude(state=RowState.OPEN).count()


def work_for_a_while(
    *,
    judging_run: JudgingRun,
    run: ScoringRun,
    stopping: threading.Event,
    clock: Clock,
    on_progress: Callable[[int], None] = lambda calls: None,
    on_close: Callable[[], None] = lambda: None,
) -> bool:
    """Ask the judge of these scores, for whatever runs wait for it; where it is no model, compute verdicts of
    this run. Whether there was anything to do. `on_close` hears when nothing more is sent.
    """
    term = settings.JUDGING_SLICE_SECONDS
    if run.config is not None:
        return judge_work(
            config=run.config, seconds=term, stopping=stopping, clock=clock, on_progress=on_progress,
            on_close=on_close,
        )  # fmt: skip
    return local_work(
        judging_run=judging_run, run=run, seconds=term, stopping=stopping, clock=clock,
        on_progress=on_progress,
    )  # fmt: skip
