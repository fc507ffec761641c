"""Background work of scoring. Messages are hints: what is to be done is read from the database.

What a task needs is imported in it: a worker loads what it is asked for.
"""

import logging

from celery import shared_task

from judging.tasks import WORK, judging_work

# So that several workers hear of a run at once; each works on it once at a time.
HINTS_AT_ONCE = 4

logger = logging.getLogger(__name__)


@shared_task(name="scoring.tasks.judging_coordinate")
def judging_coordinate() -> None:
    """See what remains of the open runs and tell the workers. Where none hears it, the work is done here. At
    last one of the runs that are over is counted, if any is not.
    """
    from django.utils import timezone

    from batches.services.clock import clocks_agree
    from judging.selectors.runs import open_runs
    from judging.services.running.counting import calls_expire, run_count
    from scoring.selectors.due import results_due
    from studies.services.messages import notify_workers

    if not clocks_agree():
        return
    if open_runs() or results_due(timezone.now()):
        from scoring import coordinator  # only now: a hundred megabytes to compute with

        for remaining in coordinator.judging_coordinate(clock=timezone.now):
            ids = {"judging_run_id": remaining.judging_run.pk, "scoring_run_id": remaining.run.pk}
            if not all(notify_workers(WORK, **ids) for _ in range(HINTS_AT_ONCE)):
                judging_work(**ids)
    try:
        calls_expire(timezone.now())  # of runs that are over, too
        run_count(now=timezone.now())
    except Exception:  # numbers are right without it, only slower
        logger.exception("a judging run that is over could not be counted")


@shared_task(name="scoring.tasks.results_measure")
def results_measure() -> None:
    """Measure what is not measured yet. Where two do it at once, the later stores the same numbers again."""
    from django.utils import timezone

    from scoring.selectors.due import results_to_measure

    if not results_to_measure().exists():
        return
    from scoring import coordinator

    coordinator.results_measure(clock=timezone.now)
