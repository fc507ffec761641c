"""Response matrices in Parquet: the first column names the configuration, each other one is an item.

Scores are numbers from 0 to 1; null is missing, NaN is refused. Problems name their row, from 1.
"""

from pathlib import Path

import pyarrow

from formats.files import FileRefused, read_content
from formats.parquet_files import read_table
from psychometrics.data import response_matrix_files
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.data.response_matrix_files import MAX_BYTES, MatrixBuilder, ResponseMatrixRefused

Column = tuple[str, list[object]]


def read_response_matrix(path: Path) -> ResponseMatrix:
    """Read a whole file by its ending (.csv, .jsonl or .parquet); raises ResponseMatrixRefused."""
    return response_matrix_files.read_response_matrix(path, {".parquet": _read_parquet})


def _read_parquet(path: Path) -> ResponseMatrix:
    """Raises FileRefused for a file that is no table of scores, ResponseMatrixRefused for its rows."""
    names, columns = _parquet_columns(path, max_bytes=MAX_BYTES)
    builder = MatrixBuilder(place="row")
    for item, _ in columns:
        builder.name_item(item, 0)
    if builder.problems:
        raise ResponseMatrixRefused(builder.problems)
    for row, name in enumerate(names):
        builder.add(row + 1, str(name or "").strip(), enumerate(scores[row] for _, scores in columns))
    return builder.matrix()


def _parquet_columns(path: Path, *, max_bytes: int) -> tuple[list[object], list[Column]]:
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
