"""Run a module in a process whose clock libfaketime sets: `python -m tests.faults.under_faketime celery …`.

libfaketime 0.9.10 breaks the call by which Python sleeps (to an absolute time of the monotonic clock); a wait
for no file at all takes as long.
"""

import runpy
import select
import sys
import time


def sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


if __name__ == "__main__":
    time.sleep = sleep
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
