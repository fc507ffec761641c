"""Response matrices in files: rows are configurations, columns are items, empty is missing.

CSV       first column the configuration, then one column per item, named in the first line
JSONL     one object per line: "configuration", and a score under each item's name; null or absent is missing

A score is a number from 0 to 1. NaN is refused, because it says that something failed, not that nothing was
asked. Every problem is a sentence with its line. Parquet needs pyarrow, so its reader is given by the caller.
"""

import math
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from formats.csv_rows import NUMBERS, csv_rows, named_columns, not_utf8, score_remedy, strict_number
from formats.files import MEBIBYTE, FileRefused, json_lines
from formats.problems import Problem
from formats.text_faults import id_fault, invisible_fault
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.data.tables import TableRefused

MAX_PROBLEMS = 100
MAX_BYTES = 4096 * MEBIBYTE
CONFIGURATION = "configuration"
Reader = Callable[[Path], ResponseMatrix]  # raises FileRefused or ResponseMatrixRefused


class ResponseMatrixRefused(TableRefused):
    """The file is no response matrix."""


@dataclass
class MatrixBuilder:
    """Collects rows: 12 bytes per response. `problems` ends the reading when there are too many."""

    place: str = "line"
    items: dict[str, int] = field(default_factory=dict)
    configurations: dict[str, int] = field(default_factory=dict)  # name -> line
    columns: "array[int]" = field(default_factory=lambda: array("i"))
    scores: "array[float]" = field(default_factory=lambda: array("d"))
    ends: list[int] = field(default_factory=lambda: [0])
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, line: int, sentence: str) -> None:
        """Line 0 is no line."""
        self.problems.append(Problem(line or None, None, "", sentence, unit=self.place))
        if len(self.problems) >= MAX_PROBLEMS:
            self.problems.append(
                Problem(None, None, "", f"{MAX_PROBLEMS} problems; the rest of the file was not read")
            )
            raise ResponseMatrixRefused(self.problems)

    def name_item(self, name: str, line: int) -> None:
        """Add a column; its name must be one that an item-parameter file can hold."""
        fault = id_fault(name)
        if fault:
            self.refuse(line, f"the item {name[:40]!r}: {fault}")
        if name in self.items:
            self.refuse(line, f"the item {name!r} occurs twice; keep one column")
        self.items.setdefault(name, len(self.items))

    def add(self, line: int, name: str, cells: Iterable[tuple[int, object]]) -> None:
        """Add a row of (column, cell) pairs; None is missing."""
        self._name_row(line, name)
        for column, cell in cells:
            score = _score_of(cell)
            if isinstance(score, str):
                self.refuse(line, f"the score of {list(self.items)[column]!r} {score}")
            elif score is not None:
                self.columns.append(column)
                self.scores.append(score)
        self.ends.append(len(self.scores))

    def add_checked(self, line: int, name: str, columns: list[int], scores: list[float]) -> None:
        """Add a row of scores that are known to be between 0 and 1, ten times as fast."""
        self._name_row(line, name)
        self.columns.extend(columns)
        self.scores.extend(scores)
        self.ends.append(len(self.scores))

    def _name_row(self, line: int, name: str) -> None:
        fault = id_fault(name)
        if not name:
            self.refuse(line, "the configuration has no name; give it one")
        elif fault:
            self.refuse(line, f"the configuration {name[:40]!r}: {fault}")
        elif name in self.configurations:
            first = self.configurations[name]
            self.refuse(line, f"the configuration {name!r} is on {self.place} {first} already; keep one")
        self.configurations.setdefault(name, line)

    def matrix(self) -> ResponseMatrix:
        """What was read, or a refusal with every problem."""
        if not self.problems and not self.configurations:
            self.refuse(0, "the file holds no configuration; write one per line")
        if not self.problems and not self.scores:
            self.refuse(0, "the file holds no score")
        if self.problems:
            raise ResponseMatrixRefused(self.problems)
        entries = np.array(self.scores), np.array(self.columns, dtype=np.int32), np.array(self.ends)
        p = sp.csr_array(entries, shape=(len(self.configurations), len(self.items)))
        return ResponseMatrix(tuple(self.configurations), tuple(self.items), p)


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
            begins, header = next(rows, (1, []))
            items = header[1 : named_columns(header)]
            if not items and not builder.problems:
                remedy = "write the configuration's column and then one per item, comma-separated"
                builder.refuse(begins, f"names no item; {remedy}")
            for name in map(str.strip, items):
                if not id_fault(name) and (fault := invisible_fault(name)):
                    builder.refuse(begins, f"the item {name[:40]!r}: {fault}")
                builder.name_item(name, begins)
            if builder.problems:
                raise ResponseMatrixRefused(builder.problems)
            for line, row in rows:
                if len(builder.items) + 1 < len(row) <= len(header):  # a score in a column without a name
                    builder.name_item("", begins)
                    break
                _csv_row(builder, line, row)
    except UnicodeDecodeError:
        raise ResponseMatrixRefused([not_utf8(path)]) from None
    return builder.matrix()


def _csv_row(builder: MatrixBuilder, line: int, row: list[str]) -> None:
    expected = len(builder.items) + 1
    if len(row) != expected:
        builder.refuse(line, f"has {len(row):,} where the first line has {expected:,} cells")
        return
    name, *cells = row[0].strip(), *row[1:]
    if not id_fault(name) and (fault := invisible_fault(name)):
        builder.refuse(line, f"the configuration {name[:40]!r}: {fault}")
    columns = [column for column, cell in enumerate(cells) if cell]
    filled = [cells[column] for column in columns]
    scores = [math.nan]  # until all of them are read as plain numbers
    with suppress(ValueError):
        if not filled or NUMBERS.fullmatch("".join(filled)):
            scores = list(map(float, filled))
    if all(0 <= score <= 1 for score in scores):  # nothing is wrong with any of them
        builder.add_checked(line, name, columns, scores)
    else:
        builder.add(line, name, enumerate(map(_number_in, cells)))


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


def _score_of(cell: object) -> float | str | None:
    """The score, None where missing, or what is wrong with it, to read on after `the score of ...`."""
    if cell is None:
        return None
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return f"is {str(cell)[:40]!r}; write a number from 0 to 1 with a decimal point, or nothing"
    if isinstance(cell, float) and math.isnan(cell):  # an int may be too large for a float
        return "is NaN; leave the cell empty where there is no score"
    if not 0 <= cell <= 1:
        return f"is {str(cell)[:40]}, outside 0 to 1{score_remedy(cell)}"
    return float(cell)
