"""Exports for the short script, what it says of them, and cells changed in them."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

from formats.item_parameters import ItemParameter, ItemParameters
from scoring.export import independent
from scoring.services.exports import study_export
from studies.models import Study

NAMES = [f"q{n:02d}" for n in range(1, 13)]
PARAMETERS = ItemParameters(
    tuple(ItemParameter(name, a=0.6 + n / 10, b=n / 4 - 1.3) for n, name in enumerate(NAMES[:-1])),
    squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5,
)  # fmt: skip
Change = Callable[[Path], None]


def exported(study: Study, folder: Path, now: datetime) -> Path:
    study_export(
        study=study, target=folder, replace=False, software="chiron test", now=now + timedelta(days=3)
    )
    return folder


def run_script(folder: Path) -> tuple[int, str]:
    """As a reader runs it: from elsewhere, isolated from everything of ours."""
    command = [sys.executable, "-I", str(folder / "independent.py"), str(folder)]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def independently_computed(folder: Path) -> tuple[int, str]:
    """The same in this process, where warnings are errors; a start of Python takes longer than it."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = independent.main([str(folder)])
    assert not err.getvalue()
    return code, out.getvalue()


def agreeing(said: str) -> dict[str, int]:
    """How many numbers agree, by quantity; nothing differs."""
    heads = [line for line in said.splitlines() if line.endswith(" differ")]
    assert heads, said
    assert all(line.endswith(" 0 differ") for line in heads), said
    return {head.rpartition(": ")[0]: int(head.rpartition(": ")[2].split()[0]) for head in heads}


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def put(folder: Path, table: str, rows: list[dict[str, Any]]) -> None:
    """Write a table and its hash, as somebody would who does not want to be noticed."""
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / f"{table}.jsonl").write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text())
    entry = next(one for one in manifest["files"] if one["name"] == f"{table}.jsonl")
    entry |= {"sha256": hashlib.sha256(content).hexdigest(), "rows": len(rows)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def cell(table: str, column: str, value: object, **where: object) -> Change:
    """Change a cell of the first row that is like this."""

    def change(folder: Path) -> None:
        rows = rows_of(folder, table)
        row = next(one for one in rows if where.items() <= one.items() and one[column] is not None)
        row[column] = value
        put(folder, table, rows)

    return change
