"""The order of the steps; each reads what the one before stored, and none knows the others."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.conf import settings

from scoring.models import JudgingRun, ResultSet, RowState, RunPurpose, RunState, ScoringRun
from scoring.selectors.judging import JudgingState, judging_state
from scoring.selectors.judging_runs import open_judging_run
from scoring.selectors.measures import measurement_of, results_to_measure
from scoring.selectors.runs import newest_results
from scoring.selectors.screening import Screening
from scoring.services.agreements import agreements_compute
from scoring.services.freshness import OutOfDate, out_of_date, runs_to_keep
from scoring.services.judging.compared import require_compared
from scoring.services.judging.comparison_report import ComparisonReport, comparison_report
from scoring.services.judging.comparisons import (
    Comparison,
    comparison_is_needed,
    comparison_plan,
    comparison_start,
)
from scoring.services.judging.continuing import require_seats
from scoring.services.judging.coordinating import (
    Remaining,
    open_runs,
    remaining_of,
    results_due,
    run_coordinate,
)
from scoring.services.judging.planning import Progress
from scoring.services.judging.runs import (
    PlanOutdated,
    RunIsOpen,
    run_plan,
    run_start,
    scoring_runs_of,
)
from scoring.services.judging.seats import Seat, scoring_run_open
from scoring.services.judging.settling import answers_complete
from scoring.services.judging.working import SliceResult, slice_work
from scoring.services.measurement.computing import Said, measurement_compute, nothing_said
from scoring.services.results import results_compute
from scoring.services.screening import study_screen
from studies.models import Study, User
from studies.services.refusals import Refused

Clock = Callable[[], datetime]
LOOK_SECONDS = 0.2
logger = logging.getLogger(__name__)


class RunPaused(Refused):
    """The run stopped asking before everything was decided; what was judged is stored."""


@dataclass(frozen=True)
class Scored:
    """What one judge's scores came to."""

    run: ScoringRun
    judging: JudgingState
    results: ResultSet


@dataclass(frozen=True)
class Scoring:
    """What each step left behind; one entry of `judges` for each judge and replicate."""

    screening: Screening
    judges: tuple[Scored, ...]


def study_score(
    *,
    study: Study,
    seats: Sequence[Seat],
    budget: Decimal | None,
    actor: User | None,
    clock: Clock,
    planning: Progress,
    judging: Progress,
    begun: Callable[[JudgingRun], None] = lambda run: None,
    measuring: Said = nothing_said,
) -> Scoring:
    """Screen, judge what has no score yet, compute the results. It may be stopped and run again at any time.

    Judges in this process, beside whatever workers there are. An open run of the study is continued as it was
    planned. `begun` is told of the run before anything is asked. Raises what the steps raise, and RunPaused;
    everything judged so far is stored then.
    """
    screening = study_screen(study=study, now=clock())
    require_compared(scoring_run_open(study=study, seat=seat, now=clock()) for seat in seats)
    run = run_continue_or_start(study, seats, budget, actor, clock, planning)
    if run is not None:
        require_seats(run, seats)
        begun(run)
        run_work_through(run=run, clock=clock, progress=judging)
    runs = [scoring_run_open(study=study, seat=seat, now=clock()) for seat in seats]
    for one in runs:
        answers_complete(run=one, now=clock())
    scored = tuple(Scored(one, judging_state(one), results_compute(run=one, now=clock())) for one in runs)
    agreements_compute(study=study, now=clock())
    for judge in scored:
        measurement_compute(results=judge.results, now=clock(), said=measuring)
    return Scoring(screening, scored)


def run_continue_or_start(
    study: Study,
    seats: Sequence[Seat],
    budget: Decimal | None,
    actor: User | None,
    clock: Clock,
    planning: Progress,
) -> JudgingRun | None:
    """The study's open run, else a new one; None where nothing is left to judge."""
    while (run := open_judging_run(study)) is None:
        plan = run_plan(study=study, seats=seats, now=clock(), progress=planning)
        if not plan.rows:
            return None
        try:
            return run_start(plan=plan, budget=budget, actor=actor, now=clock())
        except (RunIsOpen, PlanOutdated):
            # Somebody else was faster: see what there is now.
            continue
    return run


def results_bring_up(*, study: Study, clock: Clock, measuring: Said = nothing_said) -> OutOfDate:
    """Compute what of the present design's results is missing or older than its answers; return what was.

    A measurement of results that are right is repeated with its own seed and resamples.
    """
    for run in runs_to_keep(study):
        answers_complete(run=run, now=clock())
    found = out_of_date(study)
    for run in found.results:
        results_compute(run=run, now=clock())
    if found.agreement:
        agreements_compute(study=study, now=clock())
    for run in found.measurements:
        results_measure_again(run, clock, measuring)
    return found


def results_measure_again(run: ScoringRun, clock: Clock, measuring: Said) -> None:
    if (results := newest_results(run)) is None:
        return
    earlier = measurement_of(results)
    chosen = {"seed": earlier.seed, "resamples": earlier.resamples} if earlier else {}
    measurement_compute(results=results, now=clock(), said=measuring, **chosen)


