"""Setting up on a fresh machine: every failure is one sentence with its remedy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALL = ROOT / "requirements" / "install.py"


def install(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(INSTALL), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_missing_module_is_explained_with_the_package_to_install(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(f"raise ImportError('absent', name='{module}')")
    done = install("run", PYTHONPATH=str(tmp_path))
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    assert done.returncode == 1
    assert f"comes without {module}" in done.stderr
    assert f"apt-get install {package}" in done.stderr


def test_an_unknown_list_is_answered_with_the_usage() -> None:
    done = install("everything")
    assert done.returncode == 1
    assert done.stderr == "usage: python3 requirements/install.py run|dev\n"


def test_a_file_in_the_place_of_the_environment_is_named(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / ".venv").touch()
    done = subprocess.run(
        [sys.executable, str(tmp_path / "requirements" / "install.py"), "run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"{tmp_path / '.venv'} cannot be used (Not a directory). Remove it and run the same command again.\n"
    )


def test_a_database_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "migrate"],
        env={**os.environ, "CHIRON_DATA_DIR": str(tmp_path), "DATABASE_URL": "postgres://x@127.0.0.1:1/x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The database cannot be used (connection failed")
    assert len(done.stderr.splitlines()) == 1


def test_every_requirement_is_pinned_with_hashes_and_has_no_address() -> None:
    for name in ("run.txt", "dev.txt"):
        lines = (ROOT / "requirements" / name).read_text().splitlines()
        pins = [line for line in lines if "==" in line and not line.startswith(" ")]
        assert len(pins) > 30
        assert all(line.endswith("\\") for line in pins)
        assert not [line for line in lines if "://" in line or line.startswith("-")]
