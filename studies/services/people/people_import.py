"""Adding the people of a file: all of them, or nobody where anything is wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from studies.models import Participant, Study, User, VettingStatus
from studies.services.people.participants import (
    EmailInvalid,
    NewPerson,
    ProfileUnknown,
    normal_email,
    participants_add,
    require_profile,
)
from studies.services.refusals import Refused
from studies.services.studies import study_lock

STATUSES = (VettingStatus.SUBMITTED.value, VettingStatus.APPROVED.value)
EMAILS_PER_QUERY = 500


@dataclass(frozen=True)
class PersonRow:
    """One line of a file of people. A blank `status` means submitted; it counts for new people only."""

    line: int
    email: str
    profile: str
    status: str = ""
    is_test: bool = False


@dataclass(frozen=True)
class PeopleProblem:
    """Something wrong with one line; `line` is None for the file as a whole."""

    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        place = ", ".join(part for part in (f"line {self.line}" if self.line else "", self.field) if part)
        return f"{place}: {self.message}" if place else self.message


@dataclass(frozen=True)
class PeopleReading:
    """What a file said, and what could not be read in it."""

    rows: tuple[PersonRow, ...]
    problems: tuple[PeopleProblem, ...]


@dataclass(frozen=True)
class PeopleImport:
    """Who was added, and how many were in the study already, unchanged."""

    added: tuple[Participant, ...]
    unchanged: int


class PeopleRefused(Refused):
    """Nobody was added; carries every problem of the file."""

    outcome = "Nobody was added"

    def __init__(self, problems: Iterable[PeopleProblem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        lines = [str(problem) for problem in self.problems]
        super().__init__("\n".join([f"{self.outcome}; problems found: {len(lines)}", *lines]))


@transaction.atomic
def participants_import(
    *, study: Study, reading: PeopleReading, now: datetime, actor: User | None = None
) -> PeopleImport:
    """Add everyone who is new. Raises PeopleRefused with all problems, or StudyClosed.

    People who are in the study stay as they are, decisions on them included.
    """
    study = study_lock(study)
    present = _profiles_in_study(study, [row.email.strip().lower() for row in reading.rows])
    problems = [*reading.problems, *repeated_lines(reading.rows)]
    for row in reading.rows:
        problems += _row_problems(study, row, present)
    if problems:
        raise PeopleRefused(problems)
    people = [_new_person(row) for row in reading.rows if normal_email(row.email) not in present]
    added = participants_add(study=study, people=people, now=now, actor=actor) if people else []
    return PeopleImport(tuple(added), unchanged=len(reading.rows) - len(people))


def _profiles_in_study(study: Study, emails: list[str]) -> dict[str, str]:
    present: dict[str, str] = {}
    for start in range(0, len(emails), EMAILS_PER_QUERY):
        known = study.participants.filter(user__email__in=emails[start : start + EMAILS_PER_QUERY])
        present |= dict(known.values_list("user__email", "profile"))
    return present


def repeated_lines(rows: Iterable[PersonRow]) -> list[PeopleProblem]:
    """A problem for every line that names an address once more."""
    first: dict[str, int] = {}
    problems = []
    for row in rows:
        line = first.setdefault(row.email.strip().lower(), row.line)
        if line != row.line:
            problems.append(PeopleProblem(row.line, "email", f"is the address of line {line}; keep one line"))
    return problems


def _row_problems(study: Study, row: PersonRow, present: dict[str, str]) -> list[PeopleProblem]:
    problems = []
    try:
        require_profile(study, row.profile)
    except ProfileUnknown as refusal:
        problems.append(PeopleProblem(row.line, "profile", str(refusal)))
    try:
        profile = present.get(normal_email(row.email), row.profile)
    except EmailInvalid as refusal:
        problems.append(PeopleProblem(row.line, "email", str(refusal)))
    else:
        if profile != row.profile:
            message = f'is "{row.profile}", but the person is in the study as "{profile}"; correct the line'
            problems.append(PeopleProblem(row.line, "profile", message))
    if row.status and row.status not in STATUSES:
        message = f'is "{row.status}"; write submitted or approved, or leave it blank'
        problems.append(PeopleProblem(row.line, "status", message))
    return problems


def _new_person(row: PersonRow) -> NewPerson:
    approved = row.status == VettingStatus.APPROVED
    return NewPerson(email=row.email, profile=row.profile, approved=approved, is_test=row.is_test)
