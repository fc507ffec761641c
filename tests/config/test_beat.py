"""The beat and the hints, against a broker that answers, refuses, hangs or is not listened to."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from celery import Celery, current_app
from django.conf import settings

from batches.models import Session
from config.beat import WAITING_LIMIT, LocalTasks, SteadyScheduler
from config.celery import app
from judging.services.running.process_slots import MAX_RUNS_AT_ONCE, process_slot, stopping
from studies.models import Participant, Study
from studies.services.mails import notifications
from studies.services.mails.notifications import NotSent, notify_workers, task_send

SWEEP = "batches.tasks.sweep_sessions"
WORK = "judging.tasks.judging_work"


@pytest.fixture(autouse=True)
def as_a_beat_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tasks known, and no failure of a test before this one remembered."""
    app.loader.import_default_modules()
    monkeypatch.setattr(notifications, "_refuse_until", 0.0)


@contextmanager
def broker(url: str, **more: object) -> Iterator[None]:
    """The application with this broker for a while."""
    before = {name: app.conf[name] for name in ("broker_url", "broker_transport", "broker_transport_options")}
    after = {"broker_url": url, "broker_transport": None, "broker_transport_options": {}, **more}
    app.conf.update(after)
    try:
        yield
    finally:
        app.conf.update(before)


@contextmanager
def file_broker(folder: Path) -> Iterator[Path]:
    options = {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
    }
    kind = "config.file_broker:Transport"
    with broker("files", broker_transport=kind, broker_transport_options=options):
        yield folder / "queue"


@contextmanager
def refusing_broker() -> Iterator[None]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        with broker(f"redis://127.0.0.1:{probe.getsockname()[1]}/0"):
            yield


def messages(queue: Path, name: str) -> list[Path]:
    return sorted(queue.glob(f"*.{name}.msg"))


def test_pages_and_commands_speak_to_the_configured_broker() -> None:
    assert current_app.main == "chiron"
    assert current_app.conf.broker_url == settings.CELERY_BROKER_URL


def test_every_entry_of_the_schedule_names_a_task_and_no_message_outlives_its_use() -> None:
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in app.tasks
    assert {queue.name: queue.exchange.name for queue in app.conf.task_queues} == {
        "upkeep": "upkeep",
        "judging": "judging",
    }


def test_a_hint_goes_to_the_queue_of_judging_alone(tmp_path: Path) -> None:
    with file_broker(tmp_path) as queue:
        assert notify_workers(WORK, scoring_run_id=1) is True
        assert (len(messages(queue, "judging")), len(messages(queue, "upkeep"))) == (1, 0)
        task_send(SWEEP, {})
        assert (len(messages(queue, "judging")), len(messages(queue, "upkeep"))) == (1, 1)


def test_a_hint_is_refused_at_once_where_the_broker_is_gone() -> None:
    with refusing_broker():
        began = time.monotonic()
        assert notify_workers(WORK, scoring_run_id=1) is False
        with pytest.raises(NotSent, match="cannot be reached"):
            task_send(SWEEP, {})
    assert time.monotonic() - began < 5


def test_a_broker_that_accepts_and_says_nothing_holds_nobody() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with broker(f"redis://127.0.0.1:{silent.getsockname()[1]}/0"):
            began = time.monotonic()
            assert notify_workers(WORK, scoring_run_id=1) is False
    assert time.monotonic() - began < 10


def test_messages_that_nobody_takes_are_not_added_to(tmp_path: Path) -> None:
    with file_broker(tmp_path) as queue:
        for _ in range(3):
            task_send(SWEEP, {}, waiting_limit=3)
        with pytest.raises(NotSent, match="nobody takes them: 3; start a worker"):
            task_send(SWEEP, {}, waiting_limit=3)
        assert notify_workers(WORK, scoring_run_id=1) is False
        assert (len(messages(queue, "upkeep")), len(messages(queue, "judging"))) == (3, 0)


def scheduler_of(task: str, seconds: float = 0.2) -> SteadyScheduler:
    scheduler = SteadyScheduler(app)
    entries = {"only": {"task": task, "schedule": seconds}}
    scheduler.schedule.clear()
    scheduler.update_from_dict(entries)
    return scheduler


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("sure_clock")
def test_without_a_broker_the_beat_ends_sessions_itself(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., Session]
) -> None:
    study = make_study()
    session = work(make_person(study), {"p001": "text"}, end="active")
    Session.objects.filter(pk=session.pk).update(
        started_at=session.started_at.replace(year=2020), deadline_at=session.deadline_at.replace(year=2020)
    )
    scheduler = scheduler_of(SWEEP)
    with refusing_broker():
        scheduler.apply_entry(scheduler.schedule["only"])
        scheduler._local_tasks.wait(20)
    session.refresh_from_db()
    assert session.status == "expired"


