"""The Celery application: `celery --app config.celery worker --beat --pool threads --concurrency 4`."""

import os
import threading
import time
from typing import Any

from celery import Celery, Task
from celery.signals import task_postrun, worker_shutting_down

from jobs.process_end import stopping as jobs_stopping
from judging.services.running.process_slots import stopping
from operations.services.heartbeats import heartbeat_write

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("chiron")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_shutting_down.connect
def end_work(**_: object) -> None:
    """Let those that judge or run a job end, so that a worker told to stop does so in seconds."""
    # In threads: this runs inside a signal handler, and the one it interrupted may hold an event's lock.
    for event in (stopping, jobs_stopping):
        threading.Thread(target=event.set, daemon=True).start()


@task_postrun.connect
def leave_heartbeat(task: "Task[Any, Any]", **_: object) -> None:
    """A worker that takes the sweeps is at work; the beat, which may do one itself, sends no such signal."""
    if task.name == "batches.tasks.sweep_sessions":
        heartbeat_write("worker", now=time.time())
