"""How fast a run is judged: Celery workers that store every result, beside a bare loop that stores nothing.

    python -m benchmarks.judging.speed
    python -m benchmarks.judging.speed --calls 1200 --latency-ms 50 --concurrency 32 64 --rounds 3

The judge is benchmarks/judge_server.py with a fixed latency. The bare loop is what one would write first:
sharded httpx clients of eight threads each, `client.post`, and a pydantic model on the reply. Ours are Celery
worker processes on Redis with PostgreSQL (a database of the benchmark's own, made and dropped), timed from
the run's start to the last stored verdict. Both take turns in one run; server, workers, database and this
program share the machine. Medians.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import httpx
from pydantic import BaseModel, ConfigDict, Field

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from benchmarks.sessions.site_under_load import own_database

ROOT = Path(__file__).resolve().parents[2]
CRITERIA = 3
PROMPTS = 20
THREADS_PER_CLIENT = 8
START_SECONDS = 60


class Verdict(BaseModel):
    """A judgment as the judges ask for it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    explanation: str
    score: Annotated[float, Field(ge=0, le=1)]
    confidence: Annotated[float, Field(ge=0, le=1)]


class BareMessage(BaseModel):
    content: str


class BareChoice(BaseModel):
    message: BareMessage


class BareReply(BaseModel):
    choices: list[BareChoice]


def bare_loop(url: str, bodies: Sequence[bytes], concurrency: int) -> float:
    """Seconds for all requests, with nothing around them."""
    headers = {"Content-Type": "application/json"}

    def ask(client: httpx.Client, body: bytes) -> float:
        reply = BareReply.model_validate_json(client.post("/chat/completions", content=body).content)
        return Verdict.model_validate_json(reply.choices[0].message.content).score

    with ExitStack() as stack:
        shards = [
            (
                stack.enter_context(httpx.Client(base_url=url, headers=headers, timeout=60)),
                stack.enter_context(ThreadPoolExecutor(THREADS_PER_CLIENT)),
            )
            for _ in range(max(1, concurrency // THREADS_PER_CLIENT))
        ]
        started = time.perf_counter()
        asked = []
        for number, body in enumerate(bodies):
            client, pool = shards[number % len(shards)]
            asked.append(pool.submit(ask, client, body))
        for one in asked:
            one.result()
        return time.perf_counter() - started


def bodies(calls: int, round_: int) -> list[bytes]:
    """Requests of the size that the judge gets from us, each different."""
    text = "It follows from what was measured before, as the second table shows. " * 40
    schema = {
        "type": "object",
        "properties": {
            "explanation": {"type": "string"},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["explanation", "score", "confidence"],
    }
    asked = {"type": "json_schema", "json_schema": {"name": "rubric_judgment", "schema": schema}}
    return [
        json.dumps(
            {
                "model": "judge-1",
                "messages": [{"role": "user", "content": f"{round_}-{number} {text}"}],
                "response_format": asked,
            }
        ).encode()
        for number in range(calls)
    ]


@contextmanager
def workers(
    number: int, environment: dict[str, str], folder: Path, queues: str = "judging"
) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Celery workers that take messages of these queues, up and listening."""
    with ExitStack() as stack:
        children = []
        for one in range(number):
            out = stack.enter_context((folder / f"worker-{one}.log").open("wb"))
            command = [
                *(sys.executable, "-m", "celery", "--app", "config.celery", "worker", "--queues", queues),
                *("--pool", "threads", "--concurrency", "4", "--loglevel", "info"),
                *("--hostname", f"speed-{one}@%h", "--without-gossip", "--without-mingle"),
            ]
            child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
            stack.callback(end, child)
            children.append(child)
        until = time.monotonic() + START_SECONDS
        for one in range(number):
            log = folder / f"worker-{one}.log"
            while b"ready." not in log.read_bytes():
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.1)
        yield children


def end(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    try:
        child.wait(15)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def judged(study: str, config: str) -> tuple[float, float]:
    """Start a run and wait for its last verdict: seconds to plan it, seconds to judge it."""
    from django.utils import timezone

    from judging.models import CriterionScore, JudgeConfig, RowState
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.runs import run_finish, run_plan, run_start, scoring_runs_of
    from judging.tasks import WORK
    from scoring.tasks import HINTS_AT_ONCE
    from studies.models import Study
    from studies.services.messages import notify_workers

    specs = [JudgeSpec(JudgeConfig.objects.get(slug=config))]
    started = time.perf_counter()
    plan = run_plan(
        study=Study.objects.get(slug=study),
        specs=specs,
        now=timezone.now(),
        progress=lambda done, total: None,
    )
    run = run_start(plan=plan, budget=None, actor=None, now=timezone.now())
    planned = time.perf_counter() - started
    [scoring_run] = scoring_runs_of(run)
    rows = CriterionScore.objects.filter(judging_run=run, state=RowState.OPEN)
    started = time.perf_counter()
    for _ in range(HINTS_AT_ONCE):
        assert notify_workers(WORK, judging_run_id=run.pk, scoring_run_id=scoring_run.pk)
    while rows.exists():
        time.sleep(0.02)
        assert time.perf_counter() - started < 300, "the run does not end; see the workers' logs"
    seconds = time.perf_counter() - started
    assert run_finish(run=run, now=timezone.now())
    scored = CriterionScore.objects.filter(judging_run=run, state=RowState.SCORED).count()
    assert scored == run.planned, f"{scored} of {run.planned} scored"
    return planned, seconds


def compare(arguments: argparse.Namespace, server: RunningJudge, concurrency: int) -> None:
    from benchmarks.judging.judged_study import judge_config, judged_study

    people = arguments.calls // (PROMPTS * CRITERIA)
    bare, ours, plans = [], [], []
    for round_ in range(arguments.rounds):
        name = f"c{concurrency}-{round_}"
        judged_study(slug=name, people=people, prompts=PROMPTS, criteria=CRITERIA)
        judge_config(server.url, slug=name, concurrency=concurrency)
        bare.append(bare_loop(server.url, bodies(people * PROMPTS * CRITERIA, round_), concurrency))
        planned, seconds = judged(name, name)
        plans.append(planned)
        ours.append(seconds)
    calls = people * PROMPTS * CRITERIA
    ideal = calls * arguments.latency_ms / 1000 / concurrency
    ratios = [one / other for one, other in zip(ours, bare, strict=True)]
    print(
        f"{calls} calls of {arguments.latency_ms:g} ms at {concurrency}: ideal {ideal:.2f} s, bare loop "
        f"{statistics.median(bare):.2f} s, stored {statistics.median(ours):.2f} s, ratio "
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), of the ideal "
        f"{statistics.median(ours) / ideal:.2f}; planned in {statistics.median(plans):.2f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=1200)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[32, 64])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--database-url", default="postgres://postgres@127.0.0.1:5432/postgres")
    parser.add_argument("--redis-url", default="redis://127.0.0.1:6379/6")
    arguments = parser.parse_args()
    import tempfile

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(own_database(arguments.database_url))
        environment = {
            **os.environ,
            "CHIRON_DATA_DIR": str(folder / "data"),
            "DATABASE_URL": url,
            "REDIS_URL": arguments.redis_url,
        }
        os.environ.update(environment)
        set_up()
        server = stack.enter_context(judge_server(latency_ms=arguments.latency_ms))
        stack.enter_context(workers(arguments.workers, environment, folder))
        for concurrency in arguments.concurrency:
            compare(arguments, server, concurrency)
        stack.callback(close_connections)


def set_up() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def close_connections() -> None:
    from django.db import connections

    connections.close_all()


if __name__ == "__main__":
    main()
