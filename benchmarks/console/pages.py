"""How long each page of the study team takes on a site at full size, and how many queries it makes.

    python -m benchmarks.console.pages DATA
    python -m benchmarks.console.pages DATA --studies 20 --people 2000
    python -m benchmarks.console.pages DATA --keep FOLDER --database-url postgres://…/a_database

With --keep the database of that address is filled if it is empty, and left as it is; FOLDER holds the site's
files. DATA is the folder that holds gim/irt_params.json.

100 studies, 100,000 people and 2,000,000 answers are made as rows in a PostgreSQL database of the benchmark's
own, which takes some minutes (`--people 1000 --studies 3` for 1 % of it, `--people 10000 --studies 10` for
10 %); then every address under staff/ that a browser opens is asked for in this process, as the site's
administrator: medians of five requests, the processor time of this process and of the database's, queries of
the last, size of the answer. Cold is a request whose process keeps nothing of an earlier one: its cache is
emptied before. The first load is the page with the styles, scripts and fonts it names, compressed as the
server sends them. Then comes what works on all of the site beside its pages (`WORK`), once. Targets: 300 ms,
cold 500 ms, 15 queries and 150 kB.
"""

import argparse
import gzip
import logging
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management import call_command

from benchmarks.judging.speed import close_connections, set_up
from benchmarks.sessions.site_under_load import own_database

REQUESTS = 5
TARGET_MILLISECONDS, TARGET_COLD, TARGET_QUERIES = 300, 500, 15
HEAD = """| page | cold, ms | processor ms | warm, ms | processor ms | queries | kB | first load, kB |
|---|--:|--:|--:|--:|--:|--:|--:|"""
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
Times = tuple[float, float]


@dataclass(frozen=True)
class Took:
    """What a request or a piece of work took: `cold` and `warm` are wall time and processor time."""

    name: str
    cold: Times
    warm: Times | None = None
    queries: int | None = None
    bytes: int | None = None
    first_load: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether a page misses a target."""
        return self.warm is not None and (
            self.cold[0] > TARGET_COLD
            or self.warm[0] > TARGET_MILLISECONDS
            or (self.queries or 0) > TARGET_QUERIES
        )

    @property
    def line(self) -> str:
        """A row of the table."""
        times = [*self.cold, *(self.warm or (None, None))]
        sizes = [size and size / 1000 for size in (self.bytes, self.first_load)]
        numbers = ("–" if one is None else f"{one:.0f}" for one in (*times, self.queries, *sizes))
        return f"| {self.name}{' **over**' * self.is_over} | {' | '.join(numbers)} |"


STATIC = re.compile(r"""(?:href|src)="(/static/[^"]+\.(?:css|js|woff2))\"""")
FONT = re.compile(rb"""url\("?([^")]+\.woff2)"?\)""")


def first_load(client: Any, content: bytes) -> int:
    """Bytes of the page with everything it names, as a browser without a cache gets them."""
    from django.conf import settings

    root = Path(settings.STATIC_ROOT)
    names = {
        root / path.removeprefix("/static/") for path in STATIC.findall(content.decode(errors="replace"))
    }
    fonts = {
        (style.parent / font.decode()).resolve()
        for style in names
        if style.suffix == ".css"
        for font in FONT.findall(style.read_bytes())
    }
    texts = sum(len(gzip.compress(file.read_bytes())) for file in names if file.suffix != ".woff2")
    # A browser asks for the font of formulas where there is one.
    shown = {font for font in fonts if b"<math" in content or not font.name.startswith("math.")}
    every_font = {*shown, *(file for file in names if file.suffix == ".woff2")}
    return len(gzip.compress(content)) + texts + sum(len(file.read_bytes()) for file in every_font)


