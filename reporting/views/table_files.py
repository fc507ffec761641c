"""Tables of a page as CSV: the same rows, in the reader's language, with formulas defused."""

import csv
import re
from io import StringIO

from django.http import HttpResponse

from formats.cells import defused
from presentation.tables import Table

BELOW_NOUGHT = re.compile(r"−[\d.,]+")


def table_response(table: Table, name: str) -> HttpResponse:
    """The table as a file of this name."""
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow([defused(cell) for cell in table.head])
    writer.writerows([_cell(cell) for cell in row] for row in table.rows)
    return HttpResponse(
        "\ufeff" + file.getvalue(),  # spreadsheet programs take a file without the mark for another encoding
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def _cell(text: str) -> str:
    """A number below nought with the sign by which programs know one; any other text defused."""
    return text.replace("−", "-") if BELOW_NOUGHT.fullmatch(text) else defused(text)
