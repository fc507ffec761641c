"""Worker processes on runs of a test."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from judging.models import JudgingRun

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def judging_workers(
    environment: Mapping[str, str],
    *runs: Sequence[JudgingRun],
    seconds: float = 20.0,
    window_seconds: float = 60.0,
) -> Iterator["subprocess.Popen[bytes]"]:
    """One worker for each group of runs: what ends when all of them have. All are killed on the way out."""
    options = ("--seconds", str(seconds), "--length", str(window_seconds))
    groups = [",".join(str(run.pk) for run in group) for group in runs]
    command = [sys.executable, "-m", "tests.support.judging_process", *options, *groups]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
