"""The web server of these tests, which can be killed all at once."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from operations.rehearsal.servers import free_port, wait_until_answers, web_command


class Server:
    """The site in a process group of its own, so that all of it can be killed at once."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.environment = environment
        self.log = log
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.child = subprocess.Popen(
                web_command(self.port),
                env={**os.environ, **self.environment},
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        wait_until_answers(self.url, self.child, self.log)

    def kill(self) -> None:
        """As a power cut would: every process at once, no goodbye."""
        with suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
