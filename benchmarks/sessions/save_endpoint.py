"""Requests per second of the save endpoint, beside a bare Django view that updates one row.

Run `python -m benchmarks.sessions.save_endpoint`; `--database-url postgres://…` names a PostgreSQL server,
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
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.sessions.site_under_load import TEXT, everybody_at_work, site


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
    with site(arguments.database_url, settings="benchmarks.sessions.save_endpoint_settings") as folder:
        measure(arguments, folder)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database-url", help="a PostgreSQL server; without it SQLite in a temporary folder")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of a round")
    parser.add_argument("--connections", type=int, default=16)
    return parser.parse_args()


def measure(arguments: argparse.Namespace, folder: Path) -> None:
    targets = prepare()
    from operations.rehearsal.servers import free_port, web_server

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
    """One target per answer of everybody at work."""
    cookies = {person.session_id: person.cookie for person in everybody_at_work()}
    from django.db import connections

    from batches.models import Answer

    targets = [
        Target(str(answer.session_id), answer.position, answer.pk, cookies[str(answer.session_id)])
        for answer in Answer.objects.order_by("position", "session_id")
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
        f"(rounds {min(ratios):.2f} to {max(ratios):.2f}; target 0.55; target on SQLite 200 requests/s)"
    )
    slower = [mine.p95 / base.p95 for mine, base in zip(ours, bare, strict=True)]
    print(
        f"  ratio of p95 {statistics.median(slower):.2f} "
        f"(rounds {min(slower):.2f} to {max(slower):.2f}; target at most 2)"
    )


def middle(measured: list[Round], name: str) -> float:
    return statistics.median([float(getattr(one, name)) for one in measured])


if __name__ == "__main__":
    main()
