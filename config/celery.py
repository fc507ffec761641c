"""The Celery application: `celery --app config.celery worker --beat --pool threads --concurrency 4`."""

import os
import threading
import time
from typing import Any

from celery import Celery, Task
from celery.signals import task_postrun, worker_shutting_down

from judging.services.running.process_slots import stopping
from operations.services.heartbeats import heartbeat_write

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("chiron")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_shutting_down.connect
def end_judging(**_: object) -> None:
    """Let those that judge end, so that a worker told to stop does so in seconds."""
    # In a thread: this runs inside a signal handler, and the one it interrupted may hold the event's lock.
    threading.Thread(target=stopping.set, daemon=True).start()


@task_postrun.connect
def leave_heartbeat(task: "Task[Any, Any]", **_: object) -> None:
    """A worker that takes the sweeps is at work; the beat, which may do one itself, sends no such signal."""
    if task.name == "batches.tasks.sweep_sessions":
        heartbeat_write("worker", now=time.time())
