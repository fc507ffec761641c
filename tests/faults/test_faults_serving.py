"""The web server and the proxies before it: slow clients, and a worker that dies."""

import http.client
import os
import resource
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from django.conf import settings

from config.giving_way import waited_seconds
from tests.faults.parts import free_port, until
from tests.faults.proxies import COMMANDS, proxy
from tests.faults.servers import Postgres
from tests.faults.site import TRUSTING, Site, answers
from tests.faults.slow_clients import slow_clients

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# The site has eight threads; clients spread over its workers by chance, so many surely take them all.
SLOW = 32
# As many as the browsers of two hundred people hold open without a proxy, and more than granian's own limit.
IDLE = 1_200
INVITATION = "/invitations/e4hyBqbbC4rIQMyTyPSTcg3Gz1oAfnKu"


def test_a_killed_web_worker_comes_back_and_every_request_is_answered(empty_embedded: Site) -> None:
    web, url = empty_embedded.web()
    before = web.children
    assert len(before) == 2
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    until(
        lambda: len(web.children - {killed}) == 2 and answers(url),
        seconds=60,
        what="two workers are there again and the site answers",
    )
    assert len(web.children - before) == 1
    assert all(answers(url) for _ in range(40))


def test_slow_clients_block_the_bare_server_and_cannot_keep_it_from_stopping(empty_embedded: Site) -> None:
    """What the proxies are for; without it, the next test would show nothing."""
    web, url = empty_embedded.web()
    with slow_clients(urlsplit(url).port or 0, bodies=SLOW):
        until(lambda: not answers(url, seconds=3), seconds=60, what="the slow clients block the site")
        web.stop()


@pytest.mark.parametrize("kind", COMMANDS)
def test_slow_clients_do_not_block_the_site_behind_a_proxy(
    kind: str, empty_embedded: Site, tmp_path: Path
) -> None:
    empty_embedded.extra["CHIRON_BEHIND_PROXY"] = "true"
    _, url = empty_embedded.web()
    with (
        proxy(kind, tmp_path / kind, site=urlsplit(url).netloc) as port,
        slow_clients(port, bodies=SLOW, headers=8, tls=True) as slow,
    ):
        assert all(answers(f"https://127.0.0.1:{port}") for _ in range(20))
        assert slow.waiting >= SLOW  # headers get 15 s, which a busy machine may have needed for the above


@contextmanager
def idle_connections(port: int) -> Iterator[None]:
    """So many connections that ask for nothing."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
    try:
        with ExitStack() as stack:
            for _ in range(IDLE):
                stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)


def test_idle_browsers_do_not_keep_others_from_the_bare_site(empty_embedded: Site) -> None:
    """A worker takes no connection beyond its limit until one of those ends, after up to 30 s."""
    _, url = empty_embedded.web()
    with idle_connections(urlsplit(url).port or 0):
        assert all(answers(url, seconds=10) for _ in range(20))


@pytest.mark.parametrize("kind", COMMANDS)
def test_idle_browsers_do_not_keep_others_from_the_site_behind_a_proxy(
    kind: str, empty_embedded: Site, tmp_path: Path
) -> None:
    empty_embedded.extra["CHIRON_BEHIND_PROXY"] = "true"
    _, url = empty_embedded.web()
    with (
        proxy(kind, tmp_path / kind, site=urlsplit(url).netloc) as port,
        idle_connections(port),
    ):
        assert all(answers(f"https://127.0.0.1:{port}", seconds=10) for _ in range(20))


class Upstream(ThreadingHTTPServer):
    """In the site's place: says to the client what it was sent."""

    daemon_threads = True


class Told(BaseHTTPRequestHandler):
    """Replies with the headers it got, and the length of the body."""

    def do_POST(self) -> None:
        length = len(self.rfile.read(int(self.headers["Content-Length"])))
        told = f"{self.headers}\nBody: {length}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def upstream() -> Iterator[str]:
    with Upstream(("127.0.0.1", 0), Told) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def asked(port: int, path: str, body: bytes = b"", **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=TRUSTING)
    try:
        connection.request("POST", path, body=body, headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_proxy_says_who_asks_whatever_the_client_claims_and_bounds_the_body(
    kind: str, tmp_path: Path
) -> None:
    claims = {
        "X-Forwarded-For": "10.9.9.9",
        "X-Forwarded-Proto": "http",
        "Forwarded": "for=10.9.9.9",
        "X-Request-Start": "t=1000000000.000",
    }
    with upstream() as address, proxy(kind, tmp_path / kind, site=address) as port:
        status, told = asked(port, "/", b"a" * (settings.MAX_BODY_BYTES + 1), **claims)
        assert (status, told.splitlines()[-1]) == (200, f"Body: {settings.MAX_BODY_BYTES + 1}")
        assert "X-Forwarded-For: 127.0.0.1\n" in told
        assert "X-Forwarded-Proto: https\n" in told
        assert "10.9.9.9" not in told
        passed_on = [
            line.partition(": ")[2] for line in told.splitlines() if line.startswith("X-Request-Start: ")
        ]
        waited = [waited_seconds({"HTTP_X_REQUEST_START": value}) for value in passed_on]
        assert len(waited) == 1
        assert waited[0] is not None
        declared = {"Content-Length": str(settings.MAX_BODY_BYTES + 4 * 1024**2)}
        assert asked(port, "/", b"", **declared)[0] == 413


@pytest.mark.parametrize("kind", COMMANDS)
def test_no_log_of_a_proxy_holds_an_invitation_link(kind: str, tmp_path: Path) -> None:
    with proxy(kind, tmp_path / kind, site=f"127.0.0.1:{free_port()}") as port:
        assert asked(port, INVITATION)[0] == 502  # the site is down, which proxies like to log in full
    said = [path for path in tmp_path.rglob("*.log") if INVITATION in path.read_text(errors="replace")]
    assert said == []


@pytest.mark.production
def test_while_the_database_is_away_pages_and_the_api_say_when_to_try_again(
    empty_production: Site, cluster: Postgres
) -> None:
    _web, url = empty_production.web()
    session = f"{url}/api/sessions/00000000-0000-0000-0000-000000000000/time"
    cluster.send(signal.SIGINT)
    try:
        page = httpx.get(f"{url}/", cookies={"sessionid": "a" * 32}, timeout=60)
        told = httpx.get(session, cookies={"sessionid": "a" * 32}, timeout=60)
    finally:
        cluster.start_answering()
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert "What was saved before is safe." in page.text
    assert (told.status_code, told.headers["Retry-After"]) == (503, "5")
    assert told.json()["sentence"].startswith("The server cannot store or read anything right now.")
    until(lambda: answers(url), seconds=60, what="the site answers again")
    assert httpx.get(session, timeout=60).status_code == 404
