"""Background work of jobs. Messages are hints: what is to be done is read from the database.

What a task needs is imported in it: a worker loads what it is asked for.
"""

from celery import shared_task


@shared_task(name="jobs.tasks.jobs_work")
def jobs_work_task() -> None:
    """Run what waits. Where one of this process's threads is at it, there is nothing to do.

    By the database's time: leases are compared between machines.
    """
    from jobs.services.working import jobs_work
    from studies.services.database import database_now

    jobs_work(clock=database_now)
