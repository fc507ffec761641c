"""Parts of a running site as processes that a test can kill, and start again."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
END_SECONDS = 30.0


class Part:
    """One process with its own log, restarted with the same command line."""

    def __init__(
        self,
        name: str,
        command: list[str],
        *,
        environment: Mapping[str, str],
        logs: Path,
        user: str | None = None,
    ) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self.name, self._command, self._environment, self._user = name, command, dict(environment), user
        self.log = logs / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def children(self) -> set[int]:
        """The numbers of the processes that it started, read from the system."""
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return {int(number) for number in listed.read_text().split()} if listed.is_file() else set()

    def start(self) -> Self:
        assert not self.runs, f"{self.name} runs already"
        with self.log.open("ab") as out:
            # A group of its own: what is left of it at the end can be ended without touching anything else.
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT if self._user is None else "/",
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                user=self._user,
            )
        return self

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process and wait for its end."""
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(END_SECONDS)

    def kill(self) -> float:
        """`kill -9` of this process alone, without its children; the moment from which it is dead."""
        assert self.runs, f"{self.name} ended by itself:\n{self.tail()}"
        self.send(signal.SIGKILL)
        return time.time()

    def stop(self) -> float:
        """Ask it to end; how many seconds that took."""
        began = time.monotonic()
        self.send(signal.SIGTERM)
        return time.monotonic() - began

    def freeze(self) -> float:
        """Let it stand still, as on a machine that sleeps; the moment from which it does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        return time.time()

    def thaw(self) -> float:
        """Let it go on; the moment from which it does."""
        assert self._process is not None
        awake = time.time()
        self._process.send_signal(signal.SIGCONT)
        return awake

    def unread(self, port: int) -> list[int]:
        """How many bytes wait in each socket of the process that is connected to this port of the machine.

        The end of a connection counts as one byte.
        """
        system, sockets = Path(f"/proc/{self.pid}"), set()
        for place in (system / "fd").iterdir():
            with suppress(FileNotFoundError):
                sockets.add(place.readlink().name)
        lines = (line.split() for line in (system / "net/tcp").read_text().splitlines()[1:])
        return [
            int(queues.partition(":")[2], 16)
            for _, _, peer, _, queues, _, _, _, _, inode, *_ in lines
            if f"socket:[{inode}]" in sockets and int(peer.partition(":")[2], 16) == port
        ]

    def clear(self) -> None:
        """Leave nothing of it behind, children included."""
        if self._process is not None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            self._process.wait(END_SECONDS)

    def said(self, words: str) -> bool:
        return words in self.log.read_text(errors="replace")

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def binary(name: str) -> str:
    """Where a server's program is. Without it the test is left out, or fails where it must not be."""
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), *os.environ.get("PATH", "").split(os.pathsep)]
    if found := shutil.which(name, path=os.pathsep.join(map(str, places))):
        return found
    if os.environ.get("CHIRON_TEST_PRODUCTION") == "required":
        pytest.fail(f"{name} is not installed, and CHIRON_TEST_PRODUCTION=required")
    pytest.skip(f"{name} is not installed")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(condition: Callable[[], bool], *, seconds: float, what: str, every: float = 0.1) -> float:
    """Wait for something to be so; the seconds it took. Fails with the words of `what`."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            pytest.fail(f"not within {seconds:.0f} s: {what}")
        time.sleep(every)
    return time.monotonic() - began
