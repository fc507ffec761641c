"""What every reader of a CSV table needs: rows with their lines, strict numbers, where UTF-8 ends."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from pathlib import Path

# What no number has, and `float` reads over: 1_0 as 10, digits of other scripts, "inf". Spreadsheets write
# blanks around decimals; powers of ten come from programs, which write none.
DECIMALS = re.compile(r"[0-9.+-]+", re.ASCII)
DELIMITERS = ",;\t"
NUMBERS = re.compile(r"[0-9.eE+-]+", re.ASCII)


def strict_number(text: str) -> float | None:
    """The number that a text is, in ASCII digits with a decimal point and nothing else, or None."""
    try:
        return float(text) if NUMBERS.fullmatch(text) or DECIMALS.fullmatch(text.strip()) else None
    except ValueError:
        return None


def csv_rows(file: Iterable[str], refuse: Callable[[int, str], None]) -> Iterator[tuple[int, list[str]]]:
    """The cells of every row that holds anything, each with the number of the line it ends on. A cell of
    blanks is empty; others are as they stand.

    Where the file stops being CSV the rows end, and `refuse` hears the line and what is wrong with it.
    """
    reader = csv.reader(file, strict=True)
    try:
        for row in reader:
            cells = [cell if cell.strip() else "" for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        refuse(reader.line_num, f"not valid CSV ({error}); see that every quotation mark is closed")


def sheet_rows(text: str, refuse: Callable[[int, str], None]) -> Iterator[tuple[int, list[str]]]:
    """The same of what a spreadsheet program saves: cells are parted by the mark that the first line has most
    of, and each row has the number of the line it begins on. Rows of blanks are left out.
    """
    header = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        refuse(reader.line_num, str(error))


def not_utf8(path: Path) -> str:
    """What is wrong with a file that cannot be read as UTF-8, with the line."""
    content, line = path.read_bytes(), 1
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += content.count(b"\n", 0, error.start)
    return f"line {line}: not UTF-8; save the file as UTF-8"
