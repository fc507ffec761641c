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


def read_response_matrix(path: Path) -> ResponseMatrix:
    """Read a whole file by its ending (.csv, .jsonl or .parquet); raises ResponseMatrixRefused."""
    return response_matrix_files.read_response_matrix(path, {".parquet": _read_parquet})


def _read_parquet(path: Path) -> ResponseMatrix:
    """Raises FileRefused for a file that is no Parquet, or no table of scores; ResponseMatrixRefused for its
    rows.
    """
    content = read_content(path, max_bytes=MAX_BYTES, file=str(path))
    table, types = read_table(content, file=str(path)), pyarrow.types
    items, kinds = table.schema.names[1:], table.schema.types
    first = kinds[0] if kinds else pyarrow.null()
    if types.is_dictionary(first):  # texts that repeat themselves
        first = first.value_type
    if not (types.is_string(first) or types.is_large_string(first)):
        message = "the first column must hold the configurations' names as text"
        raise FileRefused(message, file=str(path))
    for item, kind in zip(items, kinds[1:], strict=True):
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind)):
            message = f"holds {kind}, but scores are numbers; convert or leave out the column"
            raise FileRefused(message, field=item, file=str(path))
    builder = MatrixBuilder(place="row")
    for item in items:
        builder.name_item(item, 0)
    if builder.problems:
        raise ResponseMatrixRefused(builder.problems)
    names, *scores = (column.to_pylist() for column in table.columns)
    for row, name in enumerate(names):
        builder.add(row + 1, str(name or "").strip(), enumerate(column[row] for column in scores))
    return builder.matrix()
