"""The stand-in as a process: whatever ends the beat ends it, too."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from celery import Celery

from config.stand_in import LocalTasks
from studies.services.messages import NotSent
from tests.faults.parts import ROOT, Part, free_port, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture
def alone(child_environment: dict[str, str]) -> dict[str, str]:
    """The environment of a beat whose broker is gone."""
    return {**child_environment, "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0"}


@pytest.fixture
def beat(alone: dict[str, str], tmp_path: Path) -> Part:
    command = [sys.executable, "-m", "celery", "--app", "config.celery", "beat", "--pidfile="]
    return Part("beat", command, environment=alone, logs=tmp_path / "logs").start()


def stand_in_of(beat: Part) -> int:
    until(lambda: len(beat.children) == 1, seconds=60, what="the beat has a stand-in")
    assert beat.said("the beat does the background work itself")
    return next(iter(beat.children))


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_beat_that_is_killed_leaves_no_stand_in(beat: Part) -> None:
    pid = stand_in_of(beat)
    beat.kill()
    until(lambda: has_ended(pid), seconds=30, what="the stand-in ends")


@pytest.mark.parametrize("to", [os.kill, os.killpg])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_beat_that_is_told_to_end_ends_with_its_stand_in(
    beat: Part, number: signal.Signals, to: Callable[[int, int], None]
) -> None:
    pid = stand_in_of(beat)
    to(beat.pid, number)
    until(lambda: not beat.runs, seconds=30, what="the beat ends")
    # Told while it was starting the stand-in, it does not wait for it.
    until(lambda: has_ended(pid), seconds=30, what="the stand-in ends")


def test_it_takes_orders_and_ends_with_its_input(alone: dict[str, str]) -> None:
    orders = b'{"task": "batches.tasks.send_mails", "kwargs": {}}\n{"task": "no.such", "kwargs": {}}\n'
    done = subprocess.run(
        [sys.executable, "-m", "config.stand_in"],
        cwd=ROOT, env=alone, input=orders, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"a task failed in the beat" in done.stderr
    assert done.stderr.count(b"Traceback") == 1, "the unknown task"


def test_a_task_runs_once_at_a_time_and_its_failure_ends_nothing() -> None:
    began, release = threading.Semaphore(0), threading.Event()
    runs: list[int] = []

    def slow() -> None:
        runs.append(1)
        began.release()
        release.wait(20)
        raise NotSent

    own = Celery("own", set_as_current=False)
    own.task(name="slow")(slow)
    own.finalize()
    tasks = LocalTasks(own)
    tasks.start("slow", {})
    assert began.acquire(timeout=10)
    tasks.start("slow", {})
    assert tasks.is_busy()
    release.set()
    tasks.wait(10)
    assert not tasks.is_busy()
    assert runs == [1]
