"""The web server's entry point."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from operations.rehearsal.servers import process

ROOT = Path(__file__).resolve().parents[2]


def test_without_collected_static_files_the_site_says_how_to_collect_them(tmp_path: Path) -> None:
    refused = subprocess.run(
        [sys.executable, "-c", "import config.wsgi"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "CHIRON_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert "collectstatic --no-input" in refused.stderr
    assert "Traceback" not in refused.stderr


# A server as granian is: the first process only looks after the one that answers.
SERVER = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1], sys.argv[2]])"
WORKER = """
import socket, sys
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
line.recv(1)
"""


def test_the_workers_of_a_killed_server_end_before_it_is_started_again_and_with_the_site(
    tmp_path: Path,
) -> None:
    """They shared its port, and answered on from the code and the settings of before."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(30)
        command = [sys.executable, "-c", SERVER, WORKER, str(door.getsockname()[1])]
        with process(command, environment={}, log=tmp_path / "web.log", name="web server") as server:
            first = _worker_of(door)
            server.child.send_signal(signal.SIGKILL)
            server.child.wait()
            assert "It is started again." in server.restart_if_ended()
            assert _is_over(first)
            second = _worker_of(door)
            server.child.send_signal(signal.SIGKILL)
        assert _is_over(second)


def _worker_of(door: socket.socket) -> socket.socket:
    line = door.accept()[0]
    line.settimeout(10)
    return line


def _is_over(line: socket.socket) -> bool:
    with line:
        return line.recv(1) == b""
