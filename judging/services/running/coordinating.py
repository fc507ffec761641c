"""What remains of the open runs, derived from the database alone; doing it twice, or late, does no harm."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from judging.models import OPEN_RUN_STATES, JudgingRun, RowState, RunState, ScoringRun
from judging.services.running.runs import run_finish, scoring_runs_of
from judging.services.running.settling import answers_complete, answers_settle, scoring_run_note_end


@dataclass(frozen=True)
class Remaining:
    """One judge of a run that goes on, with the calls that could be made now."""

    judging_run: JudgingRun
    run: ScoringRun
    calls: int


def open_runs() -> list[JudgingRun]:
    """Every run that goes on or pauses, oldest first."""
    return list(JudgingRun.objects.filter(state__in=OPEN_RUN_STATES).select_related("study"))


def run_coordinate(*, judging_run: JudgingRun, now: datetime) -> bool:
    """Score what is decided and end the run where everything is; True where it ended just now.

    What is decided while the scores are brought up waits for the next look: a run that is over is never
    looked at again.
    """
    decided = not judging_run.rows.filter(state=RowState.OPEN).exists()
    _run_settle(judging_run=judging_run, now=now)
    if decided:
        _run_complete(judging_run=judging_run, now=now)
    return decided and run_finish(run=judging_run, now=now)


def _run_settle(*, judging_run: JudgingRun, now: datetime) -> None:
    """Bring the scores of answers up to what is decided."""
    for run in scoring_runs_of(judging_run):
        answers_settle(judging_run=judging_run, run=run, now=now)
        scoring_run_note_end(run=run, now=now)


def _run_complete(*, judging_run: JudgingRun, now: datetime) -> None:
    """Score what an earlier run left with all its verdicts, and what moments told by other clocks hid."""
    for run in scoring_runs_of(judging_run):
        answers_complete(run=run, now=now)
        scoring_run_note_end(run=run, now=now)


def remaining_of(judging_run: JudgingRun, now: datetime) -> list[Remaining]:
    """The judges with rows that nobody holds and whose time has come; none while the run pauses."""
    if not JudgingRun.objects.filter(pk=judging_run.pk, state=RunState.RUNNING).exists():
        return []
    waiting = Q(
        criteria__judging_run=judging_run,
        criteria__state=RowState.OPEN,
        criteria__asked_with=None,
        criteria__available_at__lte=now,
    )
    runs = ScoringRun.objects.filter(waiting).annotate(waiting=Count("criteria")).order_by("pk")
    return [Remaining(judging_run, run, run.waiting) for run in runs.select_related("study", "config")]
