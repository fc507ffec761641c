"""What judging a whole pilot costs: processor time and peak memory of worker and beat.

    python -m benchmarks.judging.load                             # 246 people, about 17,000 calls
    python -m benchmarks.judging.load --people 1000 --criteria 5  # 100,000 calls: is memory flat?

Celery workers and a beat of their own on Redis, PostgreSQL (a database of the benchmark's own, made and
dropped), and benchmarks/judge_server.py. The run is started as the page starts it; the beat finishes it and
computes the results. Memory is read from /proc four times a second; "at a quarter" and "at the end" are the
worker's resident memory when that share of the calls was decided, so that a leak would show.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hashed_judge.running import judge_server
from benchmarks.judging.speed import close_connections, end, set_up, workers
from benchmarks.sessions.site_under_load import own_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judging.models import JudgingRun

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = 20
LOOK_SECONDS = 0.25
MAX_SECONDS = 1800
TICK = os.sysconf("SC_CLK_TCK")
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass
class Watched:
    """One process: its processor time and resident memory as they were seen."""

    name: str
    pid: int
    memory: list[tuple[float, float]] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def look(self, share: float) -> None:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        self.cpu_seconds = (int(fields[11]) + int(fields[12])) / TICK
        self.memory.append((share, int(fields[21]) * PAGE_MIB))

    @property
    def peak_mib(self) -> float:
        return max(mib for _, mib in self.memory)

    def mib_at(self, share: float) -> float:
        return next(mib for seen, mib in self.memory if seen >= share)


@contextmanager
def beat(environment: dict[str, str], folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    with (folder / "beat.log").open("wb") as out:
        command = [sys.executable, "-m", "celery", "--app", "config.celery", "beat", "--loglevel", "warning"]
        child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        try:
            yield child
        finally:
            end(child)


def started_run(url: str, people: int, criteria: float, concurrency: int) -> "JudgingRun":
    from django.utils import timezone

    from benchmarks.judging.judged_study import judge_config, judged_study
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.runs import run_plan, run_start

    study = judged_study(people=people, prompts=PROMPTS, criteria=criteria)
    config = judge_config(url, concurrency=concurrency)
    began = time.perf_counter()
    plan = run_plan(
        study=study, specs=[JudgeSpec(config)], now=timezone.now(), progress=lambda done, total: None
    )
    run = run_start(plan=plan, budget=None, actor=None, now=timezone.now())
    print(f"planned {run.planned:,} rows in {time.perf_counter() - began:.1f} s", flush=True)
    return run


def watch(run: "JudgingRun", watched: list[Watched]) -> float:
    """Seconds until the beat calls the run finished and its results are there."""
    from judging.models import RowState
    from scoring.models import ResultSet

    began = time.perf_counter()
    while not ResultSet.objects.exists():
        open_rows = run.rows.filter(state=RowState.OPEN).count()
        for one in watched:
            one.look(1 - open_rows / run.planned)
        assert time.perf_counter() - began < MAX_SECONDS, "the run does not end"
        time.sleep(LOOK_SECONDS)
    return time.perf_counter() - began


def report(run: "JudgingRun", watched: list[Watched], seconds: float) -> None:
    scored = run.rows.filter(state="scored").count()
    calls = run.calls.count()
    print(f"{calls:,} calls, {scored:,} of {run.planned:,} rows scored, {seconds:.0f} s to the results")
    print(f"{'':12} {'CPU s':>8} {'ms a call':>10} {'peak MiB':>9} {'at a quarter':>13} {'at the end':>11}")
    for one in watched:
        print(
            f"{one.name:12} {one.cpu_seconds:8.1f} {1000 * one.cpu_seconds / max(calls, 1):10.2f} "
            f"{one.peak_mib:9.0f} {one.mib_at(0.25):13.0f} {one.memory[-1][1]:11.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, default=246)
    parser.add_argument("--criteria", type=float, default=3.5)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--database-url", default="postgres://postgres@127.0.0.1:5432/postgres")
    parser.add_argument("--redis-url", default="redis://127.0.0.1:6379/6")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        environment = {
            **os.environ,
            "CHIRON_DATA_DIR": str(folder / "data"),
            "DATABASE_URL": stack.enter_context(own_database(arguments.database_url)),
            "REDIS_URL": arguments.redis_url,
        }
        os.environ.update(environment)
        set_up()
        stack.callback(close_connections)
        server = stack.enter_context(judge_server(latency_ms=arguments.latency_ms))
        run = started_run(server.url, arguments.people, arguments.criteria, arguments.concurrency)
        children = stack.enter_context(
            workers(arguments.workers, environment, folder, queues="upkeep,judging")
        )
        beating = stack.enter_context(beat(environment, folder))
        watched = [Watched(f"worker {n}", child.pid) for n, child in enumerate(children, start=1)]
        watched += [Watched("beat", beating.pid), Watched("test judge", server.process.pid)]
        report(run, watched, watch(run, watched))


if __name__ == "__main__":
    main()
