"""The beat, with a broker that answers, refuses or is not listened to."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from batches.models import Session
from config.beat import WAITING_LIMIT, SteadyScheduler
from config.celery import app
from judging.services.running.process_slots import MAX_JUDGES_AT_ONCE, process_slot, stopping
from studies.models import Participant, Study
from studies.services import messages
from tests.faults.parts import free_port, until

ROOT = Path(__file__).resolve().parents[2]
SWEEP = "batches.tasks.sweep_sessions"
LOOKED_AT = """
import sys
from config.celery import app
from django.apps import apps
beat = app.Beat(quiet=True)
beat.init_loader()
scheduler = beat.Service(app=app, scheduler_cls=app.conf.beat_scheduler).scheduler
while scheduler.tick() == 0:
    pass
assert not apps.ready
print(*sys.modules)
"""


@pytest.fixture(autouse=True)
def as_a_beat_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No failure of a test before this one is remembered."""
    monkeypatch.setattr(messages, "_refuse_until", 0.0)


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return tmp_path / "broker" / "queue"


def waiting(queue: Path) -> list[Path]:
    return sorted(queue.glob("*.upkeep.msg"))


def forgotten() -> None:
    """As if the pause after a failure were over."""
    messages._refuse_until = 0.0


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing listens where the broker should."""
    kind = "studies.services.brokers.redis.RedisBroker"
    with override_settings(BROKER={"BACKEND": kind, "LOCATION": f"redis://127.0.0.1:{free_port()}/0"}):
        yield


@pytest.fixture
def scheduler(
    child_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[SteadyScheduler]:
    """Of sweeps alone; its stand-in works on the test's database."""
    for name, value in child_environment.items():
        monkeypatch.setenv(name, value)
    made = SteadyScheduler(app)
    made.schedule.clear()
    made.update_from_dict({"only": {"task": SWEEP, "schedule": 0.2}})
    yield made
    made.close()


def child(scheduler: SteadyScheduler) -> "subprocess.Popen[bytes]":
    found = scheduler._stand_in._child
    assert found is not None
    return found


def test_every_entry_of_the_schedule_names_a_task() -> None:
    app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in app.tasks


def test_a_beat_loads_no_task_and_no_application_and_sends_all_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_AT],
        cwd=ROOT, env={**os.environ, "CHIRON_DATA_DIR": str(tmp_path), "REDIS_URL": ""},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "batches.tasks", "studies.models", "django.db.models", "redis"}
    assert len(waiting(tmp_path / "broker" / "queue")) == len(settings.CELERY_BEAT_SCHEDULE)


@pytest.mark.slow
@pytest.mark.usefixtures("sure_clock", "refused")
def test_without_a_broker_sessions_end_by_the_beats_stand_in(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    scheduler: SteadyScheduler,
) -> None:
    study = make_study()
    session = work(make_person(study), {"p001": "text"}, end="active")
    Session.objects.filter(pk=session.pk).update(
        started_at=session.started_at.replace(year=2020), deadline_at=session.deadline_at.replace(year=2020)
    )
    scheduler.apply_entry(scheduler.schedule["only"])
    stand_in = child(scheduler)

    def has_ended() -> bool:
        session.refresh_from_db()
        return session.status == "expired"

    until(has_ended, seconds=60, what="the session ends")
    assert stand_in.poll() is None
    scheduler.close()
    assert stand_in.returncode == 0


@pytest.mark.slow
def test_a_stand_in_that_died_is_followed_by_another_and_none_stays_once_workers_hear(
    scheduler: SteadyScheduler, queue: Path
) -> None:
    for _ in range(WAITING_LIMIT + 1):
        forgotten()
        scheduler.apply_entry(scheduler.schedule["only"])
    assert len(waiting(queue)) == WAITING_LIMIT
    first = child(scheduler)
    first.kill()
    first.wait()
    scheduler.apply_entry(scheduler.schedule["only"])
    second = child(scheduler)
    assert second.pid != first.pid

    forgotten()

    def is_over() -> bool:
        """A worker takes a message, the beat sends the next."""
        waiting(queue)[0].unlink()
        scheduler.apply_entry(scheduler.schedule["only"])
        return scheduler._stand_in._child is None

    until(is_over, seconds=60, what="it ends, as workers hear")
    assert second.returncode == 0


def test_everything_is_due_once_when_the_beat_starts(queue: Path) -> None:
    scheduler = SteadyScheduler(app)
    assert all(entry.is_due()[0] for entry in scheduler.schedule.values())
    while scheduler.tick() == 0:
        pass
    assert len(waiting(queue)) == len(settings.CELERY_BEAT_SCHEDULE) < WAITING_LIMIT


def test_everything_is_due_again_when_the_clock_was_set_back(queue: Path) -> None:
    """Otherwise no session ends and nothing is judged until the clock comes to where it was."""
    scheduler = SteadyScheduler(app)
    while scheduler.tick() == 0:
        pass
    for message in waiting(queue):
        message.unlink()
    in_an_hour = time.time() + 3600
    scheduler._ticked_at = in_an_hour
    for entry in scheduler.schedule.values():
        entry.last_run_at = datetime.fromtimestamp(in_an_hour, UTC)
    scheduler._heap = None
    while scheduler.tick() == 0:
        pass
    assert len(waiting(queue)) == len(settings.CELERY_BEAT_SCHEDULE)


def test_a_process_asks_a_judge_once_and_few_judges_at_once() -> None:
    with (
        process_slot("judge", 1) as first,
        process_slot("judge", 1) as again,
        process_slot("judge", 2) as second,
        process_slot("judge", 3) as third,
    ):
        taken = [slot is not None for slot in (first, again, second, third)]
        assert taken == [True, False, True, False]
    assert MAX_JUDGES_AT_ONCE == 2
    with process_slot("judge", 3) as free:
        assert free is not None


def test_a_thread_that_waits_for_a_judges_last_replies_lets_one_other_begin() -> None:
    with process_slot("judge", 1) as first, process_slot("judge", 2):
        assert first is not None
        first.is_ending = True
        with process_slot("judge", 1) as again, process_slot("judge", 3) as third:
            assert (again is None, third) == (False, None)
    with process_slot("judge", 1) as free:
        assert free is not None


def test_a_process_told_to_end_begins_no_slice() -> None:
    stopping.set()
    try:
        with process_slot("judge", 1) as free:
            assert free is None
    finally:
        stopping.clear()
