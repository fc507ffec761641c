"""CSV files of pages: the one place through which a list leaves, so that the trail of its study says so."""

from collections.abc import Iterable, Sequence
from tempfile import SpooledTemporaryFile

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase

from formats.cells import BYTE_ORDER_MARK, sheet_line
from formats.problems import one_line
from studies.models import Study
from studies.services.clock import server_now
from studies.services.events import StudyEventKind, event_record
from studies.views.access import signed_in

IN_MEMORY = 1024 * 1024
TYPE = "text/csv; charset=utf-8"
NO_FILTER = ("format", "page")
# May name somebody, whom nobody could erase from the trail: that something was searched for is enough.
WORDS = "q"


def csv_file(
    request: HttpRequest,
    name: str,
    rows: Iterable[Sequence[str]],
    *,
    study: Study | None = None,
    kind: StudyEventKind = StudyEventKind.LIST_TAKEN,
) -> HttpResponseBase:
    """The list under this name, its columns first, with cells as `formats.cells.csv_cell` makes them.

    Of a list of a study it is recorded who takes how many rows under which filter, once the file is whole and
    before it leaves. Asking for its head alone takes nothing.
    """
    filename = f"{study.slug}-{name}.csv" if study else f"{name}.csv"
    if request.method == "HEAD":
        return HttpResponse(content_type=TYPE)
    file = SpooledTemporaryFile(IN_MEMORY, "w+b")  # noqa: SIM115  # the response closes it
    file.write(BYTE_ORDER_MARK.encode())
    number = -1  # the columns are no row
    for row in rows:
        file.write(sheet_line(row).encode())
        number += 1
    if study is not None:
        actor, asked = signed_in(request), _filter(request)
        event_record(study, kind, server_now(), actor=actor, list=name, filter=asked, number=number)
    size = file.tell()
    file.seek(0)
    if size > IN_MEMORY:
        return FileResponse(file, as_attachment=True, filename=filename, content_type=TYPE)
    with file:
        return HttpResponse(
            file.read(),
            content_type=TYPE,
            headers={"Content-Disposition": f'attachment; filename="{filename}"'},
        )


def _filter(request: HttpRequest) -> str:
    asked = {name: "…" if name == WORDS else value for name, value in request.GET.items() if value}
    return one_line(", ".join(f"{name}={value}" for name, value in asked.items() if name not in NO_FILTER))
