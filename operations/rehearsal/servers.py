"""The processes of a site that a command starts, looks after and ends: web server, worker with its beat."""

import ctypes
import fcntl
import math
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from operations.rehearsal.mailbox import Mailbox

START_SECONDS = 120
STOP_SECONDS = 10
# One that ends sooner than this after it was started again would only end again.
STAYS_SECONDS = 10
LOOK_SECONDS = 0.5
PR_SET_PDEATHSIG = 1
OPEN_FILES = 65_536
# All simulated people sign in from one address; a real limit would read as an attack.
MANY_FROM_ONE_ADDRESS = {"CHIRON_CODES_PER_MINUTE_PER_ADDRESS": "100000"}


class ServerNotStarted(Exception):
    """A process ended or did not answer in time; the message holds the remedy."""


class Stopped(BaseException):
    """This command was told to end. Not an Exception: nothing that goes on after a failure may go on."""


class Process:
    """One process of the site with its log. It ends with the command that started it, however that ends."""

    def __init__(self, name: str, command: list[str], *, environment: Mapping[str, str], log: Path) -> None:
        self.name, self.log = name, log
        self._command, self._environment = command, {**os.environ, **environment}
        self._started_again = -math.inf
        self.start()

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as out:
            # In a session of its own: Ctrl-C reaches the command alone, which ends the others in order.
            self.child = subprocess.Popen(  # noqa: S603  # our own command line, no shell
                self._command, env=self._environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                start_new_session=True, preexec_fn=_prepared,
            )  # fmt: skip

    def restart_if_ended(self) -> str:
        """Start it again where it ended by itself, and say so; "" where it runs.

        Raise ServerNotStarted where it does not stay.
        """
        if self.child.poll() is None:
            return ""
        _kill_what_it_left(self.child)
        reason = f"the {self.name} ended by itself (exit code {self.child.returncode}); see {self.log}"
        if time.monotonic() - self._started_again < STAYS_SECONDS:
            raise ServerNotStarted(reason)
        self._started_again = time.monotonic()
        self.start()
        return f"{reason}. It is started again."


def _prepared() -> None:
    """Let the process have as many connections as the units in deploy/ do, where the system does; and let the
    system end it with the one that started it, even where that is killed (Linux).
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most > OPEN_FILES:
        most = OPEN_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Within, SIGTERM, SIGINT and SIGHUP raise Stopped once, so that what was started is ended in order.

    One that is ignored already stays so: `nohup` wants the command to outlive its terminal.
    """
    wanted = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    numbers = [number for number in wanted if signal.getsignal(number) != signal.SIG_IGN]

    def stop_once(_number: int, _frame: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    before = {number: signal.signal(number, stop_once) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def kept_folder(folder: Path) -> Iterator[None]:
    """Keep the data folder for one command that runs a site. Raise ServerNotStarted where another has it."""
    with (folder / "running").open("w") as kept:
        try:
            fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ServerNotStarted(
                f"a site runs from {folder} already; end it first, or set CHIRON_DATA_DIR to another folder"
            ) from None
        yield


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def refuse_busy_port(port: int) -> None:
    """Raise ServerNotStarted where something already listens."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(probe, port)


@contextmanager
def kept_port(port: int) -> Iterator[None]:
    """Keep the port until a server of ours listens there, which would share it with another one of ours.

    Raise ServerNotStarted where something listens, or somebody else keeps it.
    """
    with socket.socket(type=socket.SOCK_DGRAM) as kept:
        _bind(kept, port)
        refuse_busy_port(port)
        yield


def _bind(to: socket.socket, port: int) -> None:
    try:
        to.bind(("127.0.0.1", port))
    except OSError as error:
        raise ServerNotStarted(
            f"port {port} of 127.0.0.1 cannot be used ({error.strerror}); name another: "
            f"PORT={port + 1} of make, --port {port + 1} of manage.py"
        ) from None


@contextmanager
def web_server(port: int, *, environment: dict[str, str], log: Path) -> Iterator[str]:
    """Run the site with two worker processes; yield its base URL; stop it at the end."""
    with _web_process(port, environment=environment, log=log) as server:
        yield server[1]


@contextmanager
def _web_process(port: int, *, environment: Mapping[str, str], log: Path) -> Iterator[tuple[Process, str]]:
    refuse_busy_port(port)
    url = f"http://127.0.0.1:{port}"
    with process(web_command(port), environment=environment, log=log, name="web server") as server:
        wait_until_answers(url, server.child, log)
        yield server, url


class RunningSite:
    """A web server with a worker beside it; `url` is where it answers."""

    def __init__(self, url: str, processes: tuple[Process, ...]) -> None:
        self.url, self._processes = url, processes

    def watch(self, mailbox: Mailbox | None) -> Iterator[str]:
        """Until this command is told to end: invitations and sign-in codes as they arrive, a line each, and
        what ended by itself and is started again.
        """
        while True:
            for mail in mailbox.new_mails() if mailbox else ():
                if mail.link:
                    yield f"invitation for {mail.email}: {mail.link}"
                if mail.code:
                    yield f"sign-in code for {mail.email}: {mail.code}"
            yield from filter(None, (process.restart_if_ended() for process in self._processes))
            time.sleep(LOOK_SECONDS)


@contextmanager
def running_site(port: int, logs: Path, *, environment: Mapping[str, str]) -> Iterator[RunningSite]:
    """A web server with a worker beside it, both ended afterwards; `environment` is of the web server."""
    with (
        _web_process(port, environment=environment, log=logs / "web.log") as (server, url),
        background_worker(environment={}, log=logs / "worker.log") as worker,
    ):
        try:
            yield RunningSite(url, (server, worker))
        finally:  # both at once: each has its own work to end
            for part in (server, worker):
                part.child.terminate()


def web_command(port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "config.wsgi:application"),
        *("--host", "127.0.0.1", "--port", str(port), "--workers", "2", "--blocking-threads", "4"),
        # Connections that a worker holds, idle ones included: one more would wait until an idle one ends.
        *("--backpressure", "4096"),
        # One worker that dies would end all; and one that a slow client holds would never stop.
        *("--respawn-failed-workers", "--workers-kill-timeout", "8"),
        *("--no-access-log", "--log-level", "warning"),
    ]


@contextmanager
def background_worker(*, environment: dict[str, str], log: Path) -> Iterator[Process]:
    """Run the Celery worker with its beat: it ends sessions at their deadline, judges, and runs jobs."""
    command = [
        *(sys.executable, "-m", "celery", "--app", "config.celery", "worker", "--beat"),
        *("--pool", "threads", "--concurrency", "4", "--loglevel", "warning"),
    ]
    with process(command, environment=environment, log=log, name="worker") as worker:
        yield worker


@contextmanager
def process(command: list[str], *, environment: Mapping[str, str], log: Path, name: str) -> Iterator[Process]:
    started = Process(name, command, environment=environment, log=log)
    try:
        yield started
    finally:
        stop(started.child)


def stop(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    _kill_what_it_left(child)


def _kill_what_it_left(child: "subprocess.Popen[bytes]") -> None:
    """End the workers of a killed server: they would answer on at its port, beside the next one."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def wait_until_answers(url: str, child: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if child.poll() is not None:
            raise ServerNotStarted(f"the web server ended at once (exit code {child.returncode}); see {log}")
        try:
            urllib.request.urlopen(f"{url}/accounts/login/", timeout=5).close()  # noqa: S310  # our own loopback URL
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise ServerNotStarted(f"the web server did not answer on {url} within {START_SECONDS} s; see {log}")
