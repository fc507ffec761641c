"""The list of people as a file. It has addresses, so the trail says who took it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from batches.selectors.payments import platform_cells
from console.selectors.people import PeopleFilter, Row, people_rows
from console.selectors.people_facts import RowFacts, rows_with_facts
from formats.cells import csv_cell
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record

COLUMNS = (
    "code", "address", "profile", "state", "is_test", "at", "answered", "asked", "reason", "replaced_by",
    "platform_participant", "platform_study", "platform_session",
)  # fmt: skip
ROWS_PER_QUERY = 500


def people_file(*, study: Study, wanted: PeopleFilter, actor: User, now: datetime) -> list[list[str]]:
    """The rows under the filter, the columns first, safe to open in a spreadsheet program."""
    rows = people_rows(study, wanted, now)
    lines = [[csv_cell(value) for value in _cells(facts)] for facts in _facts(study, rows, now)]
    event_record(study, StudyEventKind.PEOPLE_LISTED, now, actor=actor, number=len(lines))
    return [list(COLUMNS), *lines]


def _facts(study: Study, rows: Sequence[Row], now: datetime) -> Iterator[RowFacts]:
    for start in range(0, len(rows), ROWS_PER_QUERY):
        yield from rows_with_facts(study, rows[start : start + ROWS_PER_QUERY], now)


def _cells(facts: RowFacts) -> tuple[str | int | bool | None, ...]:
    row, person, invitation = facts.row, facts.participant, facts.invitation
    if person is None:
        return (
            None, row.name, row.profile, row.state, bool(invitation and invitation.is_test),
            row.moment.isoformat(), *[None] * 7,
        )  # fmt: skip
    counts = (facts.answered, facts.asked) if facts.asked else (None, None)
    successor = person.replaced_by.code if person.replaced_by else None
    return (
        person.code, person.user.email, row.profile, row.state, person.is_test, row.moment.isoformat(),
        *counts, person.vetting_reason or None, successor, *platform_cells(person),
    )  # fmt: skip
