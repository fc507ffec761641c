"""What each process of the site holds and costs at rest: its own memory, and processor time since its start.

    python -m benchmarks.weight.processes
    python -m benchmarks.weight.processes --redis-url redis://127.0.0.1:6379/14
    python -m benchmarks.weight.processes --checkout ../before --python ../before/.venv/bin/python
    python -m benchmarks.weight.processes --otree ../otree/bin/otree

Memory is PSS (`smaps_rollup`: a page that several processes share counts in parts), of a process with its
children; time is user and system together, of the same, since the start. The site is an empty one, on SQLite
in a temporary folder. The worker is looked at before any message; then a beat is started, and both are looked
at when everything was due once; then a worker with its beat within. The web server, with one worker process,
has answered one page, and beside it stands an empty project of Django's with its admin under the same server.
With `--checkout` the same of another state of the code, in turns; with `--otree` the server of an empty oTree
project, by oTree's own program. Without `--redis-url` messages are files. Linux; everything ends
by itself.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
REST_SECONDS = 15.0
START_SECONDS = 120.0
TICKS = os.sysconf("SC_CLK_TCK")
THREADS = ("--pool", "threads", "--concurrency", "4", "--loglevel", "info")
CHECK = (
    "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check']); "
    "from benchmarks.weight.processes import weight_of; import os; print(*weight_of(os.getpid()))"
)


class Weight(NamedTuple):
    """Megabytes, and seconds of a processor."""

    pss: float
    seconds: float


class Checkout(NamedTuple):
    name: str
    folder: Path
    python: str


def main() -> None:
    arguments = parse_arguments()
    checkouts = [Checkout("this", ROOT, sys.executable)]
    if arguments.checkout:
        checkouts.append(Checkout("other", arguments.checkout.resolve(), arguments.python))
    found: dict[str, dict[str, list[Weight]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(arguments.rounds):
        for checkout in checkouts:
            for part, weight in weights(checkout, arguments.redis_url):
                found[part][checkout.name].append(weight)
                print(f"{part:34}{checkout.name:>8}{weight.pss:8.1f} MB{weight.seconds:7.2f} s", flush=True)
        if arguments.otree:
            found["empty oTree project, its server"]["this"].append(otree(arguments.otree))
    show(found)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkout", type=Path, help="the folder of another state of the code")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs it")
    parser.add_argument("--otree", help="the program of an installed oTree")
    parser.add_argument("--redis-url", help="a database of Redis that nobody else uses; without it files")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def show(found: Mapping[str, Mapping[str, list[Weight]]]) -> None:
    print(f"{'':34}" + "".join(f"{name + ': MB':>12}{'s':>8}" for name in next(iter(found.values()))))
    for part, by_checkout in found.items():
        middle = [
            Weight(median(one.pss for one in weights), median(one.seconds for one in weights))
            for weights in by_checkout.values()
        ]
        print(f"{part:34}" + "".join(f"{one.pss:12.1f}{one.seconds:8.2f}" for one in middle))


def weights(checkout: Checkout, redis_url: str | None) -> Iterator[tuple[str, Weight]]:
    """What each part of a new site weighs, by its name."""
    with tempfile.TemporaryDirectory() as name:
        site = Site(checkout, Path(name), redis_url)
        site.check()  # writes what Python compiled
        yield "manage.py check", site.check()
        site.manage("migrate", "--verbosity", "0")
        yield from site.background()
        site.manage("collectstatic", "--no-input", "--verbosity", "0")
        yield from site.web()


def otree(program: str) -> Weight:
    """The production server of an empty project, which has answered one page."""
    with tempfile.TemporaryDirectory() as name:
        return Site(Checkout("otree", Path(name), sys.executable), Path(name), None).otree(program)


class Site:
    def __init__(self, checkout: Checkout, folder: Path, redis_url: str | None) -> None:
        self._checkout, self._folder = checkout, folder
        left_out = ("PYTHONDONTWRITEBYTECODE", "DATABASE_URL", "REDIS_URL", "CHIRON_MODE")
        own = {name: value for name, value in os.environ.items() if name not in left_out}
        self._environment = {
            **own,
            "CHIRON_DATA_DIR": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            # `benchmarks` of this state of the code, everything else of the other.
            "PYTHONPATH": os.pathsep.join([str(checkout.folder), str(ROOT)]),
            **({"REDIS_URL": redis_url} if redis_url else {}),
        }

    def manage(self, *arguments: str) -> None:
        self._run("manage.py", *arguments)

    def check(self) -> Weight:
        script = self._folder / "check.py"
        script.write_text(CHECK)
        return Weight(*map(float, self._run(str(script)).split()[-2:]))

    def web(self) -> Iterator[tuple[str, Weight]]:
        with self._granian("config.wsgi:application", self._checkout.folder, "accounts/login/") as pid:
            yield "web server", weight_of(pid)
        empty = self._folder / "empty"
        empty.mkdir()
        self._run("-m", "django", "startproject", "empty", str(empty), settings="")
        with self._granian("empty.wsgi:application", empty, "admin/login/", settings="empty.settings") as pid:
            yield "empty project, same server", weight_of(pid)

    def background(self) -> Iterator[tuple[str, Weight]]:
        with self._celery("worker", *THREADS) as worker:
            yield "worker before any message", weight_of(worker)
            with self._celery("beat", "--pidfile=", "--loglevel", "info") as beat:
                time.sleep(REST_SECONDS)
                yield "beat", weight_of(beat)
                yield "worker, everything was due once", weight_of(worker)
        with self._celery("worker", "--beat", *THREADS) as worker:
            time.sleep(REST_SECONDS)
            yield "worker with its beat, the same", weight_of(worker)

    def otree(self, program: str) -> Weight:
        # It starts itself again by its name.
        self._environment["PATH"] = os.pathsep.join([str(Path(program).resolve().parent), os.environ["PATH"]])
        start = [program, "startproject", "empty"]
        subprocess.run(start, cwd=self._folder, check=True, capture_output=True, text=True, input="n\n")
        with self._started([program, "prodserver", "8765"], self._folder / "empty", None) as (pid, _):
            until(lambda: answers("http://127.0.0.1:8765/demo"), "the page comes")
            return weight_of(pid)

    def _run(self, *arguments: str, settings: str | None = None) -> str:
        done = subprocess.run(
            [self._checkout.python, *arguments], cwd=self._checkout.folder, env=self._with(settings),
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout

    def _with(self, settings: str | None) -> dict[str, str]:
        return self._environment | ({} if settings is None else {"DJANGO_SETTINGS_MODULE": settings})

    @contextmanager
    def _granian(
        self, application: str, folder: Path, page: str, settings: str | None = None
    ) -> Iterator[int]:
        url = "http://127.0.0.1:8765/" + page
        command = [
            self._checkout.python,
            "-m",
            "granian",
            "--interface",
            "wsgi",
            application,
            "--port",
            "8765",
            "--workers",
            "1",
        ]
        with self._started([*command, "--blocking-threads", "4"], folder, settings) as (pid, _):
            until(lambda: answers(url), "the page comes")
            yield pid

    @contextmanager
    def _celery(self, *arguments: str) -> Iterator[int]:
        ready = "ready." if "worker" in arguments else "beat: Starting"
        command = [self._checkout.python, "-m", "celery", "--app", "config.celery", *arguments]
        with self._started(command, self._checkout.folder, None) as (pid, log):
            until(lambda: ready in log.read_text(), "Celery says that it runs")
            time.sleep(1)
            yield pid

    @contextmanager
    def _started(self, command: list[str], folder: Path, settings: str | None) -> Iterator[tuple[int, Path]]:
        log = self._folder / f"{time.monotonic_ns()}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                command, cwd=folder, env=self._with(settings), stdout=out, stderr=out, start_new_session=True
            )
        try:
            yield process.pid, log
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            finally:
                subprocess.run(["kill", "-KILL", "--", f"-{process.pid}"], check=False, capture_output=True)


def until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + START_SECONDS
    while not true():
        if time.monotonic() > end:
            raise SystemExit(f"not within {START_SECONDS:.0f} s: {what}")
        time.sleep(0.2)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=30) as reply:  # noqa: S310  # our own loopback URL
            return bool(reply.status == 200)
    except OSError:
        return False


def weight_of(pid: int) -> Weight:
    """Of the process with its children, and with theirs."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    below = [weight_of(int(child)) for child in children]
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    pss = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    own = Weight(pss * 1024 / 1e6, sum(map(int, times)) / TICKS)
    return Weight(own.pss + sum(one.pss for one in below), own.seconds + sum(one.seconds for one in below))


if __name__ == "__main__":
    main()
