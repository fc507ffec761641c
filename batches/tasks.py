"""Background work of batches."""

from celery import shared_task
from django.utils import timezone

from batches.services.ending import sessions_expire


@shared_task(name="batches.tasks.sweep_sessions")
def sweep_sessions() -> None:
    """End the sessions whose time is over. Beat sends it every few seconds; running it twice does no harm."""
    sessions_expire(now=timezone.now())
