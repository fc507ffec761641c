"""The one reader of tables that people make in a spreadsheet program: people, payers' files, rated sheets.

The first line names the columns, in any order and case; cells are parted by commas, semicolons or tabs, and
trimmed. Columns without a name are read over while they are empty. A line `sep=;` before the first says what
parts cells. Everything that is wrong is a problem with its line. A line whose cells do not fit the columns is
no row; any other is one, without its invisible characters where those are a problem, so that what is wrong
with its further cells can be told, too.
"""

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from formats.file_kinds import CSV, kind_fault
from formats.problems import Problem
from formats.text_faults import NUL, invisible_fault, without_invisible

# The library's bound holds for all threads of the process: it is set once, and the usual one is kept here.
CELL_CHARACTERS = csv.field_size_limit(64 * 1024 * 1024)
DELIMITERS = ",;\t"
_DELIMITER_LINE = re.compile(r'"?sep=([,;\t])"?[,;\t]*', re.IGNORECASE)  # Excel's own way to say it
NOT_UTF_8 = "is not UTF-8; save the file as UTF-8"
_DECIMALS = re.compile(r"[0-9]{1,9}")
Line = tuple[int, list[str]]


@dataclass(frozen=True)
class CsvTable:
    """`rows` are the line on which each begins and its cells by column, "" where it ends before."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[int, dict[str, str]], ...] = ()
    problems: tuple[Problem, ...] = ()
    delimiter: str = ","

    def decimals_beside(self, cells: Mapping[str, str], column: str) -> str:
        """What may be the decimals of a whole number and fell into the next column, as 12,50 does where
        commas part cells; "" where nothing is.
        """
        if self.delimiter != "," or not cells.get(column, "").isdecimal():
            return ""
        beside = "".join(cells[name] for name in self.columns[self.columns.index(column) + 1 :][:1])
        return beside if _DECIMALS.fullmatch(beside) else ""


def read_csv_table(
    content: bytes,
    *,
    required: Sequence[str],
    codes: Collection[str],
    known: Collection[str] | None = None,
    without_header: Sequence[str] = (),
    long_cells: bool = False,
) -> CsvTable:
    """The table with all of its problems.

    `codes` are the columns of codes, numbers and addresses, in which characters that nobody sees are named.
    Columns that are not `known` (None: any is) are refused. A first line without the first column that is
    `required` is a row of the columns `without_header`, if there are some. `long_cells`: a cell may hold a
    whole answer.
    """
    if fault := kind_fault(content, CSV):
        return CsvTable(problems=(Problem(None, None, "", fault),))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return CsvTable(problems=(Problem(line, None, "", NOT_UTF_8),))
    problems: list[Problem] = []
    delimiter, lines_of_it = _delimiter(text)
    most = None if long_cells else CELL_CHARACTERS
    lines = list(_lines(text, delimiter, problems, most))[lines_of_it:]
    columns = [cell.lower() for cell in lines[0][1]] if lines else []
    if without_header and lines and required[0] not in columns:
        columns = list(without_header)
    elif lines:
        faults = list(_header_problems(lines.pop(0)[0], columns, required, codes, known))
        problems, lines = [*faults, *problems], [] if faults else lines
    elif not problems:
        first = ",".join(required)
        problems.append(Problem(None, None, "", f"the file is empty; begin it with the line {first}"))
    rows = []
    for number, cells in lines:
        row_problems = list(_row_problems(number, cells, columns, codes))
        problems += row_problems
        if len(cells) <= len(columns):
            filled = [
                *(map(without_invisible, cells) if row_problems else cells),
                *[""] * (len(columns) - len(cells)),
            ]
            rows.append((number, {name: filled[place] for place, name in enumerate(columns) if name}))
    return CsvTable(tuple(filter(None, columns)), tuple(rows), tuple(problems), delimiter)


def _delimiter(text: str) -> tuple[str, int]:
    """What parts the cells, and how many lines say so alone."""
    first = re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    if delimiter_line := _DELIMITER_LINE.fullmatch(first):
        return delimiter_line[1], 1
    return max(DELIMITERS, key=first.count), 0


def _lines(text: str, delimiter: str, problems: list[Problem], most: int | None) -> Iterator[Line]:
    """Where each line that holds anything begins, and its trimmed cells of at most so many characters."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            if most and max(map(len, cells), default=0) > most:
                raise csv.Error(f"field larger than field limit ({most})")
            trimmed = [cell.strip() for cell in cells]
            if any(trimmed):
                yield begins, trimmed
            begins = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(begins, None, "", f"is no CSV ({error}); export the file again"))


def _header_problems(
    line: int,
    columns: Sequence[str],
    required: Sequence[str],
    codes: Collection[str],
    known: Collection[str] | None,
) -> Iterator[Problem]:
    named = [name for name in columns if name]
    unknown = [name for name in named if known is not None and name not in known]
    times = Counter(name for name in named if name in (known or codes))
    twice = sorted(name for name, number in times.items() if number > 1)
    message, field = "", ""
    if fault := next(filter(None, map(invisible_fault, named)), None):
        message = fault
    elif missing := [name for name in required if name not in columns]:
        message = f"missing columns: {', '.join(missing)}; begin the file with {','.join(required)}"
    elif known is not None and (unknown or twice):
        message = f"the columns must be some of {', '.join(known)}, each once"
        field = ", ".join(unknown)
    elif twice:
        message = f"columns that are there twice: {', '.join(twice)}; keep one"
    if message:
        yield Problem(line, None, field, message)


def _row_problems(
    line: int, cells: Sequence[str], columns: Sequence[str], codes: Collection[str]
) -> Iterator[Problem]:
    if len(cells) > len(columns):
        message = (
            f"has {len(cells):,} cells for {len(columns):,} columns; put cells with a delimiter in quotes"
        )
        yield Problem(line, None, "", message)
        return
    for place, (name, cell) in enumerate(zip(columns, cells, strict=False), start=1):
        if cell and not name:
            message = "has no name in the first line; give it one, or empty the column"
            yield Problem(line, None, f"column {place}", message)
        elif "\0" in cell:
            yield Problem(line, None, name, NUL)
        elif name in codes and (fault := invisible_fault(cell)):
            yield Problem(line, None, name, fault)
