"""Tables of a page as CSV: the same rows, in the reader's language, with formulas defused."""

import re

from django.http import HttpRequest, HttpResponseBase
from django.utils.formats import get_format

from formats.cells import defused
from presentation.tables import Table
from studies.models import Study
from studies.views.csv_files import csv_file


def table_response(request: HttpRequest, study: Study, table: Table, name: str) -> HttpResponseBase:
    """The table as a file of this name."""
    rows = [[defused(cell) for cell in table.head], *([_cell(cell) for cell in row] for row in table.rows)]
    return csv_file(request, name, rows, study=study)


def _cell(text: str) -> str:
    """A number as programs know one, below nought by their sign and its thousands together; text defused."""
    apart, point = (re.escape(get_format(name)) for name in ("THOUSAND_SEPARATOR", "DECIMAL_SEPARATOR"))
    if re.fullmatch(rf"−?\d+(?:{apart}\d{{3}})*(?:{point}\d+)?", text):
        return text.replace("−", "-").replace(get_format("THOUSAND_SEPARATOR"), "")
    return defused(text)
