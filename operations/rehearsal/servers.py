"""The processes a rehearsal needs: the web server, and the worker with its beat."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

START_SECONDS = 40
STOP_SECONDS = 10
# All simulated people sign in from one address; a real limit would read as an attack.
MANY_FROM_ONE_ADDRESS = {"CHIRON_CODES_PER_MINUTE_PER_ADDRESS": "100000"}


class ServerNotStarted(Exception):
    """A process ended or did not answer in time; the message holds the remedy."""


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
            f"port {port} of 127.0.0.1 cannot be used ({error.strerror}); name another: PORT={port + 1}"
        ) from None


@contextmanager
def web_server(port: int, *, environment: dict[str, str], log: Path) -> Iterator[str]:
    """Run the site with two worker processes; yield its base URL; stop it at the end."""
    refuse_busy_port(port)
    url = f"http://127.0.0.1:{port}"
    with process(web_command(port), environment=environment, log=log) as child:
        wait_until_answers(url, child, log)
        yield url


@contextmanager
def running_site(port: int, logs: Path, *, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of a web server with a worker beside it, both ended afterwards.

    `environment` is of the web server; all simulated people may sign in from one address.
    """
    settings = {**MANY_FROM_ONE_ADDRESS, **(environment or {})}
    with (
        web_server(port, environment=settings, log=logs / "web.log") as url,
        background_worker(environment={}, log=logs / "worker.log"),
    ):
        yield url


def web_command(port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "config.wsgi:application"),
        *("--host", "127.0.0.1", "--port", str(port), "--workers", "2", "--blocking-threads", "4"),
        # One worker that dies would end all; and one that a slow client holds would never stop.
        *("--respawn-failed-workers", "--workers-kill-timeout", "8"),
        *("--no-access-log", "--log-level", "warning"),
    ]


@contextmanager
def background_worker(*, environment: dict[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the Celery worker with its beat: it ends sessions at their deadline, judges, and runs jobs."""
    command = [
        *(sys.executable, "-m", "celery", "--app", "config.celery", "worker", "--beat"),
        *("--pool", "threads", "--concurrency", "4", "--loglevel", "warning"),
    ]
    with process(command, environment=environment, log=log) as child:
        yield child


@contextmanager
def process(
    command: list[str], *, environment: dict[str, str], log: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        child = subprocess.Popen(  # noqa: S603  # our own command line, no shell
            command, env={**os.environ, **environment}, stdout=out, stderr=out, stdin=subprocess.DEVNULL
        )
        try:
            yield child
        finally:
            stop(child)


def stop(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(STOP_SECONDS)
        return
    child.kill()
    child.wait()


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
