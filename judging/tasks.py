"""Background work of judging. Messages are hints: what is to be done is read from the database.

What a task needs is imported in it: a worker loads what it is asked for.
"""

from celery import shared_task

WORK = "judging.tasks.judging_work"


@shared_task(name=WORK)
def judging_work(*, judging_run_id: int, scoring_run_id: int) -> None:
    """Judge for a while, then pass on the hint if there may be more."""
    from django.utils import timezone

    from batches.services.clock import clocks_agree
    from judging.coordinator import judging_work_for_a_while
    from judging.services.running.process_slots import process_slot, stopping
    from studies.services.messages import notify_workers

    with process_slot(scoring_run_id) as free:
        if not free or not clocks_agree():
            return
        result = judging_work_for_a_while(
            judging_run_id=judging_run_id,
            scoring_run_id=scoring_run_id,
            stopping=stopping,
            clock=timezone.now,
        )
    if not result.idle and not stopping.is_set():
        notify_workers(WORK, judging_run_id=judging_run_id, scoring_run_id=scoring_run_id)