def database_seconds() -> float:
    """Processor time of the connection's process on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        process = cursor.fetchone()[0]
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def staff_routes() -> list[tuple[str, str]]:
    """Name and route of every address under staff/."""
    from django.urls import URLPattern, URLResolver, get_resolver

    def walk(patterns: list[Any], before: str) -> Iterator[tuple[str, str]]:
        for one in patterns:
            route = before + str(one.pattern)
            if isinstance(one, URLResolver):
                yield from walk(one.url_patterns, route)
            elif isinstance(one, URLPattern) and route.startswith("staff/"):
                yield one.name or route, route

    return list(walk(get_resolver().url_patterns, ""))


def arguments_of(slug: str) -> dict[str, object]:
    """What an address may name in the study: the newest row of each kind."""
    from judging.models import AuditSample, JudgingRun
    from scoring.models import ResultSet
    from studies.models import Participant

    first = Participant.objects.filter(study__slug=slug).order_by("pk").first()
    run = JudgingRun.objects.filter(study__slug=slug).order_by("-pk").first()
    results = ResultSet.objects.filter(run__study__slug=slug).order_by("-pk").first()
    sample = AuditSample.objects.filter(judging_run__study__slug=slug).order_by("-pk").first()
    known = {
        "slug": slug, "code": first and first.code, "number": run and run.pk, "sample": sample and sample.pk,
        "results_id": results and results.pk, "block": "cohort", "extension": "html", "position": 1,
    }  # fmt: skip
    return {name: value for name, value in known.items() if value is not None}


def timed(do: Callable[[], object], *, times: int = 1, before: Callable[[], object] | None = None) -> Times:
    """Median wall time and mean processor time in milliseconds, the database's included."""
    seconds, processor = [], 0.0
    for _ in range(times):
        if before:
            before()
        used, began = database_seconds() + time.process_time(), time.perf_counter()
        do()
        seconds.append(time.perf_counter() - began)
        processor += database_seconds() + time.process_time() - used
    return 1000 * statistics.median(seconds), 1000 * processor / times


def ask(client: Any, path: str) -> Took | None:
    """The page, or None where it is none that opens: an action, an absent row, a detour."""
    from django.core.cache import cache
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def get() -> bytes:
        content: bytes = client.get(path).getvalue()
        return content

    if client.get(path).status_code != HTTPStatus.OK:
        return None
    cold = timed(get, times=REQUESTS, before=cache.clear)
    warm = timed(get, times=REQUESTS)
    with CaptureQueriesContext(connection) as captured:
        content = get()
    return Took(path, cold, warm, len(captured), len(content), first_load(client, content))


def pages(client: Any, slugs: tuple[str, ...]) -> Iterator[Took]:
    """Every page that opens: those of the site once, those of a study in each of these."""
    for _name, route in staff_routes():
        in_study = "studies/<slug:slug>" in route
        for slug in slugs if in_study else ("",):
            known = arguments_of(slug) if in_study else {}
            wanted = ARGUMENT.findall(route)
            if not set(wanted) <= known.keys():
                continue
            path = "/" + route
            for argument in wanted:
                path = re.sub(rf"<(?:\w+:)?{argument}>", str(known[argument]), path)
            if page := ask(client, path):
                yield page


def sweep() -> None:
    """Looks for sessions that are over, of which there are none: it runs every ten seconds."""
    from django.utils import timezone

    from batches.services.ending import sessions_expire

    sessions_expire(now=timezone.now())


WORK: Mapping[str, Callable[[], object]] = {"sweep of deadlines": sweep}
"""What else is measured at this size."""


def report(arguments: argparse.Namespace) -> None:
    from django.test import Client

    from benchmarks.console.full_site import LARGE, MEASURED, full_site, site_again
    from studies.models import Study

    began = time.perf_counter()
    administrator = (
        site_again()
        if Study.objects.exists()
        else full_site(
            studies=arguments.studies,
            people=arguments.people,
            published=arguments.data / "gim" / "irt_params.json",
        )
    )
    seconds = time.perf_counter() - began
    print(f"made in {seconds:.0f} s: {arguments.studies} studies, {arguments.people:,} people")
    client = Client(SERVER_NAME="localhost")
    client.force_login(administrator)
    client.get("/")
    seen = list(pages(client, (MEASURED, LARGE)))
    print(HEAD)
    for page in sorted(seen, key=lambda one: -max(one.cold[1], one.warm[1] if one.warm else 0)):
        print(page.line)
    for name, work in WORK.items():
        print(Took(name, timed(work)).line)
    print(f"{len(seen)} pages")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--database-url", default="postgres://postgres@127.0.0.1:5432/postgres")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        if arguments.keep:
            folder, url = str(arguments.keep), arguments.database_url
            arguments.keep.mkdir(exist_ok=True)
        else:
            folder = stack.enter_context(TemporaryDirectory())
            url = stack.enter_context(own_database(arguments.database_url))
        os.environ.update(
            {"CHIRON_DATA_DIR": folder, "DATABASE_URL": url, "CHIRON_STAFF_SECOND_FACTOR": "false"}
        )
        set_up()
        logging.disable(logging.WARNING)
        call_command("collectstatic", interactive=False, verbosity=0)
        stack.callback(close_connections)
        report(arguments)


if __name__ == "__main__":
    main()
