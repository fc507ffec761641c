"""CSV files of pages: the one place through which a list leaves, so that the trail of its study says so."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase

from formats.cells import BYTE_ORDER_MARK, sheet_line
from formats.problems import one_line
from presentation.provided import provided
from studies.models import Study, User
from studies.services.clock import server_now
from studies.services.events import StudyEventKind, event_record
from studies.views.access import signed_in

IN_MEMORY = 1024 * 1024
TYPE = "text/csv; charset=utf-8"
NO_FILTER = ("format", "page")
# Some of a second of a processor. What is longer is no work for a thread that answers people.
ROWS_AT_ONCE = 5_000
ROWS_SAID = 500
# May name somebody, whom nobody could erase from the trail: that something was searched for is enough.
WORDS = "q"


@dataclass
class ListFile:
    """Where a job wants the list, and what is known of it once it is whole. `said` hears how far it is."""

    path: Path
    said: Callable[[int, int], None]
    facts: dict[str, Any] = field(default_factory=dict)


def csv_file(
    request: HttpRequest,
    name: str,
    rows: Iterable[Sequence[str]],
    *,
    study: Study | None = None,
    kind: StudyEventKind = StudyEventKind.LIST_TAKEN,
    count: Callable[[], int] = lambda: 0,
) -> HttpResponseBase:
    """The list under this name, its columns first, with cells as `formats.cells.csv_cell` makes them.

    Of a list of a study it is recorded who takes how many rows under which filter, once the file is whole and
    before it leaves. Asking for its head alone takes nothing. One of more than ROWS_AT_ONCE rows is written
    by a job, to which this leads; `count` is how many there are about.
    """
    filename = f"{study.slug}-{name}.csv" if study else f"{name}.csv"
    if request.method == "HEAD":
        return HttpResponse(content_type=TYPE)
    facts: dict[str, Any] = {"kind": kind.value, "list": name, "filter": _filter(request)}
    of_job: ListFile | None = getattr(request, "list_file", None)
    of = count() if of_job else 0
    file: Any = of_job.path.open("wb") if of_job else SpooledTemporaryFile(IN_MEMORY, "w+b")  # noqa: SIM115
    file.write(BYTE_ORDER_MARK.encode())
    number = -1  # the columns are no row
    for row in rows:
        if of_job is not None and number % ROWS_SAID == 0:
            of_job.said(number, max(of, number + 1))
        elif number == ROWS_AT_ONCE and of_job is None and (elsewhere := _handed_over(request, study)):
            file.close()
            return elsewhere
        file.write(sheet_line(row).encode())
        number += 1
    facts |= {"number": number, "filename": filename}
    if of_job is not None:
        file.close()
        of_job.facts |= facts
        return HttpResponse(content_type=TYPE)
    if study is not None:
        list_taken(study, signed_in(request), facts)
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


def list_taken(study: Study, actor: User, facts: Mapping[str, Any]) -> None:
    """Record who takes which list."""
    details = {name: facts[name] for name in ("list", "filter", "number")}
    event_record(study, StudyEventKind(facts["kind"]), server_now(), actor=actor, **details)


def _handed_over(request: HttpRequest, study: Study | None) -> HttpResponseBase | None:
    if study is None:
        return None
    response: HttpResponseBase | None = provided("long_list", request, study)
    return response


def _filter(request: HttpRequest) -> str:
    parameters = {name: "…" if name == WORDS else value for name, value in request.GET.items() if value}
    return one_line(
        ", ".join(f"{name}={value}" for name, value in parameters.items() if name not in NO_FILTER)
    )
