"""Tables of texts, as pages, reports, figures and terminals take them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from presentation.columns import cell_classes, number_columns


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
        """Of each column whether its cells are set to the right."""
        return number_columns(self.head, self.rows) if self.numeric else [False] * len(self.head)

    @property
    def head_cells(self) -> list[tuple[str, bool]]:
        """The names of the columns, and whether each holds numbers."""
        return list(zip(self.head, self.number_columns, strict=True))

    @property
    def row_cells(self) -> list[list[tuple[str, str]]]:
        """Every row's cells with the classes they are set by."""
        numbers = self.number_columns
        return [
            [(cell, cell_classes(cell, number=number)) for cell, number in zip(row, numbers, strict=True)]
            for row in self.rows
        ]


def terminal_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns of equal width; the first is left-aligned, numbers are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
