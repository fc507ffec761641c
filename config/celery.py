"""The Celery application: `celery --app config.celery worker --beat --pool threads --concurrency 4`.

Workers and the beat load it; who only wakes workers does without (`studies.services.messages`).
"""

import gc
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
# Django's checks would load every page at each start of a worker; `make check` has run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")


class Application(Celery):
    """With a beat that loads no tasks."""

    @property
    def Beat(self) -> Any:  # noqa: N802  # Celery's name
        return self.subclass_with_self("config.beat:LightBeat")  # type: ignore[arg-type]  # or its path


app = Application("chiron")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Exports and plans make millions of small objects, none of them in circles. To look for circles as often as
# Python does is a tenth of their work. Not in web processes: there circles hold what was uploaded.
gc.set_threshold(50_000)


@worker_shutting_down.connect
def end_work(**_: object) -> None:
    """Let those that judge or run a job end, so that a worker told to stop does so in seconds."""
    # In threads: this runs inside a signal handler, and the one it interrupted may hold an event's lock.
    for event in (stopping, jobs_stopping):
        threading.Thread(target=event.set, daemon=True).start()


@task_postrun.connect
def leave_heartbeat(task: "Task[Any, Any]", **_: object) -> None:
    """A worker that takes the sweeps is at work; the stand-in, which may do one, does not come here."""
    if task.name == "batches.tasks.sweep_sessions":
        heartbeat_write("worker", now=time.time())
