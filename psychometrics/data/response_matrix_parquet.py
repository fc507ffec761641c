"""The columns of a Parquet response matrix. Apart, because pyarrow is slow to import and knows no types."""

from pathlib import Path

import pyarrow

from formats.files import FileRefused, read_content
from formats.parquet_files import read_table

Column = tuple[str, list[object]]


def parquet_columns(path: Path, *, max_bytes: int) -> tuple[list[object], list[Column]]:
    """The first column's values, and name and values of every other column; null is None.

    Raises FileRefused for a file that is no Parquet, or for columns that hold neither names nor numbers.
    """
    content = read_content(path, max_bytes=max_bytes, file=str(path))
    table = read_table(content, file=str(path))
    first, *others = table.schema or [None]
    if first is None or not _is_text(first.type):
        message = "the first column must hold the configurations' names as text"
        raise FileRefused(message, file=str(path))
    for column in others:
        if not _is_number(column.type):
            message = f"holds {column.type}, but scores are numbers; convert or leave out the column"
            raise FileRefused(message, field=column.name, file=str(path))
    values = [column.to_pylist() for column in table.columns]
    return values[0], list(zip(table.schema.names[1:], values[1:], strict=True))


def _is_text(kind: pyarrow.DataType) -> bool:
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def _is_number(kind: pyarrow.DataType) -> bool:
    types = pyarrow.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind))
