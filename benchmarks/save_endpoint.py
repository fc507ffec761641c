"""Requests per second of the save endpoint, beside a bare Django view that updates one row.

Run `.venv/bin/python benchmarks/save_endpoint.py`; `--database-url postgres://…` names a PostgreSQL server,
where a database of the benchmark's own is made and dropped. Everything stays on this machine: one granian
server with the site's settings, 246 people with running sessions, 16 connections that alternate between the
two views in rounds. Only the ratio means something on a machine that does other work as well.
"""

import argparse
import http.client
import itertools
import json
import os
import platform
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(__file__).resolve().parent
PEOPLE, BATCH_SIZE, BATCHES = 246, 20, 41
TEXT = "What the participant has written so far, a few paragraphs of it. " * 10


@dataclass
class Target:
    """One answer of one signed-in person, with the number of its next save."""

    session_id: str
    position: int
    answer_id: int
    cookie: str
    sequence: int = 0


@dataclass(frozen=True)
class Round:
    """What one round of one view measured; latencies in milliseconds."""

    per_second: float
    p50: float
    p95: float


Address = Callable[[Target], str]


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="chiron-save-") as name, database(arguments.database_url) as url:
        os.environ["CHIRON_DATA_DIR"] = name
        os.environ["DJANGO_SETTINGS_MODULE"] = "save_endpoint_settings"
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(FOLDER)])
        sys.path[:0] = [str(ROOT), str(FOLDER)]
        if url:
            os.environ["DATABASE_URL"] = url
        else:
            os.environ.pop("DATABASE_URL", None)
        measure(arguments, Path(name))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database-url", help="a PostgreSQL server; without it SQLite in a temporary folder")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of a round")
    parser.add_argument("--connections", type=int, default=16)
    return parser.parse_args()


@contextmanager
def database(server_url: str | None) -> Iterator[str | None]:
    """A database of our own on the PostgreSQL server; None means the embedded one."""
    if server_url is None:
        yield None
        return
    name = f"chiron_benchmark_{os.getpid()}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def measure(arguments: argparse.Namespace, folder: Path) -> None:
    targets = prepare()
    from scoring.rehearsal.servers import free_port, web_server

    with web_server(free_port(), environment={}, log=folder / "web.log") as url:
        load = Load(urlsplit(url).netloc, targets, arguments.connections)
        views: dict[str, Address] = {
            "bare view": lambda target: f"/bare/{target.answer_id}/",
            "save endpoint": lambda target: f"/api/sessions/{target.session_id}/answers/{target.position}",
        }
        for address in views.values():
            load.run(address, min(2.0, arguments.seconds))  # warm-up: connections, caches, prepared plans
        rounds: dict[str, list[Round]] = {name: [] for name in views}
        for _, (name, address) in itertools.product(range(arguments.rounds), views.items()):
            rounds[name].append(load.run(address, arguments.seconds))
    report(rounds, arguments)


def prepare() -> list[Target]:
    """Fill the database: a study of pilot size, everybody's session running. One target per answer."""
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from django.db import connections
    from save_endpoint_study import start_everybody

    from batches.models import Answer, Session

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    start_everybody(people=PEOPLE, batches=BATCHES, batch_size=BATCH_SIZE)
    cookies = {}
    for session in Session.objects.select_related("participant__user"):
        user = session.participant.user
        store = SessionStore()
        store[SESSION_KEY] = str(user.pk)
        store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        store.create()
        cookies[session.pk] = f"{settings.SESSION_COOKIE_NAME}={store.session_key}"
    targets = [
        Target(str(answer.session_id), answer.position, answer.pk, cookies[answer.session_id])
        for answer in Answer.objects.order_by("position", "session")
    ]
    connections.close_all()
    return targets


class Load:
    """A fixed number of connections, each asking again as soon as it has its reply."""

    def __init__(self, netloc: str, targets: list[Target], connections: int) -> None:
        self.netloc = netloc
        self.shares = [targets[n::connections] for n in range(connections)]

    def run(self, address: Address, seconds: float) -> Round:
        """Ask for about this long. Raises RuntimeError for any reply but 200."""
        latencies: list[float] = []
        failures: list[str] = []
        ends_at = time.perf_counter() + seconds
        threads = [
            threading.Thread(target=self.ask, args=(share, address, ends_at, latencies, failures))
            for share in self.shares
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = time.perf_counter() - started
        if failures:
            raise RuntimeError(f"{len(failures)} requests failed; the first: {failures[0]}")
        cuts = statistics.quantiles(latencies, n=100)
        return Round(per_second=len(latencies) / taken, p50=cuts[49] * 1000, p95=cuts[94] * 1000)

    def ask(
        self,
        share: list[Target],
        address: Address,
        ends_at: float,
        latencies: list[float],
        failures: list[str],
    ) -> None:
        token = "x" * 32
        connection = http.client.HTTPConnection(self.netloc, timeout=30)
        for target in itertools.cycle(share):
            started = time.perf_counter()
            if started >= ends_at or failures:
                break
            target.sequence += 1
            headers = {
                "Content-Type": "application/json",
                "Cookie": f"csrftoken={token}; {target.cookie}",
                "X-CSRFToken": token,
            }
            connection.request("POST", address(target), body=save_body(target), headers=headers)
            reply = connection.getresponse()
            content = reply.read()
            latencies.append(time.perf_counter() - started)
            if reply.status != 200:
                failures.append(f"HTTP {reply.status} {content[:200]!r}")
        connection.close()


def save_body(target: Target) -> str:
    """Both views get the same body; every save is a new text."""
    text = f"{TEXT}{target.sequence}"
    return json.dumps({"text": text, "base_revision": 0, "tab": "benchmark", "sequence": target.sequence})


def report(rounds: dict[str, list[Round]], arguments: argparse.Namespace) -> None:
    database_name = "PostgreSQL" if arguments.database_url else "SQLite"
    print(
        f"Save endpoint on {database_name}: {arguments.connections} connections, {arguments.rounds} rounds "
        f"of {arguments.seconds:g} s each, granian with 2 workers; {os.cpu_count()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; medians over rounds"
    )
    for name, measured in rounds.items():
        print(
            f"  {name:14} {middle(measured, 'per_second'):6.0f} requests/s   "
            f"p50 {middle(measured, 'p50'):6.1f} ms   p95 {middle(measured, 'p95'):6.1f} ms"
        )
    bare, ours = rounds.values()
    ratios = [mine.per_second / base.per_second for mine, base in zip(ours, bare, strict=True)]
    print(
        f"  ratio of throughput {statistics.median(ratios):.2f} "
        f"(rounds {min(ratios):.2f} to {max(ratios):.2f}; target 0.5; target on SQLite 200 requests/s)"
    )


def middle(measured: list[Round], name: str) -> float:
    return statistics.median([float(getattr(one, name)) for one in measured])


if __name__ == "__main__":
    main()
