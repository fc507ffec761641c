"""The order of the steps; each reads what the one before stored, and none knows the others."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count

from judging.coordinator import Clock, run_continue_or_start, run_work_through
from judging.models import JudgingRun, RunPurpose, ScoringRun
from judging.selectors.judging import JudgingState, judging_state
from judging.selectors.runs import open_runs
from judging.services.running.coordinating import (
    Remaining,
    remaining_of,
    require_same_judges,
    run_coordinate,
)
from judging.services.running.judge_specs import JudgeSpec, require_compared, scoring_run_open
from judging.services.running.planning import Progress
from judging.services.running.runs import scoring_runs_of
from judging.services.running.settling import answers_complete
from scoring.models import ResultSet
from scoring.selectors.due import results_due, results_to_measure
from scoring.selectors.measures import measurement_of
from scoring.selectors.runs import newest_results
from scoring.services.agreements import agreements_compute
from scoring.services.audits import audits_compute
from scoring.services.freshness import OutOfDate, out_of_date, runs_to_keep
from scoring.services.measurement import Said, measurement_compute, nothing_said
from scoring.services.model_versions import models_settle
from scoring.services.results import results_compute
from screening.selectors.screening import Screening
from screening.services.screening import study_screen
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record

logger = logging.getLogger(__name__)


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
    specs: Sequence[JudgeSpec],
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
    require_compared(scoring_run_open(study=study, spec=spec, now=clock()) for spec in specs)
    run = run_continue_or_start(study, specs, budget, actor, clock, planning)
    if run is not None:
        require_same_judges(run, specs)
        begun(run)
        run_work_through(run=run, clock=clock, progress=judging)
    runs = [scoring_run_open(study=study, spec=spec, now=clock()) for spec in specs]
    for one in runs:
        answers_complete(run=one, now=clock())
    scored = tuple(Scored(one, judging_state(one), results_compute(run=one, now=clock())) for one in runs)
    agreements_compute(study=study, now=clock())
    for judge in scored:
        measurement_compute(results=judge.results, now=clock(), said=measuring)
    return Scoring(screening, scored)


def no_step(done: int, of: int) -> None:
    """For callers that show no progress."""


def results_bring_up(
    *,
    study: Study,
    clock: Clock,
    measuring: Said = nothing_said,
    step: Callable[[int, int], None] = no_step,
) -> OutOfDate:
    """Compute what of the present design's results is missing or older than its answers; return what was.

    A measurement of results that are right is repeated with its own seed and resamples. `step` hears, before
    each computation, how many of how many are done.
    """
    for run in runs_to_keep(study):
        answers_complete(run=run, now=clock())
    found = out_of_date(study)
    steps = count()
    of = len(found.results) + found.agreement + found.audits + len(found.measurements)
    for run in found.results:
        step(next(steps), of)
        results_compute(run=run, now=clock())
    if found.agreement:
        step(next(steps), of)
        agreements_compute(study=study, now=clock())
    if found.audits:
        step(next(steps), of)
        audits_compute(study=study, now=clock())
    for results in filter(None, map(newest_results, found.measurements)):
        step(next(steps), of)
        earlier = measurement_of(results)
        chosen = {"seed": earlier.seed, "resamples": earlier.resamples} if earlier else {}
        measurement_compute(results=results, now=clock(), said=measuring, **chosen)
    return found


def results_recompute(
    *,
    study: Study,
    actor: User | None,
    clock: Clock,
    measuring: Said = nothing_said,
    step: Callable[[int, int], None] = no_step,
) -> OutOfDate:
    """`results_bring_up` because somebody asked for it; the trail says so.

    From the moment it began results are known to rest on everything there was, computed anew or not. Those
    of before an amendment stay as they are, so nothing is known of them (`_with_counts_since`).
    """
    began = clock()
    models_settle(study)
    found = results_bring_up(study=study, clock=clock, measuring=measuring, step=step)
    event_record(
        study, StudyEventKind.RESULTS_RECOMPUTED, began, actor=actor,
        results=len(found.results), measurements=len(found.measurements), agreement=found.agreement,
    )  # fmt: skip
    return found


def judging_coordinate(*, clock: Clock) -> list[Remaining]:
    """One look at all open runs: bring each up to what is decided, to its results where it ends; return what
    workers could do now.

    A run that fails here keeps no other from going on; the next look tries it again.
    """
    remaining: list[Remaining] = []
    for judging_run in open_runs():
        try:
            if not run_coordinate(judging_run=judging_run, now=clock()):
                remaining += remaining_of(judging_run, clock())
            elif judging_run.purpose == RunPurpose.SCORES:
                _run_results(judging_run, clock)
        except Exception:  # the edge of a run
            logger.exception("a judging run could not be brought up", extra={"run": judging_run.pk})
    for judging_run in results_due(clock()):
        try:
            _run_results(judging_run, clock)
        except Exception:  # the edge of a run
            logger.exception("the results of a run could not be computed", extra={"run": judging_run.pk})
    return remaining


def _run_results(judging_run: JudgingRun, clock: Clock) -> None:
    """The results of every judge of a run that ended. Results last: while one misses, this is done again.

    Screened first: who decides on people later must not have seen the results meanwhile.
    """
    study_screen(study=judging_run.study, now=clock())
    agreements_compute(study=judging_run.study, now=clock())
    for run in scoring_runs_of(judging_run):
        results_compute(run=run, now=clock())


def results_measure(*, clock: Clock) -> None:
    """Measure what is newest and not measured yet. It may be stopped anywhere and is done again then."""
    for results in results_to_measure():
        try:
            measurement_compute(results=results, now=clock())
        except Exception:  # the edge of a set of results
            logger.exception("results could not be measured", extra={"results": results.pk})
