"""A CSV table of scores, read into groups of prompt-response pairs.

Columns `prompt_id`, `score` and optionally `group`, in any order; others are ignored. One row is one
response. An empty or NaN score is missing. Without a group column every row belongs to one group.
"""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from formats.csv_rows import csv_rows, first_undecodable_line, strict_number
from psychometrics.irt.transform import Array

MISSING = ("", "NaN", "nan")  # some programs write a missing score so
REQUIRED = ("prompt_id", "score")
ONLY_GROUP = "all"
UNKNOWN = -1
MAX_PROBLEMS = 1_000


class ScoreTableRefused(ValueError):
    """The table cannot be scored; carries every problem found, each a sentence with its line."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass
class GroupScores:
    """The pairs of one group in file order, 12 bytes each: a table may hold millions."""

    items: "array[int]" = field(default_factory=lambda: array("i"))
    scores: "array[float]" = field(default_factory=lambda: array("d"))

    @property
    def prompt_index(self) -> NDArray[np.int64]:
        """Bank position of each pair's prompt, (n,); UNKNOWN where the bank does not hold it."""
        return np.array(self.items, dtype=np.int64)

    @property
    def p(self) -> Array:
        """Score of each pair, (n,); NaN where missing."""
        return np.array(self.scores, dtype=np.float64)


@dataclass
class ScoreTable:
    """Groups in order of first appearance, and what of the file takes no part in them."""

    groups: dict[str, GroupScores] = field(default_factory=dict)
    unknown_rows: int = 0
    unknown_ids: set[str] = field(default_factory=set)
    ignored_columns: tuple[str, ...] = ()

    def add(self, group: str, prompt_id: str, score: float, index: Mapping[str, int]) -> None:
        pairs = self.groups.setdefault(group, GroupScores())
        pairs.items.append(index.get(prompt_id, UNKNOWN))
        pairs.scores.append(score)
        if prompt_id not in index:
            self.unknown_rows += 1
            self.unknown_ids.add(prompt_id)


def read_score_table(path: Path, index: Mapping[str, int]) -> ScoreTable:
    """Read a whole table; `index` gives the bank position of each known prompt id.

    Raises ScoreTableRefused with all its problems (after MAX_PROBLEMS the reading stops).
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read_rows(file, index)
    except OSError as error:
        raise ScoreTableRefused([f"cannot read {path}: {error.strerror}; name a readable CSV file"]) from None
    except UnicodeDecodeError:
        line = first_undecodable_line(path)
        raise ScoreTableRefused([f"line {line}: not UTF-8; save the file as UTF-8"]) from None


def _read_rows(file: Iterable[str], index: Mapping[str, int]) -> ScoreTable:
    problems: list[str] = []
    table = ScoreTable()
    rows = csv_rows(file, lambda line, sentence: problems.append(f"line {line}: {sentence}"))
    header = [name.strip() for name in next(rows, (0, []))[1]]
    problems += [] if problems else header_problems(header, REQUIRED)
    if problems:
        raise ScoreTableRefused(problems)
    table.ignored_columns = tuple(name for name in header if name not in ("prompt_id", "score", "group"))
    for line, row in rows:
        problem = _add_row(table, header, row, index)
        if problem:
            problems.append(f"line {line}: {problem}")
        if len(problems) >= MAX_PROBLEMS:
            problems.append(f"more than {MAX_PROBLEMS} problems; the rest of the file was not read")
            break
    if not table.groups and not problems:
        problems.append("the file holds no scores; write one line per response")
    if problems:
        raise ScoreTableRefused(problems)
    return table


def header_problems(header: list[str], required: Sequence[str]) -> list[str]:
    """What is wrong with the names of the columns, each a sentence."""
    if not header:
        *names, last = required
        return [f"the file is empty; the first line must name the columns {', '.join(names)} and {last}"]
    missing = [
        f"line 1: there is no column {name!r}; name it in the first line (comma-separated)"
        for name in required
        if name not in header
    ]
    named = {name for name in header if name}
    return missing + [
        f"line 1: the column {name!r} occurs twice; keep one"
        for name in sorted(named)
        if header.count(name) > 1
    ]


def _add_row(table: ScoreTable, header: list[str], row: list[str], index: Mapping[str, int]) -> str | None:
    """Add one row to the table, or return what is wrong with it."""
    if len(row) != len(header):
        return f"has {len(row)} cells where the header has {len(header)}"
    cells = dict(zip(header, row, strict=True))
    score = score_in(cells["score"])
    if isinstance(score, str):
        return score
    prompt_id = cells["prompt_id"].strip()
    if not prompt_id:
        return "the prompt_id is empty"
    group = cells.get("group", ONLY_GROUP).strip()
    if not group:
        return "the group is empty; name one or leave the whole column out"
    table.add(group, prompt_id, score, index)
    return None


def score_in(cell: str) -> float | str:
    """The score, NaN where missing, or the sentence that refuses it."""
    if cell in MISSING:
        return math.nan
    score = strict_number(cell)
    if score is None:
        return f"the score {cell[:40]!r} is not a number; write 0 to 1 with a decimal point, or nothing"
    if not 0 <= score <= 1:
        remedy = "; divide percentages by 100" if 1 < score <= 100 else ""
        return f"the score {cell[:40]} is outside 0 to 1{remedy}"
    return score
