"""Expiry with every browser closed: a real worker with its beat ends sessions."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from batches.models import Session, SessionEvent
from batches.services import sums
from batches.services.clock import clock_confirm
from batches.services.starting import session_start
from batches.tasks import sweep_sessions
from studies.models import Participant, Study

ROOT = Path(__file__).resolve().parent.parent.parent.parent
BROKERS = ["filesystem", pytest.param("redis", marks=pytest.mark.skipif(
    not os.environ.get("REDIS_URL"), reason="REDIS_URL names no Redis server"
))]  # fmt: skip


@contextmanager
def worker(environment: dict[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    command = [
        *(sys.executable, "-m", "celery", "--app", "config.celery", "worker", "--beat"),
        *("--pool", "threads", "--concurrency", "4", "--loglevel", "warning"),
    ]
    with log.open("wb") as out:
        child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        try:
            yield child
        finally:
            child.terminate()
            child.wait(20)


def doctor(environment: dict[str, str]) -> str:
    command = [sys.executable, "manage.py", "doctor"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    ).stdout


def overdue_session(
    study: Study, participant: Participant, late: timedelta = timedelta(seconds=30)
) -> Session:
    """A session whose time ended half a minute ago, or so long."""
    budget = timedelta(minutes=study.protocol.time_budget_minutes)
    return session_start(participant=participant, now=timezone.now() - budget - late)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", BROKERS)
def test_a_session_expires_at_its_deadline_with_no_browser_open(
    broker: str,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    child_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    study = make_study()
    session = overdue_session(study, make_person(study))
    running = session_start(participant=make_person(study), now=timezone.now())
    environment = child_environment
    if broker == "filesystem":
        environment = {name: value for name, value in environment.items() if name != "REDIS_URL"}
    log = tmp_path / "worker.log"
    clock_confirm(reason="The test's people are added in another year")
    with worker(environment, log) as child:
        until = time.monotonic() + 45
        while time.monotonic() < until and session.status == "active":
            assert child.poll() is None, log.read_text()
            time.sleep(0.25)
            session.refresh_from_db()
        said = doctor(environment)
    assert "\nok   worker         last seen" in said
    assert "\nok   beat           last seen" in said
    assert (session.status, session.ended_at) == ("expired", session.deadline_at), log.read_text()
    event = SessionEvent.objects.get(kind="expired")
    assert event.happened_at == session.deadline_at
    assert event.recorded_at > session.deadline_at
    running.refresh_from_db()
    assert running.status == "active"


@pytest.mark.django_db
@pytest.mark.usefixtures("sure_clock")
def test_the_task_runs_under_the_name_that_beat_sends(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    study = make_study()
    session = overdue_session(study, make_person(study))
    assert sweep_sessions.name == "batches.tasks.sweep_sessions"
    sweep_sessions()
    sweep_sessions()
    session.refresh_from_db()
    assert session.status == "expired"
    assert SessionEvent.objects.filter(kind="expired").count() == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("sure_clock")
@pytest.mark.parametrize("sweep", [sweep_sessions, partial(call_command, "sweep_sessions")])
def test_a_session_that_ends_late_is_not_counted_at_once(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], sweep: Callable[[], object]
) -> None:
    """The machine slept; a save that began before may still be at an answer."""
    session = overdue_session(study := make_study(), make_person(study), timedelta(hours=1))
    sweep()
    session.refresh_from_db()
    assert (session.status, session.counted_at) == ("expired", None)
    sweep()
    session.refresh_from_db()
    assert session.counted_at is not None


@pytest.mark.django_db
@pytest.mark.usefixtures("sure_clock")
@pytest.mark.parametrize("sweep", [sweep_sessions, partial(call_command, "sweep_sessions")])
def test_sessions_end_also_where_counting_fails(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    sweep: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("it cannot be counted")

    monkeypatch.setattr(sums, "_some_counted", fail)
    session = overdue_session(study := make_study(), make_person(study))
    with pytest.raises(RuntimeError, match="cannot be counted"):
        sweep()
    session.refresh_from_db()
    assert session.status == "expired"
