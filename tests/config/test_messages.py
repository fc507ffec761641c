"""How workers are woken: by a message made without Celery, whether the broker answers, refuses or hangs."""

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from config.celery import app
from jobs.services.starting import WORK as JOBS_WORK
from judging.tasks import WORK
from studies.services import messages
from studies.services.brokers.redis import RedisBroker
from studies.services.mails.mails import SEND
from studies.services.messages import NotSent, messages_waiting, notify_workers, task_send
from tests.conftest import broker_in

ROOT = Path(__file__).resolve().parents[2]
SWEEP = "batches.tasks.sweep_sessions"


@pytest.fixture(autouse=True)
def as_a_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No failure of a test before this one is remembered."""
    monkeypatch.setattr(messages, "_refuse_until", 0.0)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Path]:
    with broker_in(tmp_path / "gone" / "broker"):
        yield tmp_path / "gone" / "broker" / "queue"


@contextmanager
def redis_at(port: int) -> Iterator[None]:
    kind = "studies.services.brokers.redis.RedisBroker"
    with override_settings(BROKER={"BACKEND": kind, "LOCATION": f"redis://127.0.0.1:{port}/0"}):
        yield


@contextmanager
def refusing_broker() -> Iterator[None]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        with redis_at(probe.getsockname()[1]):
            yield


def files(queue: Path, name: str) -> list[Path]:
    return sorted(queue.glob(f"*.{name}.msg"))


def test_who_wakes_the_workers_loads_neither_celery_nor_a_task() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-c"),
            "import sys, django; django.setup(); from studies.services.messages import notify_workers; "
            "assert notify_workers('batches.tasks.send_mails'); print(*sys.modules)",
        ],
        cwd=ROOT, env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"} | own_files(),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert not loaded & {"celery", "kombu", "redis", "batches.tasks", "config.celery", "config.file_broker"}


def own_files() -> dict[str, str]:
    return {"CHIRON_DATA_DIR": str(Path(settings.DATA_DIR)), "REDIS_URL": ""}


def test_every_task_that_is_hinted_at_exists() -> None:
    app.loader.import_default_modules()
    assert {SEND, WORK, JOBS_WORK} <= set(app.tasks)
    assert set(settings.CELERY_TASK_ROUTES) <= set(app.tasks)
    named = {name: (one.exchange.name, one.routing_key) for name, one in app.amqp.queues.items()}
    assert named == {"upkeep": ("upkeep", "upkeep"), "judging": ("judging", "judging")}


def test_a_message_is_the_one_that_celery_would_send(queue: Path) -> None:
    """All that Celery's own producer puts there, but for what it leaves empty."""
    assert notify_workers(WORK, judging_run_id=1, scoring_run_id=2)
    [ours] = [json.loads(file.read_text()) for file in files(queue, "judging")]
    files(queue, "judging")[0].unlink()
    ids = {"judging_run_id": 1, "scoring_run_id": 2}
    app.send_task(WORK, kwargs=ids, expires=settings.HINT_SECONDS)
    [theirs] = [json.loads(file.read_text()) for file in files(queue, "judging")]

    assert ours.keys() == theirs.keys()
    assert ours["properties"].keys() == theirs["properties"].keys()
    assert ours["properties"]["delivery_info"]["routing_key"] == "judging"
    assert json.loads(b64decode(ours["body"])) == json.loads(b64decode(theirs["body"]))
    left_out = {name for name in theirs["headers"] if name not in ours["headers"]}
    assert not any(theirs["headers"][name] for name in left_out)
    for name in ("lang", "task", "argsrepr", "kwargsrepr", "retries", "timelimit", "group", "parent_id"):
        assert ours["headers"][name] == theirs["headers"][name]
    until = datetime.fromisoformat(ours["headers"]["expires"])
    assert timedelta() < until - datetime.now(UTC) <= timedelta(seconds=settings.HINT_SECONDS)


def test_a_hint_goes_to_the_queue_of_judging_alone(queue: Path) -> None:
    assert notify_workers(WORK, scoring_run_id=1) is True
    assert messages_waiting() == {"judging": 1, "upkeep": 0}
    task_send(SWEEP, {})
    assert (len(files(queue, "judging")), len(files(queue, "upkeep"))) == (1, 1)


def test_a_hint_is_refused_at_once_where_the_broker_is_gone() -> None:
    with refusing_broker():
        began = time.process_time()
        assert notify_workers(WORK, scoring_run_id=1) is False
        with pytest.raises(NotSent, match=r"cannot be reached \(ConnectionError\); start it"):
            task_send(SWEEP, {})
        with pytest.raises(NotSent, match=r"it cannot be reached \(ConnectionError\)"):
            messages_waiting()
    assert time.process_time() - began < 5


def test_after_a_failure_nothing_is_sent_for_a_moment(queue: Path) -> None:
    with refusing_broker():
        assert notify_workers(WORK, scoring_run_id=1) is False
    with pytest.raises(NotSent, match="the broker cannot be reached"):
        task_send(SWEEP, {})
    assert not queue.exists()


def test_a_broker_that_accepts_and_says_nothing_holds_nobody() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with redis_at(silent.getsockname()[1]):
            began = time.monotonic()
            assert notify_workers(WORK, timeout=0.25, scoring_run_id=1) is False
    assert time.monotonic() - began < 5


def test_messages_that_nobody_takes_are_not_added_to(queue: Path) -> None:
    for _ in range(3):
        task_send(SWEEP, {}, waiting_limit=3)
    with pytest.raises(NotSent, match="nobody takes them: 3; start a worker"):
        task_send(SWEEP, {}, waiting_limit=3)
    assert notify_workers(WORK, scoring_run_id=1) is False
    assert (len(files(queue, "upkeep")), len(files(queue, "judging"))) == (3, 0)


def test_a_folder_that_cannot_be_written_to_is_a_broker_that_is_away(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with broker_in(tmp_path / "file"), pytest.raises(NotSent, match=r"cannot be reached \(NotADirectory"):
        task_send(SWEEP, {})


def test_a_message_appears_whole_and_is_taken_once(queue: Path) -> None:
    with app.connection_for_write() as connection:
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


def test_an_unreadable_message_is_thrown_away(queue: Path) -> None:
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        channel._put("upkeep", {"n": 1})
        (queue / "0_half.upkeep.msg").write_text("")
        assert channel._get("upkeep") == {"n": 1}
    assert list(queue.iterdir()) == []


@pytest.mark.parametrize("written", ["CERT_REQUIRED", "required"])
def test_the_address_of_redis_may_name_certificates_as_the_workers_library_does(written: str) -> None:
    broker = RedisBroker(f"rediss://broker.example:6380/1?ssl_cert_reqs={written}", 1.0)
    connection: Any = broker._redis.connection_pool.make_connection()
    assert connection.cert_reqs == ssl.CERT_REQUIRED
