"""Eight workers claim 100,000 rows: is any row claimed twice?

    python -m benchmarks.judging.claims
    python -m benchmarks.judging.claims --rows 100000 --workers 8 --database-url sqlite

Each worker is a process that claims again and again, as those do that compute verdicts, until nothing is
left; nothing is computed. The rows each got are compared afterwards. PostgreSQL (a database of the
benchmark's own) or an SQLite file.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

from benchmarks.judging.speed import close_connections, set_up
from benchmarks.sessions.site_under_load import own_database

ROOT = Path(__file__).resolve().parents[2]
PROMPTS, CRITERIA = 20, 10
LIMIT = 64


def prepare(rows: int) -> int:
    """A run with so many rows, none asked."""
    from django.utils import timezone

    from benchmarks.judging.judged_study import judge_config, judged_study
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.runs import run_plan, run_start

    study = judged_study(people=rows // (PROMPTS * CRITERIA), prompts=PROMPTS, criteria=CRITERIA)
    config = judge_config("http://127.0.0.1:9/v1", concurrency=1000)
    plan = run_plan(
        study=study, specs=[JudgeSpec(config)], now=timezone.now(), progress=lambda done, total: None
    )
    return run_start(plan=plan, budget=None, actor=None, now=timezone.now()).pk


def claim_all(run: int) -> None:
    """One worker: print the rows it got."""
    set_up()
    from django.utils import timezone

    from judging.models import JudgingRun
    from judging.services.running.claim import CallReader, rows_claim
    from judging.services.running.judge_specs import judge_of, spec_of
    from judging.services.running.runs import scoring_runs_of

    judging_run = JudgingRun.objects.get(pk=run)
    [scoring_run] = scoring_runs_of(judging_run)
    with judge_of(scoring_run.study, spec_of(scoring_run)) as judge:
        reader = CallReader(judging_run, scoring_run, judge)
        while calls := rows_claim(reader, limit=LIMIT, claim=uuid4(), now=timezone.now()):
            print(*(call.leader for call in calls), flush=True)


def measure(rows: int, workers: int) -> None:
    run = prepare(rows)
    environment = {**os.environ, "CHIRON_JUDGING_LEASE_SECONDS": "3600"}
    command = [sys.executable, "-m", "benchmarks.judging.claims", "--claim", str(run)]
    started = time.perf_counter()
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        outs = [stack.enter_context((Path(folder) / str(one)).open("w+")) for one in range(workers)]
        children = [subprocess.Popen(command, env=environment, stdout=out) for out in outs]
        codes = [child.wait() for child in children]
        seconds = time.perf_counter() - started
        assert not any(codes), f"a worker failed: {codes}"
        for out in outs:
            out.seek(0)
        got = [Counter(map(int, out.read().split())) for out in outs]
    claimed: Counter[int] = sum(got, Counter())
    twice = sum(1 for times in claimed.values() if times > 1)
    print(
        f"{len(claimed):,} of {rows:,} rows claimed by {workers} workers in {seconds:.1f} s with their start "
        f"({min(map(len, got)):,} to {max(map(len, got)):,} each), {twice} claimed twice"
    )
    assert (len(claimed), twice) == (rows, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--database-url", default="postgres://postgres@127.0.0.1:5432/postgres")
    parser.add_argument("--claim", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.claim:
        claim_all(arguments.claim)
        return
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if arguments.database_url == "sqlite":
            url = f"sqlite:///{folder}/claims.sqlite3"
        else:
            url = stack.enter_context(own_database(arguments.database_url))
        os.environ.update({"CHIRON_DATA_DIR": folder, "DATABASE_URL": url})
        set_up()
        stack.callback(close_connections)
        measure(arguments.rows, arguments.workers)


if __name__ == "__main__":
    main()
