"""Inviting the people of a file: all of them, or nobody where anything is wrong."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from studies.models import Invitation, Study, User
from studies.services.people.invitations import invitation_create, require_inviting
from studies.services.people.participants import EmailInvalid, ProfileUnknown, normal_email, require_profile
from studies.services.people.people_import import (
    EMAILS_PER_QUERY,
    PeopleProblem,
    PeopleReading,
    PeopleRefused,
    PersonRow,
    repeated_lines,
)
from studies.services.studies import study_lock


@dataclass(frozen=True)
class InvitationImport:
    """What came of a file: invitations made now, those of the file still to send, people left as they are."""

    made: int
    to_send: tuple[Invitation, ...]
    unchanged: int


class InvitationsRefused(PeopleRefused):
    """Nobody was invited; carries every problem of the file."""

    outcome = "Nobody was invited"


@transaction.atomic
def invitations_import(
    *, study: Study, reading: PeopleReading, now: datetime, actor: User | None = None
) -> InvitationImport:
    """An invitation for everyone who has none and is not in the study. Sends nothing.

    Raises InvitationsRefused with all problems, or StudyClosed.
    """
    study = study_lock(study)
    require_inviting(study)
    problems = [*reading.problems, *repeated_lines(reading.rows)]
    for row in reading.rows:
        problems += _row_problems(study, row)
    if problems:
        raise InvitationsRefused(problems)
    emails = [normal_email(row.email) for row in reading.rows]
    known = _known(study, emails)
    new = [row for row, email in zip(reading.rows, emails, strict=True) if email not in known]
    for row in new:
        invitation_create(
            study=study, email=row.email, profile=row.profile, is_test=row.is_test, now=now, actor=actor
        )
    return InvitationImport(len(new), tuple(_to_send(study, emails)), len(emails) - len(new))


def _row_problems(study: Study, row: PersonRow) -> list[PeopleProblem]:
    problems = []
    try:
        normal_email(row.email)
    except EmailInvalid as refusal:
        problems.append(PeopleProblem(row.line, "email", str(refusal)))
    try:
        require_profile(study, row.profile)
    except ProfileUnknown as refusal:
        problems.append(PeopleProblem(row.line, "profile", str(refusal)))
    if row.status:
        message = "is not decided by an invitation; leave this column out"
        problems.append(PeopleProblem(row.line, "status", message))
    return problems


def _known(study: Study, emails: list[str]) -> set[str]:
    """Which of the addresses are in the study or invited to it."""
    known: set[str] = set()
    for start in range(0, len(emails), EMAILS_PER_QUERY):
        some = emails[start : start + EMAILS_PER_QUERY]
        invited = study.invitations.filter(email__in=some, revoked_at=None)
        known.update(invited.values_list("email", flat=True))
        present = study.participants.filter(user__email__in=some)
        known.update(present.values_list("user__email", flat=True))
    return known


def _to_send(study: Study, emails: list[str]) -> list[Invitation]:
    found: list[Invitation] = []
    unsent = Q(sent_at=None, accepted_at=None, revoked_at=None)
    for start in range(0, len(emails), EMAILS_PER_QUERY):
        some = study.invitations.filter(unsent, email__in=emails[start : start + EMAILS_PER_QUERY])
        found += some.select_related("study").order_by("id")
    return found
