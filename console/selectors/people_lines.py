"""What the file of people says of each, read for many of them at once and nothing beside it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from django.db.models import Count, Q

from batches.models import Answer
from console.selectors.people import INVITATION, PERSON, Row
from studies.models import Invitation, Participant

PLATFORM = ("platform_participant", "platform_study", "platform_session")


class FilePerson(NamedTuple):
    """A participant; `platform` are the ids of `batches.selectors.payments.platform_cells`."""

    address: str
    is_test: bool
    reason: str
    replaced_by: str | None
    platform: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class FileLine:
    """A row with its person, None of an invitation; `asked` questions are nought before the start."""

    row: Row
    person: FilePerson | None
    is_test: bool
    answered: int = 0
    asked: int = 0


def file_lines(rows: Iterable[Row], *, at_once: int) -> Iterator[FileLine]:
    """The rows in their order; three queries for so many of them. Whoever is gone meanwhile is left out."""
    left = iter(rows)
    while stretch := list(islice(left, at_once)):
        keys = [row.key for row in stretch if row.kind == PERSON]
        numbers = [row.key for row in stretch if row.kind == INVITATION]
        people, counts = (_people(keys), _counts(keys)) if keys else ({}, {})
        invited = _invited(numbers) if numbers else {}
        for row in stretch:
            if row.kind == PERSON and (person := people.get(row.key)):
                yield FileLine(row, person, person.is_test, *counts.get(row.key, (0, 0)))
            elif row.kind == INVITATION and row.key in invited:
                yield FileLine(row, None, invited[row.key])


def _people(keys: list[int]) -> Mapping[int, FilePerson]:
    platform = (f"platform_entry__{name}" for name in PLATFORM)
    rows = Participant.objects.filter(pk__in=keys).values_list(
        "pk", "user__email", "is_test", "vetting_reason", "replaced_by__code", *platform
    )
    return {
        key: FilePerson(address, is_test, reason, successor, tuple(ids))
        for key, address, is_test, reason, successor, *ids in rows
    }


def _counts(keys: list[int]) -> Mapping[int, tuple[int, int]]:
    """How many questions each has answered, of how many; who has not started is missing."""
    answers = Answer.objects.filter(session__participant__in=keys).order_by()
    counted = answers.values("session__participant").annotate(
        answered=Count("pk", filter=Q(has_text=True)), asked=Count("pk")
    )
    return {
        key: (answered, asked)
        for key, answered, asked in counted.values_list("session__participant", "answered", "asked")
    }


def _invited(numbers: list[int]) -> Mapping[int, bool]:
    """Whether each invites a test person."""
    return dict(Invitation.objects.filter(pk__in=numbers).values_list("pk", "is_test"))
