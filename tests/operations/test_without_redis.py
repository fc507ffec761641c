"""Redis hangs or is gone: people still sign in and answer, at a real server."""

import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.core import mail
from django.utils import timezone
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from batches.models import Revision
from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.servers import free_port, stop, web_server
from operations.rehearsal.web import Place, WebParticipant
from studies.models import Participant, Study
from studies.services.mails.mails import mails_send

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not shutil.which("redis-server"), reason="there is no redis-server to kill"),
]


class SentHere(Mailbox):
    """The worker's part is done by the test, as a beat does it without a broker."""

    def code_for(self, email: str, *, timeout: float = 60.0) -> str:
        mails_send(clock=timezone.now)
        found = re.search(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
        assert found, mail.outbox[-1].to == [email]
        return found[1]


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory, static_files: Path) -> Path:
    """A data folder with the static files as they are served."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(static_files, folder / "static")
    return folder


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    port = free_port()
    command = [
        "redis-server",
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        str(tmp_path),
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"
    try:
        with redis.Redis.from_url(url, retry=Retry(ConstantBackoff(0.1), 600)) as client:
            client.ping()
        yield url, server
    finally:
        server.send_signal(signal.SIGCONT)
        stop(server)


def test_people_sign_in_and_answer_while_redis_hangs_and_after_it_is_gone(
    own_redis: tuple[str, "subprocess.Popen[bytes]"],
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    child_environment: dict[str, str],
    site_folder: Path,
    tmp_path: Path,
) -> None:
    redis_url, server = own_redis
    study = make_study(slug="answering", prompts=12)
    people = [make_person(study) for _ in range(3)]
    environment = {**child_environment, "REDIS_URL": redis_url, "CHIRON_DATA_DIR": str(site_folder)}
    with web_server(free_port(), environment=environment, log=tmp_path / "web.log") as url:
        for person, happens in zip(people, (0, signal.SIGSTOP, signal.SIGKILL), strict=True):
            server.send_signal(happens)
            with WebParticipant(url, SentHere(tmp_path)) as browser:
                browser.sign_in(person.user.email)
                session = browser.start("answering")
                browser.save(session, Place(1, ""), f"Answer of {person.code}")
    assert [row.text for row in Revision.objects.order_by("pk")] == [
        f"Answer of {one.code}" for one in people
    ]
