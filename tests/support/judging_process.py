"""One worker as a process of its own: `python -m tests.support.judging_process RUN… --length 3`.

It works on leases of these runs in turn until each is over or pauses, as workers do for hints.
"""

import argparse
import threading
import time

import django

django.setup()

from django.utils import timezone  # noqa: E402

from judging.judges.windows import Window  # noqa: E402
from judging.models import JudgingRun, RunState  # noqa: E402
from judging.services.running.coordinating import remaining_of, run_coordinate  # noqa: E402
from judging.services.running.working import lease_work  # noqa: E402


def work(pk: int, *, threads: int, seconds: float, window: Window) -> bool:
    """A lease for each judge of the run; False where the run is over or pauses."""
    run = JudgingRun.objects.select_related("study").get(pk=pk)
    if run.state != RunState.RUNNING or run_coordinate(judging_run=run, now=timezone.now()):
        return False
    for one in remaining_of(run, timezone.now()):
        lease_work(
            judging_run=JudgingRun.objects.select_related("study").get(pk=pk),
            run=one.run,
            seconds=seconds,
            stopping=threading.Event(),
            clock=timezone.now,
            wanted=threads,
            window=window,
        )
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="+", type=int)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0, help="the length of a lease")
    parser.add_argument("--length", type=float, default=60.0, help="of the window that limits are about")
    asked = parser.parse_args()
    window = Window(length=asked.length, valid=1.0, margin=0.5)
    going = list(asked.runs)
    while going:
        going = [pk for pk in going if work(pk, threads=asked.threads, seconds=asked.seconds, window=window)]
        time.sleep(0.05)


if __name__ == "__main__":
    main()
