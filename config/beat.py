"""The beat: sends what is due, and does it itself while no worker can be reached.

Nothing that keeps a deadline or finishes a run may depend on the broker.
"""

import os
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import structlog
from celery import Celery
from celery.beat import ScheduleEntry, Scheduler, Service
from celery.signals import beat_embedded_init
from django.db import connections

from jobs.process_end import stopping as jobs_stopping
from judging.services.running.process_slots import stopping
from operations.services.heartbeats import heartbeat_write
from studies.services.mails.notifications import NotSent, QueueCrowded, task_send

STOP_SECONDS = 8
# So many messages of the beat wait after some twenty seconds without a worker.
WAITING_LIMIT = 12
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

log = structlog.get_logger("chiron.beat")


class SteadyScheduler(Scheduler):
    """Keeps its schedule in memory: every task is idempotent, so each is due once at the start.

    A schedule in a file stays locked by a killed beat's children, and a daily task would never come up where
    the beat is restarted every day.
    """

    # Celery's own producer would hold the beat here until the broker answers.
    producer = None  # type: ignore[assignment]

    def __init__(self, app: Celery, **kwargs: Any) -> None:
        self.worker_pid: int | None = None
        self._local_tasks = LocalTasks(app)
        self._alone = False
        self._ticked_at = 0.0
        super().__init__(app, **kwargs)

    def setup_schedule(self) -> None:
        super().setup_schedule()
        self._all_due()

    def _all_due(self) -> None:
        for entry in self.schedule.values():
            entry.last_run_at = LONG_AGO
        self._heap = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        before, self._ticked_at = self._ticked_at, time.time()
        if self._ticked_at < before:
            # Otherwise nothing would be due until the clock comes to where it was.
            self._all_due()
        if self.worker_pid not in {None, os.getppid()}:
            raise SystemExit("the worker that this beat belongs to is gone")
        return min(super().tick(*args, **kwargs), 1.0)

    def apply_entry(self, entry: ScheduleEntry, producer: object = None) -> None:
        """Send the entry's message, or start its task here. Never raises and never waits for a task."""
        task, task_kwargs = str(entry.task), entry.kwargs or {}
        if self._local_tasks.is_running(task):
            return
        try:
            task_send(task, task_kwargs, waiting_limit=WAITING_LIMIT, **(entry.options or {}))
        except NotSent as reason:
            if not self._alone:
                log.warning("the beat does the background work itself", reason=str(reason))
            self._alone = True
            self._local_tasks.start(task, task_kwargs)
            if not isinstance(reason, QueueCrowded):
                return  # the sign is left where the broker is: trying would only hold the beat
        else:
            if self._alone:
                log.warning("messages reach the workers again; the beat only sends them")
            self._alone = False
        heartbeat_write("beat", now=time.time())

    def close(self) -> None:
        stopping.set()
        jobs_stopping.set()
        self._local_tasks.wait(STOP_SECONDS)
        super().close()


class LocalTasks:
    """Tasks run in this process: each in a thread, none twice at once."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._threads: dict[str, threading.Thread] = {}

    def is_running(self, task: str) -> bool:
        return task in self._threads and self._threads[task].is_alive()

    def start(self, task: str, kwargs: Mapping[str, Any]) -> None:
        # A daemon: an ending beat waits a bounded time, and leases outlive what it then cuts off.
        thread = threading.Thread(target=self._run, args=(task, kwargs), name=task, daemon=True)
        self._threads[task] = thread
        thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for what is running, at most so long for each."""
        for thread in self._threads.values():
            thread.join(seconds)

    def _run(self, task: str, kwargs: Mapping[str, Any]) -> None:
        try:
            self._app.tasks[task](**kwargs)
        except Exception:  # the edge of a task: the next tick tries again
            log.exception("a task failed in the beat", task=task)
        finally:
            connections.close_all()


@beat_embedded_init.connect
def watch_worker(sender: Service, **_: object) -> None:
    """A worker that is killed leaves its embedded beat behind; that one notices and ends."""
    scheduler = sender.scheduler
    if isinstance(scheduler, SteadyScheduler):
        scheduler.worker_pid = os.getppid()
