"""How the columns of a table are set: numbers to the right, and what belongs together on one line."""

import re
from collections.abc import Sequence

ABSENT = "–"  # stands where there is no number
NUMBER = re.compile(r"[<>≤≥±+−-]? ?\d")
UNBROKEN = 26  # characters of a cell that stay on one line, such as a number with its interval


def number_columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Of each column whether it holds numbers, as half of its cells do that say anything; never the first."""
    return [place > 0 and _holds_numbers([row[place] for row in rows]) for place in range(len(head))]


def cell_classes(text: str, *, number: bool) -> str:
    """The classes of a cell in HTML: `numeric`, and `unbroken`, or `words` for one that needs room."""
    return " ".join(["numeric"] * number + ["unbroken" if len(text) <= UNBROKEN else "words"])


def _holds_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell not in ("", ABSENT)]
    return 2 * sum(1 for cell in filled if NUMBER.match(cell)) >= len(filled)
