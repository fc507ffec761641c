"""Background work of operating a site. What a task needs is imported in it."""

from contextlib import suppress

from celery import shared_task


@shared_task(name="operations.tasks.erase_withdrawn")
def erase_withdrawn() -> None:
    """Delete what was promised to be deleted by now. Beat sends it hourly; running it twice does no harm.

    While the clock is in doubt it deletes nothing; a later one does.
    """
    from batches.services.clock import ClockDoubted, ending_moment
    from operations.services.erasure import withdrawn_erase
    from studies.clock import Ending

    with suppress(ClockDoubted):
        withdrawn_erase(now=ending_moment(Ending.DELETIONS))
