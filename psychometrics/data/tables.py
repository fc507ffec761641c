"""CSV tables of scores, read row by row with everything that is wrong with them, each a sentence.

The first line names the columns, in any order; a reader says which it needs and ignores others.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from formats.csv_rows import csv_rows, named_columns, not_utf8, score_remedy, strict_number
from formats.problems import Problem, grouped
from formats.text_faults import invisible_fault

MISSING = ("", "NaN", "nan")  # some programs write a missing score so
MAX_PROBLEMS = 1_000


class TableRefused(ValueError):
    """A table that cannot be used; carries every problem found, each a sentence; `str()` tells those of a
    kind as one.
    """

    def __init__(self, problems: Iterable[str | Problem]) -> None:
        found = [
            problem if isinstance(problem, Problem) else Problem(None, None, "", problem)
            for problem in problems
        ]
        self.problems = tuple(map(str, found))
        super().__init__("\n".join(map(str, grouped(found))))


def read_table(
    path: Path,
    required: Sequence[str],
    add: Callable[[Mapping[str, str]], str | None],
    refused: type[TableRefused],
) -> list[str]:
    """Give the cells of each row by their columns to `add`, which says what is wrong; the columns' names.

    Raises `refused` with all problems of the file (after MAX_PROBLEMS the reading stops).
    """
    problems: list[Problem] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = _read_rows(file, required, add, problems)
    except OSError as error:
        raise refused([f"cannot read {path}: {error.strerror}; name a readable CSV file"]) from None
    except UnicodeDecodeError:
        raise refused([not_utf8(path)]) from None
    if problems:
        raise refused(problems)
    return header


def score_in(cell: str) -> float | str:
    """The score, NaN where missing, or the sentence that refuses it."""
    if cell in MISSING:
        return math.nan
    score = strict_number(cell)
    if score is None:
        return f"the score {cell[:40]!r} is not a number; write 0 to 1 with a decimal point, or nothing"
    if not 0 <= score <= 1:
        return f"the score {cell[:40]} is outside 0 to 1{score_remedy(score)}"
    return score


def _read_rows(
    file: Iterable[str],
    required: Sequence[str],
    add: Callable[[Mapping[str, str]], str | None],
    problems: list[Problem],
) -> list[str]:
    rows = csv_rows(file, lambda line, sentence: problems.append(Problem(line, None, "", sentence)))
    header = [name.strip() for name in next(rows, (0, []))[1]]
    del header[named_columns(header) :]
    problems += [] if problems else _header_problems(header, required)
    if problems:
        return header
    for line, row in rows:
        if len(row) == len(header):
            problem = add(dict(zip(header, row, strict=True)))
        else:
            problem = f"has {len(row):,} where the header has {len(header):,} cells"
        if problem:
            problems.append(Problem(line, None, "", problem))
        if len(problems) >= MAX_PROBLEMS:
            sentence = f"more than {MAX_PROBLEMS} problems; the rest of the file was not read"
            problems.append(Problem(None, None, "", sentence))
            break
    return header


def _header_problems(header: list[str], required: Sequence[str]) -> list[Problem]:
    if not header:
        *names, last = required
        sentence = f"the file is empty; the first line must name the columns {', '.join(names)} and {last}"
        return [Problem(None, None, "", sentence)]
    missing = [
        f"there is no column {name!r}; name it in the first line (comma-separated)"
        for name in required
        if name not in header
    ]
    twice = [
        f"the column {name!r} occurs twice; keep one"
        for name in sorted(set(filter(None, header)))
        if header.count(name) > 1
    ]
    unseen = filter(None, map(invisible_fault, header))
    return [Problem(1, None, "", sentence) for sentence in (*unseen, *missing, *twice)]
