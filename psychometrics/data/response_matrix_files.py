"""Response matrices in files: rows are configurations, columns are items, empty is missing.

CSV       first column the configuration, then one column per item, named in the first line
JSONL     one object per line: "configuration", and a score under each item's name; null or absent is missing

A score is a number from 0 to 1. NaN is refused, because it says that something failed, not that nothing was
asked. Every problem is a sentence with its line. Parquet needs pyarrow, so its reader is given by the caller.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

from formats.csv_rows import NUMBERS, csv_rows, not_utf8, strict_number
from formats.files import MEBIBYTE, FileRefused, json_lines
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.data.response_matrix_rows import MatrixBuilder, ResponseMatrixRefused

MAX_BYTES = 4096 * MEBIBYTE
CONFIGURATION = "configuration"
Reader = Callable[[Path], ResponseMatrix]  # raises FileRefused or ResponseMatrixRefused


def read_response_matrix(path: Path, others: Mapping[str, Reader] | None = None) -> ResponseMatrix:
    """Read a whole file by its ending: .csv, .jsonl, or one of `others`, which have readers of their own.

    Raises ResponseMatrixRefused with every problem.
    """
    readers: dict[str, Reader] = {".csv": _read_csv, ".jsonl": _read_jsonl, **(others or {})}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        *endings, last = readers
        raise ResponseMatrixRefused([f"{path} is none of {', '.join(endings)} and {last}; name the file so"])
    try:
        return reader(path)
    except FileRefused as refused:
        raise ResponseMatrixRefused([str(refused)]) from None
    except OSError as error:
        raise ResponseMatrixRefused([f"cannot read {path}: {error.strerror}; name a readable file"]) from None


def _read_csv(path: Path) -> ResponseMatrix:
    builder = MatrixBuilder()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv_rows(file, builder.refuse)
            _csv_header(builder, next(rows, (1, [])))
            for line, row in rows:
                _csv_row(builder, line, row)
    except UnicodeDecodeError:
        raise ResponseMatrixRefused([not_utf8(path)]) from None
    return builder.matrix()


def _csv_header(builder: MatrixBuilder, header: tuple[int, list[str]]) -> None:
    line, names = header
    if len(names) <= 1 and not builder.problems:
        remedy = "write the configuration's column and then one per item, comma-separated"
        builder.refuse(line, f"names no item; {remedy}")
    for name in names[1:]:
        builder.name_item(name.strip(), line)
    if builder.problems:
        raise ResponseMatrixRefused(builder.problems)


def _csv_row(builder: MatrixBuilder, line: int, row: list[str]) -> None:
    expected = len(builder.items) + 1
    if len(row) != expected:
        builder.refuse(line, f"has {len(row)} cells where the first line has {expected}")
        return
    cells = row[1:]
    columns = [column for column, cell in enumerate(cells) if cell]
    scores = _plain_scores([cells[column] for column in columns])
    if scores is None:
        builder.add(line, row[0].strip(), enumerate(map(_number_in, cells)))
    else:
        builder.add_checked(line, row[0].strip(), columns, scores)


def _plain_scores(cells: list[str]) -> list[float] | None:
    """The scores of filled cells if nothing is wrong with any of them."""
    if cells and not NUMBERS.fullmatch("".join(cells)):
        return None
    try:
        scores = list(map(float, cells))
    except ValueError:
        return None
    return scores if all(0 <= score <= 1 for score in scores) else None


def _number_in(cell: str) -> float | str | None:
    """None for an empty cell; the text itself where it is no number."""
    if not cell:
        return None
    number = math.nan if cell.strip().casefold() == "nan" else strict_number(cell)
    return cell if number is None else number


def _read_jsonl(path: Path) -> ResponseMatrix:
    builder = MatrixBuilder()
    for line in json_lines(path, max_bytes=MAX_BYTES):
        if line.value is None:
            builder.refuse(0, str(line.problem))
            continue
        name = line.value.pop(CONFIGURATION, None)
        if not isinstance(name, str):
            builder.refuse(line.number, f'there is no text under "{CONFIGURATION}"; name the configuration')
            continue
        for item in line.value:
            if item not in builder.items:
                builder.name_item(item, line.number)
        cells = ((builder.items[item], score) for item, score in line.value.items())
        builder.add(line.number, name.strip(), cells)
    return builder.matrix()
