"""Background work of batches."""

from contextlib import suppress

from celery import shared_task

from batches.rules.clock import Ending
from batches.services.clock import ClockDoubted, ending_moment
from batches.services.ending import sessions_expire


@shared_task(name="batches.tasks.sweep_sessions")
def sweep_sessions() -> None:
    """End the sessions whose time is over. Beat sends it every few seconds; running it twice does no harm.

    While the clock is in doubt it ends none; a later one does.
    """
    with suppress(ClockDoubted):
        sessions_expire(now=ending_moment(Ending.SESSIONS))
