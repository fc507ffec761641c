"""Which of our files and functions a judge call runs through, from its claim to its stored verdict.

    python -m benchmarks.judging.way_of_a_call
    python -m benchmarks.judging.way_of_a_call --list

A small study on SQLite, judged by this process with the judge server of these benchmarks, one call at a time.
Counted are the functions that run, in any thread, between the moment at which the first call is stored and
that at which the last one is: what every call needs. What ran before and not again is listed apart, as once
per owner: taking the judge, making the client, connecting, writing the schema. The clock stands still, so
what is done every few seconds, however many calls there are, is no part of a call. Nothing is remembered
from planning, which is another process's work in life. Functions that run while modules are imported are not
counted.
"""

import gc
import threading
from collections import defaultdict
from functools import _lru_cache_wrapper

from benchmarks.hashed_judge.running import judge_server
from benchmarks.ways import Functions, noted, report, small_site


def main() -> None:
    with small_site(__doc__) as listed, judge_server(latency_ms=5) as judge:
        every_call, once = way(judge.url)
    report("every call", every_call, listed=listed)
    report("once per owner", once, listed=listed)
    print(f"files of the second alone: {len(once.keys() - every_call.keys())}")


def way(url: str) -> tuple[Functions, Functions]:
    """The functions of each of our files that every call of a run goes through, and those that ran once."""
    from django.utils import timezone

    from benchmarks.judging.judged_study import judge_config, judged_study
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.own import judge_work
    from judging.services.running.runs import run_plan, run_start

    now = timezone.now()
    study, config = judged_study(people=1, prompts=2, criteria=2), judge_config(url, concurrency=1)
    plan = run_plan(study=study, specs=[JudgeSpec(config)], now=now, progress=lambda done, of: None)
    run = run_start(plan=plan, budget=None, actor=None, now=now)
    forget_all()
    first, later, ending = (defaultdict[str, set[str]](set) for _ in range(3))
    calls, stored, functions = run.rows.count(), 0, first

    def progress(number: int) -> None:
        nonlocal stored, functions
        stored += number
        functions = ending if stored == calls else later

    with noted(lambda file, name: functions[file].add(name)):
        judge_work(
            config=config, seconds=60, stopping=threading.Event(), clock=lambda: now, on_progress=progress
        )
    assert not run.rows.exclude(state="scored").exists(), "not every row was scored"
    once = {file: only for file, names in first.items() if (only := names - later.get(file, set()))}
    return later, once


def forget_all() -> None:
    """Empty every cache of functions."""
    for cached in gc.get_objects():
        if isinstance(cached, _lru_cache_wrapper):
            cached.cache_clear()


if __name__ == "__main__":
    main()
