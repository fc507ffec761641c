"""Background work of studies."""

from celery import shared_task

from studies.services.database import database_now
from studies.services.limits import limits_tidy
from studies.services.mails.mails import SEND, mails_send


@shared_task(name=SEND)
def send_mails() -> None:
    """Send what pages asked for. Beat sends it every few seconds; running it twice does no harm.

    By the database's time: a worker an hour ahead would drop every mail as too old, and forget every limit.
    """
    mails_send(clock=database_now)
    limits_tidy(now=database_now())
