"""The list of people as a file, read for many of them at once and nothing beside it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from django.db.models import Count, Q

from batches.models import Answer
from console.selectors.people import INVITATION, PERSON, PeopleFilter, Row, each_row
from formats.cells import csv_cell
from studies.models import Invitation, Participant, Study

PLATFORM = ("platform_participant", "platform_study", "platform_session")
COLUMNS = (
    "code", "address", "profile", "state", "is_test", "at", "answered", "asked", "reason", "replaced_by",
    "platform_participant", "platform_study", "platform_session",
)  # fmt: skip
ROWS_AT_ONCE = 2000


class FilePerson(NamedTuple):
    """A participant; `platform` are the ids of `batches.selectors.payments.platform_cells`."""

    address: str
    is_test: bool
    reason: str
    replaced_by: str | None
    platform: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class FileLine:
    """A row with its person, None of an invitation; `questions` are nought before the start."""

    row: Row
    person: FilePerson | None
    is_test: bool
    answered: int = 0
    questions: int = 0


def people_file(*, study: Study, wanted: PeopleFilter, now: datetime) -> Iterator[list[str]]:
    """The rows under the filter, the columns first, safe to open in a spreadsheet program."""
    yield list(COLUMNS)
    for line in _lines(each_row(study, wanted, now, at_once=ROWS_AT_ONCE)):
        row, person = line.row, line.person
        facts = (row.profile, row.state, line.is_test, row.moment.isoformat())
        cells: tuple[str | int | bool | None, ...] = (None, row.name, *facts, *[None] * 7)
        if person is not None:
            counts = (line.answered, line.questions) if line.questions else (None, None)
            of_person = (person.reason, person.replaced_by, *person.platform)
            cells = (row.name, person.address, *facts, *counts, *of_person)
        yield [csv_cell(value) for value in cells]


def _lines(rows: Iterable[Row]) -> Iterator[FileLine]:
    """The rows in their order; three queries for so many of them. Whoever is gone meanwhile is left out."""
    left = iter(rows)
    while stretch := list(islice(left, ROWS_AT_ONCE)):
        keys = [row.key for row in stretch if row.kind == PERSON]
        numbers = [row.key for row in stretch if row.kind == INVITATION]
        platform = (f"platform_entry__{name}" for name in PLATFORM)
        people = {
            key: FilePerson(address, is_test, reason, successor, tuple(ids))
            for key, address, is_test, reason, successor, *ids in Participant.objects.filter(
                pk__in=keys
            ).values_list("pk", "user__email", "is_test", "vetting_reason", "replaced_by__code", *platform)
        }
        # How many questions each has answered, of how many; who has not started is missing.
        answers = Answer.objects.filter(session__participant__in=keys).order_by()
        counted = answers.values("session__participant").annotate(
            answered=Count("pk", filter=Q(has_text=True)), number=Count("pk")
        )
        counts = {
            key: (answered, number)
            for key, answered, number in counted.values_list("session__participant", "answered", "number")
        }
        # Whether each invites a test person; without numbers no query is made.
        invited = dict(Invitation.objects.filter(pk__in=numbers).values_list("pk", "is_test"))
        for row in stretch:
            if row.kind == PERSON and (person := people.get(row.key)):
                yield FileLine(row, person, person.is_test, *counts.get(row.key, (0, 0)))
            elif row.kind == INVITATION and row.key in invited:
                yield FileLine(row, None, invited[row.key])
