"""What every reader of a CSV table needs: rows with their lines, strict numbers, where UTF-8 ends."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from formats.file_kinds import CSV, kind_fault

# What no number has, and `float` reads over: 1_0 as 10, digits of other scripts, "inf". Spreadsheets write
# blanks around decimals; powers of ten come from programs, which write none.
DECIMALS = re.compile(r"[0-9.+-]+", re.ASCII)
MISSING_CODES = frozenset({-1, -9, -99, -999, -9999, 9, 99, 999, 9999})
NUMBERS = re.compile(r"[0-9.eE+-]+", re.ASCII)


def strict_number(text: str) -> float | None:
    """The number that a text is, in ASCII digits with a decimal point and nothing else, or None."""
    try:
        return float(text) if NUMBERS.fullmatch(text) or DECIMALS.fullmatch(text.strip()) else None
    except ValueError:
        return None


def score_remedy(number: float) -> str:
    """What to do about a number that is no score from 0 to 1, after a semicolon; "" where nobody can tell.

    Other programs write codes of nines and of one below zero for what is missing, and nobody should make
    0.09 of them.
    """
    if number in MISSING_CODES:
        return f"; if {number:g} stands for missing, leave the cell empty"
    return "; divide percentages by 100" if 1 < number <= 100 else ""


def csv_rows(file: Iterable[str], refuse: Callable[[int, str], None]) -> Iterator[tuple[int, list[str]]]:
    """The cells of every row that holds anything, each with the number of the line it ends on. A cell of
    blanks is empty; others are as they stand. Columns at the end that have no name in the first row, which is
    given whole, are left out of rows in which they are empty.

    Where the file stops being CSV the rows end, and `refuse` hears the line and what is wrong with it.
    """
    reader = csv.reader(file, strict=True)
    named, width = 0, -1
    try:
        for row in reader:
            cells = [cell if cell.strip() else "" for cell in row]
            if not any(cells):
                continue
            if width < 0:
                width, named = len(cells), named_columns(cells)
            elif len(cells) <= width and not any(cells[named:]):
                del cells[named:]
            yield reader.line_num, cells
    except csv.Error as error:
        refuse(reader.line_num, f"not valid CSV ({error}); see that every quotation mark is closed")


def named_columns(header: Sequence[str]) -> int:
    """How many columns there are up to the last that has a name."""
    return max((place for place, cell in enumerate(header, start=1) if cell.strip()), default=0)


def not_utf8(path: Path) -> str:
    """What is wrong with a file that cannot be read as UTF-8: what it is, or the line."""
    content, line = path.read_bytes(), 1
    if fault := kind_fault(content, CSV):
        return fault
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += content.count(b"\n", 0, error.start)
    return f"line {line}: not UTF-8; save the file as UTF-8"
