"""A real worker takes what pages send without Celery, from files and from Redis."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core import mail
from django.test import Client, override_settings

from judging.tasks import WORK
from studies.models import User
from studies.services import messages
from studies.services.messages import messages_waiting, task_send
from tests.faults.parts import Part, until
from tests.faults.servers import redis_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
REDIS = pytest.param(
    "redis", marks=pytest.mark.skipif(not shutil.which("redis-server"), reason="there is no redis-server")
)


@pytest.fixture(params=["files", REDIS])
def broker(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    """What the environment of a worker says of it; this process sends there."""
    monkeypatch.setattr(messages, "_refuse_until", 0.0)
    if request.param == "files":
        kind = "studies.services.brokers.files.FileBroker"
        with override_settings(BROKER={"BACKEND": kind, "LOCATION": str(tmp_path / "data" / "broker")}):
            yield {"REDIS_URL": ""}
        return
    kind = "studies.services.brokers.redis.RedisBroker"
    with (
        redis_server(tmp_path / "logs") as server,
        override_settings(BROKER={"BACKEND": kind, "LOCATION": server.url}),
    ):
        yield {"REDIS_URL": server.url}


@pytest.fixture
def worker(broker: dict[str, str], child_environment: dict[str, str], tmp_path: Path) -> Iterator[Part]:
    """It has no beat: what it does, it was told by this process."""
    command = [
        *(sys.executable, "-m", "celery", "--app", "config.celery", "worker"),
        *("--pool", "threads", "--concurrency", "4", "--loglevel", "info"),
    ]
    part = Part("worker", command, environment=child_environment | broker, logs=tmp_path / "logs").start()
    until(lambda: part.said("ready."), seconds=60, what="the worker listens")
    yield part
    part.clear()


def mails(tmp_path: Path) -> str:
    return "".join(file.read_text() for file in (tmp_path / "data" / "mail").glob("*.log"))


def test_a_worker_mails_a_code_as_soon_as_a_page_asks_for_it(
    worker: Part, client: Client, tmp_path: Path
) -> None:
    User.objects.create_user("person@example.org")
    client.post("/accounts/login/", {"email": "person@example.org"})
    until(lambda: "To: person@example.org" in mails(tmp_path), seconds=30, what="the code is mailed")
    assert mail.outbox == []
    assert worker.said("batches.tasks.send_mails")


@pytest.mark.usefixtures("transactional_db")
def test_a_worker_takes_from_both_queues_and_drops_what_is_stale(worker: Part) -> None:
    task_send("batches.tasks.send_mails", {}, expires=-10.0)
    task_send(WORK, {"judging_run_id": 1, "scoring_run_id": 1})
    until(
        lambda: worker.said("Discarding revoked task: batches.tasks.send_mails"), seconds=30, what="dropped"
    )
    until(lambda: worker.said(f"Task {WORK}["), seconds=30, what="judging is told")
    assert messages_waiting() == {"upkeep": 0, "judging": 0}
