"""What is dear to make and the same for every test: made once for all processes of a run, then copied."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

MadeOnce = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Make a folder of this name once for all processes of a test run. Nobody may change it."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def get(name: str, make: Callable[[Path], None]) -> Path:
        folder = shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = shared / f"{name}.unfinished"
                shutil.rmtree(unfinished, ignore_errors=True)
                make(unfinished)
                unfinished.rename(folder)
        return folder

    return get


@pytest.fixture(scope="session")
def static_files(made_once: MadeOnce) -> Path:
    """The folder of the static files as they are served: to compress them takes ten seconds."""

    def make(folder: Path) -> None:
        with override_settings(STATIC_ROOT=folder):
            call_command("collectstatic", interactive=False, verbosity=0)

    return made_once("static", make)
