"""Tables of texts, as pages, reports, figures and terminals take them; numbers are set to the right."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from formats.cells import defused
from formats.codes import number_asked
from presentation.drawings.shapes import Drawing
from presentation.drawings.sure import Reach, shared_axis, sure

T = TypeVar("T")
ABSENT = "–"  # stands where there is no number
NUMBER = re.compile(r"[<>≤≥±+−-]? ?\d")
UNBROKEN = 26  # characters of a cell that stay on one line, such as a number with its interval


class Interval(str):
    """A cell that tells of an interval, with where it lies: pages draw it beside its words."""

    reach: Reach

    def __new__(cls, text: str, reach: Reach) -> "Interval":
        cell = super().__new__(cls, text)
        cell.reach = reach
        return cell


class Numeral(str):
    """A cell that is a number as the reader's language writes it, or tells of one before all else; `value` is
    that number. `plain` is how files for programs have a cell that is nothing but a number.
    """

    value: float
    plain: str

    def __new__(cls, text: str, value: float = 0.0, plain: str = "") -> "Numeral":
        cell = super().__new__(cls, text)
        cell.value = value
        cell.plain = plain
        return cell


def led(text: str, number: str) -> str:
    """The text of a cell, which is sorted by this number in it."""
    return Numeral(text, number.value) if isinstance(number, Numeral) else text


class Named(str):
    """A cell that calls something by its plain name; `code` is what files call it, for a tooltip."""

    code: str

    def __new__(cls, text: str, code: str) -> "Named":
        cell = super().__new__(cls, text)
        cell.code = code
        return cell

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # copies keep the code
        return str(self), self.code


class Sourced(str):
    """A cell with where it comes from: a report has that as a footnote."""

    source: str

    def __new__(cls, text: str, source: str) -> "Sourced":
        cell = super().__new__(cls, text)
        cell.source = source
        return cell


class Dash(str):
    """A dash in place of a number; `why` says why there is none, for a table that leaves its line out."""

    why: str

    def __new__(cls, why: object) -> "Dash":
        cell = super().__new__(cls, ABSENT)
        cell.why = str(why)
        return cell


class Exact(Named):
    """A cell in plain words; `code` is the exact term for them, which a page lists as well."""


class PlainWord(Exact):
    """The word of pages and reports for an exact term, which files have in its place."""


@dataclass(frozen=True)
class Term:
    """The same as the head of a column, in the reader's language once the table is made."""

    plain: object
    exact: object

    def __str__(self) -> str:
        return str(self.plain)


@dataclass(frozen=True)
class DrawnCell:
    """A cell as pages show it: its classes, its interval drawn if it has one, the code it stands for."""

    text: str
    classes: str
    drawing: Drawing | None = None
    code: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of texts under a head; the first cell of a row names it. `notes` stand below.

    `about_people` marks a table whose rows are about single people: the site shows it, no report does.
    `numeric` says whether columns but the first may hold numbers, which are set to the right.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    about_people: bool = False
    numeric: bool = True

    @property
    def number_columns(self) -> list[bool]:
        """Of each column whether it holds numbers, as half of its cells do that say anything."""
        if not self.numeric:
            return [False] * len(self.head)
        columns = [False]  # the names of rows
        for place in range(1, len(self.head)):
            filled = [row[place] for row in self.rows if row[place] not in ("", ABSENT)]
            numbers = sum(1 for cell in filled if NUMBER.match(cell))
            columns.append(2 * numbers >= len(filled))
        return columns

    @property
    def head_cells(self) -> list[tuple[str, bool]]:
        """The names of the columns, and whether each holds numbers."""
        return list(zip(self.head, self.number_columns, strict=True))

    @property
    def row_cells(self) -> list[list[tuple[str, str]]]:
        """Every row's cells with the classes they are set by: `numeric`, and `unbroken`, or `words` for one
        that needs room.
        """
        numbers = self.number_columns
        rows = []
        for row in self.rows:
            cells = []
            for cell, number in zip(row, numbers, strict=True):
                room = "unbroken" if len(cell) <= UNBROKEN else "words"
                cells.append((cell, f"numeric {room}" if number else room))
            rows.append(cells)
        return rows

    def sorted(self, sort: str) -> "Table":
        """The rows by the column of this number, from 1; with a "-" downwards. Anything else: as it is. What
        is absent stands last.
        """
        number = number_asked(sort.removeprefix("-"))
        if number is None or not 1 <= number <= len(self.head):
            return self
        numeric = self.number_columns[number - 1]

        def key(row: Sequence[str]) -> tuple[float, str]:
            cell = row[number - 1]
            if isinstance(cell, Interval):
                return cell.reach.value, ""
            return cell.value if numeric and isinstance(cell, Numeral) else 0.0, cell.casefold()

        there = [row for row in self.rows if row[number - 1] not in ("", ABSENT)]
        absent = [row for row in self.rows if row[number - 1] in ("", ABSENT)]
        return replace(self, rows=[*sorted(there, key=key, reverse=sort.startswith("-")), *absent])

    def lines(self) -> Iterator[list[str]]:
        """Head and rows as cells of a file: exact terms, numbers as programs know them, no formulas."""
        for row in (self.head, *self.rows):
            yield [
                getattr(cell, "plain", "") or defused(cell.code if isinstance(cell, PlainWord) else cell)
                for cell in row
            ]

    @property
    def drawn_rows(self) -> list[list[DrawnCell]]:
        """Every row's cells with their intervals, those of a column on one axis."""
        columns = []
        for place in range(len(self.head)):
            column = [row[place] for row in self.rows]
            reaches = [cell.reach if isinstance(cell, Interval) else None for cell in column]
            there = [reach for reach in reaches if reach is not None]
            # A single interval has nothing to be compared with and stays in words.
            scale = shared_axis(there) if len(there) > 1 else None
            columns.append([sure(reach, scale) if reach and scale else None for reach in reaches])
        return [
            [
                DrawnCell(
                    cell,
                    classes,
                    columns[place][number],
                    "" if isinstance(cell, PlainWord) else getattr(cell, "code", ""),
                )
                for place, (cell, classes) in enumerate(cells)
            ]
            for number, (row, cells) in enumerate(zip(self.rows, self.row_cells, strict=True))
        ]


def table_of(
    caption: object,
    lines: Iterable[T],
    columns: Sequence[tuple[object, Callable[[T], object]]],
    notes: Iterable[object] = (),
    *,
    about_people: bool = False,
    numeric: bool = True,
) -> Table:
    """A row for each line. A column has a head and the text of its cell in a line; texts may be lazy."""
    return Table(
        caption=str(caption),
        head=[_text(head) for head, _cell in columns],
        rows=[[_text(cell(line)) for _head, cell in columns] for line in lines],
        notes=[str(note) for note in notes],
        about_people=about_people,
        numeric=numeric,
    )


def _text(cell: object) -> str:
    """A cell as a text; one that carries more than its words keeps it."""
    if isinstance(cell, Term):
        return PlainWord(str(cell.plain), str(cell.exact))
    return cell if isinstance(cell, str) else str(cell)


def terminal_table(lines: Iterable[T], columns: Sequence[tuple[str, Callable[[T], str]]]) -> Iterator[str]:
    """The same columns for a terminal, under their heads."""
    table = table_of("", lines, columns)
    return terminal_lines([table.head, *table.rows])


def terminal_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns of equal width; the first is left-aligned, numbers are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
