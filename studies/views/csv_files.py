"""CSV files that are sent while their rows are read, so that a file of any length takes the same memory."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from django.http import StreamingHttpResponse

CHARACTERS_AT_ONCE = 64_000


def csv_file(name: str, rows: Iterable[Sequence[str]]) -> StreamingHttpResponse:
    """The rows under this name; their cells are as `formats.cells` makes them."""
    response = StreamingHttpResponse(_pieces(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _pieces(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        if file.tell() >= CHARACTERS_AT_ONCE:
            yield file.getvalue()
            file.seek(0)
            file.truncate()
    yield file.getvalue()
