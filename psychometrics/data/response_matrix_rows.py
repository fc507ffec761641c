"""Rows of a response matrix, collected and checked one after the other."""

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from formats.text_faults import id_fault
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.data.tables import TableRefused

MAX_PROBLEMS = 100


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
    problems: list[str] = field(default_factory=list)

    def refuse(self, line: int, sentence: str) -> None:
        """Line 0 is no line."""
        self.problems.append(f"{self.place} {line}: {sentence}" if line else sentence)
        if len(self.problems) >= MAX_PROBLEMS:
            self.problems.append(f"{MAX_PROBLEMS} problems; the rest of the file was not read")
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
            self.problems.append("the file holds no configuration; write one per line")
        if not self.problems and not self.scores:
            self.problems.append("the file holds no score")
        if self.problems:
            raise ResponseMatrixRefused(self.problems)
        entries = np.array(self.scores), np.array(self.columns, dtype=np.int32), np.array(self.ends)
        p = sp.csr_array(entries, shape=(len(self.configurations), len(self.items)))
        return ResponseMatrix(tuple(self.configurations), tuple(self.items), p)


def _score_of(cell: object) -> float | str | None:
    """The score, None where missing, or what is wrong with it, to read on after `the score of ...`."""
    if cell is None:
        return None
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return f"is {str(cell)[:40]!r}; write a number from 0 to 1 with a decimal point, or nothing"
    if isinstance(cell, float) and math.isnan(cell):  # an int may be too large for a float
        return "is NaN; leave the cell empty where there is no score"
    if not 0 <= cell <= 1:
        remedy = "; divide percentages by 100" if 1 < cell <= 100 else ""
        return f"is {str(cell)[:40]}, outside 0 to 1{remedy}"
    return float(cell)
