"""The Celery application: `celery --app config.celery worker --beat --pool threads --concurrency 4`."""

import os
import threading

from celery import Celery
from celery.signals import worker_shutting_down

from scoring.services.slices import stopping

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("chiron")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_shutting_down.connect
def tell_slices(**_: object) -> None:
    """Let running slices end, so that a worker told to stop does so in seconds."""
    # In a thread: this runs inside a signal handler, and the one it interrupted may hold the event's lock.
    threading.Thread(target=stopping.set, daemon=True).start()
