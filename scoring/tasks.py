"""Background work of scoring. Messages are hints: what is to be done is read from the database."""

from contextlib import suppress

from celery import shared_task
from django.utils import timezone

from batches.rules.clock import Ending
from batches.services.clock import ClockDoubted, clocks_agree, ending_moment
from scoring import coordinator
from scoring.services.erasure import withdrawn_erase
from scoring.services.slices import slice_slot, stopping
from studies.services.hints import hint
from studies.services.sign_ins import sign_ins_clear

WORK = "scoring.tasks.judging_work"
# So that several workers hear of a run at once; each works on it once at a time.
HINTS_AT_ONCE = 4


@shared_task(name="scoring.tasks.erase_withdrawn")
def erase_withdrawn() -> None:
    """Delete what was promised to be deleted by now. Beat sends it hourly; running it twice does no harm.

    While the clock is in doubt it deletes nothing; a later one does.
    """
    with suppress(ClockDoubted):
        withdrawn_erase(now=ending_moment(Ending.DELETIONS))


@shared_task(name="scoring.tasks.clear_sign_ins")
def clear_sign_ins() -> None:
    """Delete sign-ins and codes that are over. Beat sends it hourly; running it twice does no harm.

    A clock that is a month ahead would sign everybody out: while it is in doubt nothing is deleted.
    """
    with suppress(ClockDoubted):
        sign_ins_clear(now=ending_moment(Ending.DELETIONS))


@shared_task(name="scoring.tasks.judging_coordinate")
def judging_coordinate() -> None:
    """See what remains of the open runs and tell the workers. Where none hears it, the work is done here."""
    if not clocks_agree():
        return
    for one in coordinator.judging_coordinate(clock=timezone.now):
        ids = {"judging_run_id": one.judging_run.pk, "scoring_run_id": one.run.pk}
        if not all(hint(WORK, **ids) for _ in range(HINTS_AT_ONCE)):
            judging_work(**ids)


@shared_task(name="scoring.tasks.results_measure")
def results_measure() -> None:
    """Measure what is not measured yet. Where two do it at once, the later stores the same numbers again."""
    coordinator.results_measure(clock=timezone.now)


@shared_task(name=WORK)
def judging_work(*, judging_run_id: int, scoring_run_id: int) -> None:
    """Judge for a while, then pass on the hint if there may be more."""
    with slice_slot(scoring_run_id) as free:
        if not free or not clocks_agree():
            return
        result = coordinator.judging_slice(
            judging_run_id=judging_run_id,
            scoring_run_id=scoring_run_id,
            stopping=stopping,
            clock=timezone.now,
        )
    if not result.idle and not stopping.is_set():
        hint(WORK, judging_run_id=judging_run_id, scoring_run_id=scoring_run_id)
