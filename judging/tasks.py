"""Background work of judging. Messages are hints: what is to be done is read from the database.

What a task needs is imported in it: a worker loads what it is asked for.
"""

from celery import shared_task

WORK = "judging.tasks.judging_work"


@shared_task(name=WORK)
def judging_work(*, judging_run_id: int, scoring_run_id: int) -> None:
    """Ask a judge, or compute verdicts, for a while; then pass on the hint if there may be more."""
    from functools import partial

    from django.utils import timezone

    from batches.services.clock import clocks_agree
    from judging.coordinator import work_for_a_while
    from judging.models import JudgingRun, ScoringRun
    from judging.services.running.process_slots import process_slot, stopping
    from studies.services.messages import notify_workers

    run = ScoringRun.objects.select_related("study", "config").get(pk=scoring_run_id)
    kind, number = ("run", run.pk) if run.config is None else ("judge", run.config.pk)
    with process_slot(kind, number) as slot:
        if slot is None or not clocks_agree():
            return
        judging_run = JudgingRun.objects.get(pk=judging_run_id)
        worked = work_for_a_while(
            judging_run=judging_run,
            run=run,
            stopping=stopping,
            clock=timezone.now,
            on_close=partial(setattr, slot, "is_ending", True),
        )
    if worked and not stopping.is_set():
        notify_workers(WORK, judging_run_id=judging_run_id, scoring_run_id=scoring_run_id)
