"""Rows of a Parquet file. Apart, because importing pyarrow takes a third of a second."""

from collections.abc import Collection, Iterator
from pathlib import Path

from formats.files import read_content
from formats.parquet_files import read_table


def parquet_rows(
    path: Path, *, columns: Collection[str], required: Collection[str], max_bytes: int, file: str
) -> Iterator[tuple[int, dict[str, object]]]:
    """Row number (from 1) and the wanted columns the file has. Other columns are not even read.

    Raises FileRefused for a file that is no Parquet, too large, or lacks a required column.
    """
    content = read_content(path, max_bytes=max_bytes, file=file)
    rows = read_table(content, file=file, columns=columns, required=required).to_pylist()
    yield from enumerate(rows, start=1)
