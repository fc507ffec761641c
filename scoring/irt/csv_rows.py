"""What every reader of a CSV table needs: its rows with their lines, and where a file stops being UTF-8."""

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path


def csv_rows(file: Iterable[str], refuse: Callable[[int, str], None]) -> Iterator[tuple[int, list[str]]]:
    """Trimmed cells of every row that holds anything, each with the number of the line it ends on.

    Where the file stops being CSV the rows end, and `refuse` hears the line and what is wrong with it.
    """
    reader = csv.reader(file, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        refuse(reader.line_num, f"not valid CSV ({error}); see that every quotation mark is closed")


def first_undecodable_line(path: Path) -> int:
    """The line of a file that cannot be read as UTF-8."""
    content = path.read_bytes()
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return content[: error.start].count(b"\n") + 1
    return 1