def test_a_beat_that_works_itself_does_a_task_once_at_a_time_and_goes_on_ticking() -> None:
    began, release = threading.Semaphore(0), threading.Event()
    runs: list[int] = []

    def slow() -> None:
        runs.append(1)
        began.release()
        release.wait(20)

    own = Celery("own", set_as_current=False)
    own.task(name="slow")(slow)
    own.finalize()
    works = LocalTasks(own)
    works.start("slow", {})
    assert began.acquire(timeout=10)
    assert works.is_running("slow")
    release.set()
    works.wait(10)
    assert not works.is_running("slow")
    assert runs == [1]


def test_everything_is_due_once_when_the_beat_starts(tmp_path: Path) -> None:
    scheduler = SteadyScheduler(app)
    assert all(entry.is_due()[0] for entry in scheduler.schedule.values())
    with file_broker(tmp_path) as queue:
        while scheduler.tick() == 0:
            pass
        assert len(messages(queue, "upkeep")) == len(settings.CELERY_BEAT_SCHEDULE)
    assert len(settings.CELERY_BEAT_SCHEDULE) < WAITING_LIMIT


def test_everything_is_due_again_when_the_clock_was_set_back(tmp_path: Path) -> None:
    """Otherwise no session ends and nothing is judged until the clock comes to where it was."""
    scheduler = SteadyScheduler(app)
    with file_broker(tmp_path) as queue:
        while scheduler.tick() == 0:
            pass
        for message in messages(queue, "upkeep"):
            message.unlink()
        in_an_hour = time.time() + 3600
        scheduler._ticked_at = in_an_hour
        for entry in scheduler.schedule.values():
            entry.last_run_at = datetime.fromtimestamp(in_an_hour, UTC)
        scheduler._heap = None
        while scheduler.tick() == 0:
            pass
        assert len(messages(queue, "upkeep")) == len(settings.CELERY_BEAT_SCHEDULE)


def test_a_message_appears_whole_and_is_taken_once(tmp_path: Path) -> None:
    with file_broker(tmp_path) as queue, app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        taken: list[object] = []
        writers = [threading.Thread(target=channel._put, args=("upkeep", {"n": n})) for n in range(100)]
        readers = [threading.Thread(target=take_all, args=(channel, writers, taken)) for _ in range(3)]
        for thread in (*readers, *writers):
            thread.start()
        for thread in (*writers, *readers):
            thread.join(20)
        assert sorted(one["n"] for one in taken) == list(range(100))  # type: ignore[index]
        assert list(queue.iterdir()) == []


def take_all(channel: Any, writers: list[threading.Thread], taken: list[object]) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        finished = all(not one.is_alive() and one.ident for one in writers)
        try:
            taken.append(channel._get("upkeep"))
        except Empty:
            if finished:
                return


def test_the_folders_of_the_broker_come_back_by_themselves(tmp_path: Path) -> None:
    with file_broker(tmp_path / "gone" / "broker") as queue:
        assert notify_workers(WORK, scoring_run_id=1) is True
        assert len(messages(queue, "judging")) == 1


def test_an_unreadable_message_is_thrown_away(tmp_path: Path) -> None:
    with file_broker(tmp_path) as queue, app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        channel._put("upkeep", {"n": 1})
        (queue / "0_half.upkeep.msg").write_text("")
        assert channel._get("upkeep") == {"n": 1}
        assert list(queue.iterdir()) == []


def test_a_process_works_on_a_run_once_and_on_few_runs_at_once() -> None:
    with (
        process_slot(1) as first,
        process_slot(1) as again,
        process_slot(2) as second,
        process_slot(3) as third,
    ):
        assert (first, again, second, third) == (True, False, True, False)
    assert MAX_RUNS_AT_ONCE == 2
    with process_slot(3) as free:
        assert free is True


def test_a_process_told_to_end_begins_no_slice() -> None:
    stopping.set()
    try:
        with process_slot(1) as free:
            assert free is False
    finally:
        stopping.clear()