def judging_compare(
    *,
    comparison: Comparison,
    budget: Decimal | None,
    actor: User | None,
    clock: Clock,
    planning: Progress,
    judging: Progress,
) -> ComparisonReport:
    """Ask about the sample both ways, as far as that is not known yet, and report. No results are computed.

    An open comparison of the same judges is worked through first. Raises what the steps raise, and RunPaused.
    """
    study = comparison.study
    if (under_way := open_judging_run(study)) is not None:
        require_seats(under_way, comparison.seats, purpose=RunPurpose.COMPARISON)
        run_work_through(run=under_way, clock=clock, progress=judging)
    plan = comparison_plan(comparison=comparison, now=clock(), progress=planning)
    if comparison_is_needed(comparison, plan, clock()):
        run = comparison_start(comparison=comparison, plan=plan, budget=budget, actor=actor, now=clock())
        run_work_through(run=run, clock=clock, progress=judging)
    for one in comparison.scoring_runs(clock()):
        answers_complete(run=one, now=clock())
    return comparison_report(comparison=comparison, now=clock())


def run_work_through(*, run: JudgingRun, clock: Clock, progress: Progress) -> None:
    """Work on a run in this process until it is over. Raises RunPaused."""
    while not run_coordinate(judging_run=run, now=clock()):
        run.refresh_from_db()
        if run.state != RunState.RUNNING:
            break
        if not slices_work(run, clock, progress):
            # Others hold the rest, or its time has not come.
            time.sleep(LOOK_SECONDS)
    run.refresh_from_db()
    progress(decided_rows(run), run.planned)
    if run.state == RunState.PAUSED:
        raise RunPaused(
            f"The run pauses: {run.get_pause_reason_display()}. {run.pause_detail} Everything judged before "
            "is kept: mend the cause and run the same command again with --resume."
        )


def slices_work(run: JudgingRun, clock: Clock, progress: Progress) -> bool:
    """A slice for each judge with something to do; whether any call was made."""
    worked = False
    for one in remaining_of(run, clock()):
        shown = Shown(decided_rows(run), run.planned, progress)
        result = slice_work(
            judging_run=run,
            run=one.run,
            seconds=settings.JUDGING_SLICE_SECONDS,
            wanted=settings.JUDGING_THREADS,
            stopping=threading.Event(),
            clock=clock,
            told=shown.add,
        )
        worked = worked or not result.idle
    return worked


class Shown:
    """Progress as it is shown: what was decided before, and what is since."""

    def __init__(self, decided: int, planned: int, progress: Progress) -> None:
        self._decided, self._planned, self._progress = decided, planned, progress
        progress(decided, planned)

    def add(self, calls: int) -> None:
        self._decided += calls
        self._progress(min(self._decided, self._planned), self._planned)


def decided_rows(run: JudgingRun) -> int:
    return run.rows.exclude(state=RowState.OPEN).count()


def judging_coordinate(*, clock: Clock) -> list[Remaining]:
    """One look at all open runs: score, finish, compute the results; return what workers could do now.

    A run that fails here keeps no other from going on; the next look tries it again.
    """
    remaining: list[Remaining] = []
    for judging_run in open_runs():
        try:
            remaining += run_look(judging_run, clock)
        except Exception:  # the edge of a run
            logger.exception("a judging run could not be brought up", extra={"run": judging_run.pk})
    for judging_run in results_due(clock()):
        try:
            run_results(judging_run, clock)
        except Exception:  # the edge of a run
            logger.exception("the results of a run could not be computed", extra={"run": judging_run.pk})
    return remaining


def run_look(judging_run: JudgingRun, clock: Clock) -> list[Remaining]:
    """Bring one run up to what is decided, to its results where it ends; return what could be done now."""
    if not run_coordinate(judging_run=judging_run, now=clock()):
        return remaining_of(judging_run, clock())
    if judging_run.purpose == RunPurpose.SCORES:
        run_results(judging_run, clock)
    return []


def run_results(judging_run: JudgingRun, clock: Clock) -> None:
    """The results of every judge of a run that ended. Results last: while one misses, this is done again.

    Screened first: who decides on people later must not have seen the results meanwhile.
    """
    study_screen(study=judging_run.study, now=clock())
    agreements_compute(study=judging_run.study, now=clock())
    for run in scoring_runs_of(judging_run):
        results_compute(run=run, now=clock())


def judging_slice(
    *, judging_run_id: int, scoring_run_id: int, stopping: threading.Event, clock: Clock
) -> SliceResult:
    """One worker's slice of one judge's rows."""
    return slice_work(
        judging_run=JudgingRun.objects.select_related("study").get(pk=judging_run_id),
        run=ScoringRun.objects.select_related("study", "config").get(pk=scoring_run_id),
        seconds=settings.JUDGING_SLICE_SECONDS,
        wanted=settings.JUDGING_THREADS,
        stopping=stopping,
        clock=clock,
    )


def results_measure(*, clock: Clock) -> None:
    """Measure what is newest and not measured yet. It may be stopped anywhere and is done again then."""
    for results in results_to_measure():
        try:
            measurement_compute(results=results, now=clock())
        except Exception:  # the edge of a set of results
            logger.exception("results could not be measured", extra={"results": results.pk})
