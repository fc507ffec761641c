"""The judge server as a process of its own, for tests and benchmarks."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks.hashed_judge.log import Arrival, read_log
from benchmarks.hashed_judge.options import JudgeOptions, arguments_of

SCRIPT = Path(__file__).resolve().parent.parent / "judge_server.py"
END_SECONDS = 10.0


@dataclass(frozen=True)
class RunningJudge:
    """A server that runs; `url` is the base URL for a client."""

    url: str
    log: Path | None
    process: subprocess.Popen[str]

    def arrivals(self) -> list[Arrival]:
        """The requests in its log so far; the newest 20 ms may be missing."""
        if self.log is None:
            raise ValueError("This judge keeps no log; start it with one.")
        return read_log(self.log) if self.log.exists() else []

    def settled(self) -> list[Arrival]:
        """The requests in its log as soon as it shows each of them answered, however busy the machine is."""
        until = time.monotonic() + END_SECONDS
        while time.monotonic() < until:
            arrivals, stats = self.arrivals(), self.stats()
            answered = sum(one.status is not None for one in arrivals)
            if answered == len(arrivals) == stats["requests"]:
                return arrivals
            time.sleep(0.02)
        raise TimeoutError(f"The log does not show every request answered after {END_SECONDS:.0f} s.")

    def stats(self) -> dict[str, Any]:
        with urlopen(self.url.removesuffix("/v1") + "/stats", timeout=10) as reply:  # noqa: S310
            told: dict[str, Any] = json.load(reply)
        return told


@contextmanager
def judge_server(*, port: int = 0, **options: Any) -> Iterator[RunningJudge]:
    """Run a judge with these `JudgeOptions` and end it, also when the process that asked for it is killed.

    Raises:
        TypeError: there is no such option.
        RuntimeError: the server did not start; its complaint is on standard error.
    """
    wanted = JudgeOptions(port=port, while_stdin_open=True, **options)
    command = [sys.executable, str(SCRIPT), *arguments_of(wanted)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield RunningJudge(_url(process), wanted.log, process)
        finally:
            _end(process)


def _url(process: subprocess.Popen[str]) -> str:
    first_line = process.stdout.readline() if process.stdout else ""
    if not (found := re.search(r"http://\S+/v1", first_line)):
        raise RuntimeError("The judge server did not start.")
    return found[0]


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
