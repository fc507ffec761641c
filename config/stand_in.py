"""The beat's stand-in for the workers, a child process of its own: `python -m config.stand_in`.

Reads orders from its standard input, a line of JSON each: `{"task": …, "kwargs": {…}}` is to be done, `null`
says that workers hear again. It ends then, as soon as nothing is under way; and where the input ends, as the
beat is gone, within seconds.
"""

import json
import signal
import sys
import threading
import time
from collections.abc import Mapping
from types import FrameType
from typing import Any

import structlog
from celery import Celery
from django.db import connections

from config.celery import app
from jobs.process_end import stopping as jobs_stopping
from judging.services.running.process_slots import stopping
from studies.services.messages import send_nothing

STOP_SECONDS = 8
SIGNALS = (signal.SIGTERM, signal.SIGINT)

log = structlog.get_logger("chiron.beat")


class LocalTasks:
    """Tasks run in this process: each in a thread, none twice at once."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._threads: dict[str, threading.Thread] = {}

    def start(self, task: str, kwargs: Mapping[str, Any]) -> None:
        if task in self._threads and self._threads[task].is_alive():
            return
        # A daemon: an ending process waits a bounded time, and leases outlive what it then cuts off.
        thread = threading.Thread(target=self._run, args=(task, kwargs), name=task, daemon=True)
        self._threads[task] = thread
        thread.start()

    def is_busy(self) -> bool:
        return any(thread.is_alive() for thread in self._threads.values())

    def wait(self, seconds: float) -> None:
        """Wait for what is running, at most so long."""
        until = time.monotonic() + seconds
        for thread in self._threads.values():
            thread.join(max(0.0, until - time.monotonic()))

    def _run(self, task: str, kwargs: Mapping[str, Any]) -> None:
        try:
            self._app.tasks[task](**kwargs)
        except Exception:  # the edge of a task: the next order tries again
            log.exception("a task failed in the beat", task=task)
        finally:
            connections.close_all()


def main() -> None:
    for number in SIGNALS:
        signal.signal(number, _end_once)
    send_nothing("no worker hears; the beat does the background work itself")
    app.loader.import_default_modules()
    tasks = LocalTasks(app)
    try:
        for line in sys.stdin:
            if order := json.loads(line):
                tasks.start(**order)
            elif not tasks.is_busy():
                break
    finally:
        stopping.set()
        jobs_stopping.set()
        tasks.wait(STOP_SECONDS)


def _end_once(_number: int, _frame: FrameType | None) -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit


if __name__ == "__main__":
    main()
