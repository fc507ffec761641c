"""Rows of a Parquet file. Apart, because importing pyarrow takes a third of a second."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet

from studies.bank.files import FileRefused, read_content


def parquet_rows(
    path: Path, *, columns: Collection[str], required: Collection[str], max_bytes: int, file: str
) -> Iterator[tuple[int, dict[str, object]]]:
    """Row number (from 1) and the wanted columns the file has. Other columns are not even read.

    Raises FileRefused for a file that is no Parquet, too large, or lacks a required column.
    """
    content = read_content(path, max_bytes=max_bytes, file=file)
    try:
        parquet = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        present = [name for name in parquet.schema_arrow.names if name in columns]
        for name in required:
            if name not in present:
                raise FileRefused("is no column of the file; is it the right file?", field=name, file=file)
        rows = parquet.read(columns=present).to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:  # OSError: damaged pages
        reason = str(error).splitlines()[0]
        raise FileRefused(f"cannot be read as Parquet ({reason}); get the file again", file=file) from None
    yield from enumerate(rows, start=1)
