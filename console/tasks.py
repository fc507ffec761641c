"""Background work of the console. What a task needs is imported in it."""

from contextlib import suppress
from datetime import timedelta

import structlog
from celery import shared_task

# Looked for every few minutes: what nobody goes on with is gone within the hour.
LEFT_FOR = timedelta(minutes=50)

log = structlog.get_logger("chiron")


@shared_task(name="console.tasks.digests")
def digests() -> None:
    """Mail the study teams what waits for them, once a day. Running it twice does no harm.

    By a wrong clock it would be another day: while the clock is in doubt nobody is mailed.
    """
    from django.conf import settings

    from batches.services.clock import clocks_agree
    from console.services.digests import digests_queue
    from studies.services.clock import server_now

    if clocks_agree():
        digests_queue(now=server_now(), site_url=settings.SITE_URL or "")


@shared_task(name="console.tasks.clear_leftovers")
def clear_leftovers() -> None:
    """Delete uploads that nobody goes on with, and what killed imports, starts of judging and exports left
    half-made: they hold gold answers and people's texts; and plans that were computed long ago. Running it
    twice does no harm.

    By a clock that is ahead it would take what is under way: while it is in doubt nothing is deleted.
    """
    from batches.services.clock import ClockDoubted, ending_moment
    from console.services.staging import strays_remove
    from jobs.services.lists import lists_expire
    from jobs.services.starting import kept_jobs_expire
    from judging.services.running.runs import drafts_clear as run_drafts_clear
    from reporting.forms.planner import KEPT, PLAN
    from scoring.services.export_deleting import export_strays_delete
    from scoring.services.model_versions import model_drafts_clear
    from studies.clock import Ending
    from studies.services.attachment_files import attachment_strays_delete
    from studies.services.banks import drafts_clear as bank_drafts_clear

    with suppress(ClockDoubted):
        now = ending_moment(Ending.LEFTOVERS)
        strays_remove()
        lists_expire(now=now)
        kept_jobs_expire(kind=PLAN, before=now - KEPT)
        bank_drafts_clear(before=now - LEFT_FOR)
        model_drafts_clear(before=now - LEFT_FOR)
        run_drafts_clear(before=now - LEFT_FOR)
        try:
            export_strays_delete(now=now)
            attachment_strays_delete(before=now - LEFT_FOR)
        except OSError as error:
            log.error("what was left half-made cannot be deleted", reason=str(error.strerror))
