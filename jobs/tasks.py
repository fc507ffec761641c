"""Background work of jobs. Messages are hints: what is to be done is read from the database."""

from celery import shared_task

from jobs.services.starting import WORK
from jobs.services.working import jobs_work
from studies.services.database import database_now


@shared_task(name=WORK)
def jobs_work_task() -> None:
    """Run what waits. Where one of this process's threads is at it, there is nothing to do.

    By the database's time: leases are compared between machines.
    """
    jobs_work(clock=database_now)
