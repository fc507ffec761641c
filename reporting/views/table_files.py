"""Tables of a page as CSV: the same rows, in the reader's language, with formulas defused."""

import re

from django.http import HttpRequest, HttpResponseBase

from formats.cells import defused
from presentation.tables import Table
from studies.models import Study
from studies.views.csv_files import csv_file

BELOW_NOUGHT = re.compile(r"−[\d.,]+")


def table_response(request: HttpRequest, study: Study, table: Table, name: str) -> HttpResponseBase:
    """The table as a file of this name."""
    rows = [[defused(cell) for cell in table.head], *([_cell(cell) for cell in row] for row in table.rows)]
    return csv_file(request, name, rows, study=study)


def _cell(text: str) -> str:
    """A number below nought with the sign by which programs know one; any other text defused."""
    return text.replace("−", "-") if BELOW_NOUGHT.fullmatch(text) else defused(text)
