"""Workers as processes of their own: `python -m tests.support.judging_process RUN,RUN… RUN… --length 3`.

Each works on its runs in turn until each is over or pauses, as workers do for hints. They are
forked before there is a connection to the database, so that modules are read once for all of them.
"""

import argparse
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Sequence
from random import random

import django

django.setup()

from django.utils import timezone  # noqa: E402

from judging.models import JudgeConfig, JudgingRun, RunState  # noqa: E402
from judging.services.running.coordinating import remaining_of, run_coordinate  # noqa: E402
from judging.services.running.limits import Window  # noqa: E402
from judging.services.running.own import judge_work  # noqa: E402


def work(pk: int, *, seconds: float, window: Window) -> bool:
    """Ask each judge of the run that nobody asks; False where the run is over or pauses."""
    run = JudgingRun.objects.select_related("study").get(pk=pk)
    if run.state != RunState.RUNNING or run_coordinate(judging_run=run, now=timezone.now()):
        return False
    for judge in judges_of(run):
        judge_work(
            config=judge, seconds=seconds, stopping=threading.Event(), clock=timezone.now, window=window
        )
    return True


def judges_of(run: JudgingRun) -> list[JudgeConfig]:
    """In an order of this process's own, so that each judge finds a worker."""
    judges = [remaining.run.config for remaining in remaining_of(run, timezone.now())]
    return sorted({judge.pk: judge for judge in judges if judge}.values(), key=lambda _: random())


def work_through(runs: Sequence[int], asked: argparse.Namespace) -> None:
    window = Window(length=asked.length, margin=0.5)
    going, parent = list(runs), os.getppid()
    while going and os.getppid() == parent:  # nobody works on for a test that was killed
        going = [pk for pk in going if work(pk, seconds=asked.seconds, window=window)]
        time.sleep(0.05)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("workers", nargs="+", help="the runs of each worker, with commas between them")
    parser.add_argument("--seconds", type=float, default=20.0, help="the length of a term")
    parser.add_argument("--length", type=float, default=60.0, help="of the window that limits are about")
    asked = parser.parse_args()
    fork = multiprocessing.get_context("fork")
    groups = [[int(pk) for pk in runs.split(",")] for runs in asked.workers]
    workers = [fork.Process(target=work_through, args=(runs, asked)) for runs in groups]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return int(any(worker.exitcode for worker in workers))


if __name__ == "__main__":
    sys.exit(main())
