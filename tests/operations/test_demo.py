"""`make demo`: everything happens that it promises, and it harms nothing.

Runs once, with other whole studies (`make test-studies`).
"""

import csv
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from config.private_files import exposed_paths
from operations.rehearsal.servers import free_port, kept_port, refuse_busy_port

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        "DATABASE_URL" in os.environ, reason="the demo always runs on a SQLite file of its own"
    ),
]


def demo(data: Path, port: int, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", "demo", "--no-serve", "--port", str(port)],
        cwd=ROOT,
        env={**os.environ, "CHIRON_DATA_DIR": str(data), **environment},
        capture_output=True,
        text=True,
        check=False,
        umask=0,
    )


def test_simulated_people_go_through_the_whole_study_beside_simulated_models(tmp_path: Path) -> None:
    port = free_port()
    running = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", str(port)],
        cwd=ROOT,
        env={**os.environ, "CHIRON_DATA_DIR": str(tmp_path / "demo")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        umask=0,
    )
    assert running.stdout is not None
    said = ""
    for line in running.stdout:
        said += line
        if "Ctrl-C ends it" in line:
            running.terminate()
    running.stdout.close()
    assert running.wait() == 0, said
    assert "SIMULATED" in said
    assert "Average" in said
    assert "Top (in-sample)" in said
    assert "30 simulated models" in said
    assert said.endswith("Stopped.\n")
    refuse_busy_port(port)

    export = tmp_path / "demo" / "export"
    with (export / "sessions.csv").open(newline="", encoding="utf-8-sig") as file:
        sessions = list(csv.DictReader(file))
    ends = sorted(row["status"] for row in sessions)
    assert ends == ["expired", *["submitted"] * 22, "withdrawn"]
    expired = next(row for row in sessions if row["status"] == "expired")
    assert expired["ended_at"] == expired["deadline_at"]
    manifest = json.loads((export / "manifest.json").read_text())
    assert manifest["study"]["simulated"] is True
    assert exposed_paths(tmp_path / "demo") == []
    assert "@" not in "".join(file.read_text(encoding="utf-8") for file in export.glob("*.csv"))


def test_a_busy_port_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        refused = demo(tmp_path / "demo", port)
    assert refused.returncode == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in refused.stderr
    assert f"PORT={port + 1}" in refused.stderr


def test_of_two_demos_at_one_port_the_second_is_refused_before_the_first_listens(tmp_path: Path) -> None:
    port = free_port()
    with kept_port(port):
        refused = demo(tmp_path / "demo", port)
    assert refused.returncode == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in refused.stderr
    assert not (tmp_path / "demo" / "chiron.sqlite3").exists()


def test_a_data_folder_with_another_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "chiron.sqlite3").write_bytes(b"somebody's study")
    refused = demo(tmp_path, free_port())
    assert refused.returncode == 1
    assert "holds a database that is not the demo's" in refused.stderr
    assert (tmp_path / "chiron.sqlite3").read_bytes() == b"somebody's study"


def test_a_configured_database_is_left_alone(tmp_path: Path) -> None:
    refused = demo(tmp_path, free_port(), DATABASE_URL="postgres://nobody@127.0.0.1:1/none")
    assert refused.returncode == 1
    assert "unset DATABASE_URL" in refused.stderr
