"""Background work of the console."""

from celery import shared_task
from django.conf import settings

from batches.services.clock import clocks_agree
from console.services.digests import digests_queue
from studies.services.clock import server_now


@shared_task(name="console.tasks.digests")
def digests() -> None:
    """Mail the study teams what waits for them, once a day. Running it twice does no harm.

    By a wrong clock it would be another day: while the clock is in doubt nobody is mailed.
    """
    if clocks_agree():
        digests_queue(now=server_now(), site_url=settings.SITE_URL or "")
