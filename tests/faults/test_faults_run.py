"""`manage.py run`: it looks after what it started, and whatever ends it ends all of that."""

import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.parts import ROOT, Part, free_port, until
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
START_SECONDS = 120.0


def told_of(pid: int, name: str) -> bytes:
    """What the system tells of a process; nothing once it has ended, which it may do while it is read."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


def started_by(pid: int) -> set[int]:
    """The processes that it started, and those that these started, as the system has them."""
    children = {int(number) for number in told_of(pid, f"task/{pid}/children").split()}
    return children.union(*map(started_by, children))


def runs(pid: int) -> bool:
    return told_of(pid, "cmdline") != b""


def named(pids: set[int], word: bytes) -> list[int]:
    return sorted(pid for pid in pids if word in told_of(pid, "cmdline"))


@pytest.fixture
def run(empty_embedded: Site) -> Part:
    """The command in a site whose tables are made; it says that all runs."""
    command = [sys.executable, str(ROOT / "manage.py"), "run", "--port", str(free_port())]
    started = Part("run", command, environment=empty_embedded.environment, logs=empty_embedded.logs)
    # Under `nohup`, and in a script's background, the tests would hand down that these are ignored.
    inherited = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGINT)}
    empty_embedded.parts.append(started.start())
    for number, handler in inherited.items():
        signal.signal(number, handler)
    until(lambda: started.said("Ctrl-C ends it"), seconds=START_SECONDS, what="the site runs")
    return started


def test_a_run_refuses_a_second_one_and_starts_again_what_dies_once(run: Part, empty_embedded: Site) -> None:
    assert re.search(r"http://127\.0\.0\.1:\d+/first-run/[\w-]{43}/\n", run.tail())
    code, said = empty_embedded.tried("manage.py", "run", "--port", str(free_port()))
    assert code == 1
    assert f"a site runs from {empty_embedded.folder} already" in said

    everybody = started_by(run.pid)
    os.kill(named(everybody, b"celery")[0], signal.SIGKILL)
    until(lambda: run.said("It is started again."), seconds=20, what="the worker is started again")
    assert run.said("the worker ended by itself (exit code -9); see ")
    everybody |= started_by(run.pid)
    os.kill(named(everybody, b"celery")[-1], signal.SIGKILL)
    until(lambda: not run.runs, seconds=30, what="a worker that does not stay ends the site")
    until(lambda: not [pid for pid in everybody if runs(pid)], seconds=30, what="all of them have ended")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_of_what_it_started(run: Part, number: signal.Signals) -> None:
    everybody = started_by(run.pid)
    assert (len(named(everybody, b"granian")), len(named(everybody, b"celery"))) >= (3, 1)
    run.send(number)
    until(lambda: not [pid for pid in everybody if runs(pid)], seconds=30, what="all of them have ended")
