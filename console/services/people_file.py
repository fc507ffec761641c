"""The list of people as a file."""

from collections.abc import Iterator
from datetime import datetime

from console.selectors.people import PeopleFilter, each_row
from console.selectors.people_lines import FileLine, file_lines
from formats.cells import csv_cell
from studies.models import Study

COLUMNS = (
    "code", "address", "profile", "state", "is_test", "at", "answered", "asked", "reason", "replaced_by",
    "platform_participant", "platform_study", "platform_session",
)  # fmt: skip
ROWS_AT_ONCE = 2000


def people_file(*, study: Study, wanted: PeopleFilter, now: datetime) -> Iterator[list[str]]:
    """The rows under the filter, the columns first, safe to open in a spreadsheet program."""
    yield list(COLUMNS)
    rows = each_row(study, wanted, now, at_once=ROWS_AT_ONCE)
    for line in file_lines(rows, at_once=ROWS_AT_ONCE):
        yield [csv_cell(value) for value in _cells(line)]


def _cells(line: FileLine) -> tuple[str | int | bool | None, ...]:
    row, person = line.row, line.person
    told = (row.profile, row.state, line.is_test, row.moment.isoformat())
    if person is None:
        return (None, row.name, *told, *[None] * 7)
    counts = (line.answered, line.asked) if line.asked else (None, None)
    return (row.name, person.address, *told, *counts, person.reason, person.replaced_by, *person.platform)
