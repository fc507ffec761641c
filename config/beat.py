"""The beat: sends what is due, and has it done in a child process while no worker can be reached.

Nothing that keeps a deadline or finishes a run may depend on the broker. The beat itself knows only the names
of tasks: neither they nor Django's applications are loaded here.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import structlog
from celery import Celery
from celery.apps.beat import Beat
from celery.beat import ScheduleEntry, Scheduler, Service
from celery.signals import beat_embedded_init
from django.conf import settings

from config.stand_in import STOP_SECONDS
from operations.services.heartbeats import heartbeat_write
from studies.services.messages import NotSent, QueueCrowded, task_send

# So many messages of the beat wait after some twenty seconds without a worker.
WAITING_LIMIT = 12
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

log = structlog.get_logger("chiron.beat")


class LightBeat(Beat):
    """Celery's beat without what it would load first: every task, and Django with all its applications."""

    def init_loader(self) -> None:
        """Nothing: whoever is sent a task, or stands in, loads it."""


class SteadyScheduler(Scheduler):
    """Keeps its schedule in memory: every task is idempotent, so each is due once at the start.

    A schedule in a file stays locked by a killed beat's children, and a daily task would never come up where
    the beat is restarted every day.
    """

    # Celery's own producer would hold the beat here until the broker answers.
    producer = None  # type: ignore[assignment]

    def __init__(self, app: Celery, **kwargs: Any) -> None:
        self.worker_pid: int | None = None
        self._stand_in = StandIn()
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
        """Send the entry's message, or have its task done here. Never raises and never waits for a task."""
        task, task_kwargs = str(entry.task), entry.kwargs or {}
        try:
            task_send(task, task_kwargs, waiting_limit=WAITING_LIMIT, **(entry.options or {}))
        except NotSent as reason:
            if not self._alone:
                log.warning("the beat does the background work itself", reason=str(reason))
            self._alone = True
            self._stand_in.do(task, task_kwargs)
            if not isinstance(reason, QueueCrowded):
                return  # the sign is left where the broker is: trying would only hold the beat
        else:
            if self._alone:
                log.warning("messages reach the workers again; the beat only sends them")
            self._alone = False
            self._stand_in.rest()
        heartbeat_write("beat", now=time.time())

    def close(self) -> None:
        self._stand_in.close()
        super().close()


class StandIn:
    """The child process (`config.stand_in`) that does the tasks while no worker hears of them.

    It is there only then, as it loads what a worker loads. Where it died it is started again with the next
    task. However the beat ends, the child notices by its standard input, and ends.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def do(self, task: str, kwargs: Mapping[str, Any]) -> None:
        order = {"task": task, "kwargs": kwargs}
        if self._tell(order):
            return
        self._end()
        try:
            child = subprocess.Popen(
                [sys.executable, "-m", "config.stand_in"],
                cwd=settings.BASE_DIR,
                stdin=subprocess.PIPE,
                bufsize=0,
            )
            assert child.stdin  # noqa: S101  # it is a pipe
            os.set_blocking(child.stdin.fileno(), False)
            self._child = child
        except OSError as error:  # the next task tries again
            log.error("the beat's stand-in could not be started", reason=str(error.strerror))
        else:
            self._tell(order)

    def rest(self) -> None:
        """Let it end as soon as nothing that it has begun is under way."""
        if self._child and not self._tell(None):
            self._end()

    def close(self) -> None:
        """Let it hand back what it is at, and end."""
        if self._child and self._child.stdin:
            self._child.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(STOP_SECONDS + 2)
        self._end()

    def _tell(self, order: Mapping[str, Any] | None) -> bool:
        """Whether the child was told: not one that has ended, or has read nothing for minutes."""
        if not self._child or not self._child.stdin or self._child.poll() is not None:
            return False
        try:
            # None where the pipe is full.
            return self._child.stdin.write(f"{json.dumps(order)}\n".encode()) is not None
        except OSError:
            return False

    def _end(self) -> None:
        if self._child:
            self._child.kill()
            with self._child:  # closes what it read from, and waits
                self._child = None


@beat_embedded_init.connect
def watch_worker(sender: Service, **_: object) -> None:
    """A worker that is killed leaves its embedded beat behind; that one notices and ends."""
    scheduler = sender.scheduler
    if isinstance(scheduler, SteadyScheduler):
        scheduler.worker_pid = os.getppid()
