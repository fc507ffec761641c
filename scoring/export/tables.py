"""Writes rows as they come to a CSV and a JSONL file, so memory does not grow with their number."""

import hashlib
from collections.abc import Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import get_origin

from formats.cells import compact_json, csv_cell, csv_line, csv_record
from scoring.export.manifest import FileEntry
from scoring.export.rows.base import Row

ROWS_AT_ONCE = 500


class HashedFile:
    """A new file, of UTF-8 if it is text, that knows its sha256."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb")
        self._sha256 = hashlib.sha256()

    def close(self) -> None:
        self._file.close()

    def write(self, text: str) -> None:
        self.write_bytes(text.encode("utf-8"))

    def write_bytes(self, content: bytes) -> None:
        self._sha256.update(content)
        self._file.write(content)

    @property
    def sha256(self) -> str:
        return self._sha256.hexdigest()


def write_table(folder: Path, row_type: type[Row], rows: Iterable[Row]) -> tuple[FileEntry, FileEntry]:
    """Write `<table>.csv` and `<table>.jsonl` into `folder`; neither may exist."""
    columns = tuple(row_type.model_fields)
    objects = [name for name, field in row_type.model_fields.items() if get_origin(field.annotation) is dict]
    name = row_type.table
    with (
        closing(HashedFile(folder / f"{name}.csv")) as table,
        closing(HashedFile(folder / f"{name}.jsonl")) as lines,
    ):
        table.write(csv_line(columns))
        number, left = 0, iter(rows)
        while some := list(islice(left, ROWS_AT_ONCE)):
            number += len(some)
            # Of millions of rows none is first turned into what JSON has for its values.
            table.write("".join([csv_record(row.__dict__.values()) for row in some]))
            if not objects:
                lines.write_bytes(
                    b"".join([row.__pydantic_serializer__.to_json(row) + b"\n" for row in some])
                )
                continue
            # Objects as JSON text: their facts differ from row to row, and readers want one type of a column.
            records = [row.model_dump(mode="json") for row in some]
            for values in records:
                values.update((column, csv_cell(values[column])) for column in objects)
            lines.write("".join([compact_json(values) + "\n" for values in records]))
    return (
        FileEntry(name=f"{name}.csv", sha256=table.sha256, rows=number, columns=columns),
        FileEntry(name=f"{name}.jsonl", sha256=lines.sha256, rows=number, columns=columns),
    )


def write_text(folder: Path, name: str, text: str) -> FileEntry:
    """Write a text that is no table."""
    return write_bytes(folder, name, text.encode("utf-8"))


def write_bytes(folder: Path, name: str, content: bytes) -> FileEntry:
    """Write a file that is no table."""
    with closing(HashedFile(folder / name)) as file:
        file.write_bytes(content)
    return FileEntry(name=name, sha256=file.sha256, rows=None, columns=None)
