"""A grid of cells, the fuller of colour the higher their value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from presentation.drawings.shapes import Box, Drawing, Mark, Text, fitting, rounded, text_width

CELL_HEIGHT, HEAD, WIDEST = 46.0, 26.0, 190.0
PALEST, FULLEST = 0.06, 0.55  # text on the fullest can still be read


@dataclass(frozen=True)
class Cell:
    """A value with the lines that stand in its cell; without a value the cell has no colour."""

    value: float | None
    lines: tuple[str, ...]
    told: str


def heat_grid(
    cells: Sequence[Sequence[Cell]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    width: float,
    limits: tuple[float, float] | None = None,
    across: str = "",
) -> Drawing | None:
    """Cells (rows, columns) under the names of the columns; None where no cell has a value."""
    values = [cell.value for line in cells for cell in line if cell.value is not None]
    if not values:
        return None
    low, high = limits or (min(values), max(values))
    left = min(max(map(text_width, rows)) + 12, 0.34 * width)
    wide = min((width - left) / len(columns), WIDEST)
    top = HEAD + (20 if across else 0)
    marks: list[Mark] = [Text(left, 14, across)] if across else []
    for place, name in enumerate(columns):
        marks.append(
            Text(rounded(left + (place + 0.5) * wide), top - 8, fitting(name, wide - 8), anchor="middle")
        )
    for row, (name, line) in enumerate(zip(rows, cells, strict=True)):
        y = top + row * CELL_HEIGHT
        marks.append(Text(left - 8, y + CELL_HEIGHT / 2 + 4, fitting(name, left - 8), "name", "end"))
        for column, cell in enumerate(line):
            strength = 0.0
            if cell.value is not None:
                share = (cell.value - low) / (high - low) if high > low else 0.5
                strength = round(PALEST + share * (FULLEST - PALEST), 3)
            marks += _cell(cell, rounded(left + column * wide), y, rounded(wide), strength)
    return Drawing(width, top + len(rows) * CELL_HEIGHT + 4, tuple(marks))


def _cell(cell: Cell, x: float, y: float, wide: float, strength: float) -> Iterator[Mark]:
    inner = wide - 3, CELL_HEIGHT - 3
    yield Box(x, y, *inner, "cell-frame", corner=4)
    yield Box(x, y, *inner, "cell", told=cell.told, strength=strength, corner=4)
    middle = y + inner[1] / 2 + 4 - 7.5 * (len(cell.lines) - 1)
    for number, text in enumerate(cell.lines):
        look = "cell-name" if number == 0 else "name"
        yield Text(rounded(x + inner[0] / 2), middle + 15 * number, fitting(text, wide), look, "middle")
