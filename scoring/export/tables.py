"""Writes rows as they come to a CSV and a JSONL file, so memory does not grow with their number."""

import csv
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from formats.cells import csv_cell
from scoring.export.manifest import FileEntry
from scoring.export.rows.base import Row


class HashedFile:
    """A new UTF-8 text file that knows its sha256 and how often it was written to."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb")
        self._sha256 = hashlib.sha256()
        self.writes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, text: str) -> None:
        content = text.encode("utf-8")
        self._sha256.update(content)
        self._file.write(content)
        self.writes += 1

    @property
    def sha256(self) -> str:
        return self._sha256.hexdigest()


def write_table(folder: Path, row_type: type[Row], rows: Iterable[Row]) -> tuple[FileEntry, FileEntry]:
    """Write `<table>.csv` and `<table>.jsonl` into `folder`; neither may exist."""
    columns = tuple(row_type.model_fields)
    name = row_type.table
    with HashedFile(folder / f"{name}.csv") as table, HashedFile(folder / f"{name}.jsonl") as lines:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            values = row.model_dump(mode="json")
            writer.writerow(csv_cell(value) for value in values.values())
            lines.write(json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n")
    return (
        FileEntry(name=f"{name}.csv", sha256=table.sha256, rows=lines.writes, columns=columns),
        FileEntry(name=f"{name}.jsonl", sha256=lines.sha256, rows=lines.writes, columns=columns),
    )


def write_text(folder: Path, name: str, text: str) -> FileEntry:
    """Write a file that is no table."""
    with HashedFile(folder / name) as file:
        file.write(text)
    return FileEntry(name=name, sha256=file.sha256, rows=None, columns=None)
