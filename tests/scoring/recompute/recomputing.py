"""Exports for the script that ships in them, and what it says of its numbers."""

import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

from scoring.services.audits import audits_compute
from scoring.services.exports import study_export
from studies.bank.records import PromptRecord
from studies.models import Study

NAMES = [f"p{n:02d}" for n in range(1, 13)]


def prompt(n: int, *, split: str = "public", task: str = "") -> PromptRecord:
    return PromptRecord(
        prompt_id=f"p{n:02d}", text=f"Question {n}?", gold_answer=str(n), category=("QR", "LR")[n % 2],
        labels=("long",) if n % 3 else (), split=split, task=task,
    )  # fmt: skip


def exported(study: Study, folder: Path, now: datetime) -> Path:
    later = now + timedelta(days=3)
    audits_compute(study=study, now=now)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=later)
    return folder


def run_script(folder: Path) -> tuple[int, str]:
    """As a reader runs it: from elsewhere, isolated from everything of ours."""
    command = [sys.executable, "-I", str(folder / "recompute.py")]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def assert_agree(said: str, *names: str) -> None:
    """Of each of these names some numbers were computed, and all of them agree."""
    lines = {line[29:].removeprefix("measures: "): line.split()[:3] for line in said.splitlines()}
    for name in names:
        agree, differ, _ = map(int, lines[name])
        assert agree, name
        assert not differ, name


def assert_complete(said: str) -> None:
    """Nothing is left that the script does not compute."""
    numbers = [line.split(maxsplit=3) for line in said.splitlines() if line[:8].strip().isdigit()]
    assert not [one for one in numbers if len(one) == 4 and one[2].isdigit() and one[2] != "0"], said
