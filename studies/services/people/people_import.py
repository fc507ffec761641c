"""Adding or inviting the people of a file: all of them, or nobody where anything is wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _, gettext_noop

from formats.codes import code_named
from formats.problems import Problem, grouped
from presentation.numbers import counted
from presentation.problems import told
from studies.models import Invitation, Participant, Study, User, VettingStatus
from studies.services.database import one_of_many_writes, slices
from studies.services.people.invitations import invitations_create, require_inviting
from studies.services.people.participants import (
    EMAILS_PER_QUERY,
    EmailInvalid,
    NewPerson,
    ProfileUnknown,
    normal_email,
    participants_add,
    people_present,
    require_profile,
    require_real,
)
from studies.services.refusals import Refused
from studies.services.studies import study_lock

NAME_CHARACTERS = 100
STATUSES = (VettingStatus.SUBMITTED.value, VettingStatus.APPROVED.value)


@dataclass(frozen=True)
class PersonRow:
    """One line of a file of people. A blank `status` means submitted; it counts for new people only.

    `language` is that of an invitation's mail, blank for the site's; `name` whom the mail addresses.
    """

    line: int
    email: str
    profile: str
    status: str = ""
    is_test: bool = False
    language: str = ""
    name: str = ""


@dataclass(frozen=True)
class PeopleReading:
    """What a file said, and what is wrong with its form: what is blank in `rows` is among that."""

    rows: tuple[PersonRow, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class PeopleImport:
    """Who was added, and how many were in the study already, unchanged."""

    added: tuple[Participant, ...]
    unchanged: int


@dataclass(frozen=True)
class InvitationImport:
    """What came of a file: invitations made now, those of the file still to send, people left as they are."""

    made: int
    to_send: tuple[Invitation, ...]
    unchanged: int


@dataclass(frozen=True)
class InvitationPlan:
    """What inviting the people of a file would do: who is new, and the addresses of those left as they are.

    `invited` have an invitation, `present` are in the study.
    """

    new: tuple[PersonRow, ...]
    invited: tuple[str, ...]
    present: tuple[str, ...]


class PeopleRefused(Refused):
    """Nobody was added; carries every problem of the file."""

    outcome = gettext_noop("Nobody was added")

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        number = len(self.problems)
        first = _("{outcome}; problems found: {number}").format(
            outcome=_(self.outcome), number=counted(number)
        )
        super().__init__("\n".join([first, *map(str, grouped(self.problems))]))


class InvitationsRefused(PeopleRefused):
    """Nobody was invited; carries every problem of the file."""

    outcome = gettext_noop("Nobody was invited")


def participants_import(
    *, study: Study, reading: PeopleReading, now: datetime, actor: User | None = None
) -> PeopleImport:
    """Add everyone who is new. Raises PeopleRefused with all problems, StudySimulated, or as
    `participants_add`.

    People who are in the study stay as they are, decisions on them included.
    """
    require_real(study)
    reading = _with_codes(study, reading)
    present = people_present(study, [row.email.strip().lower() for row in reading.rows])
    problems = [*reading.problems, *_repeated_lines(reading.rows), *_team_lines(study, reading.rows)]
    slugs = frozenset(profile.slug for profile in study.protocol.profiles)
    for row in reading.rows:
        problems += _person_problems(study, row, present, is_known=row.profile in slugs)
    if problems:
        raise PeopleRefused(problems)
    people = [
        NewPerson(row.email, row.profile, row.status == VettingStatus.APPROVED, row.is_test)
        for row in reading.rows
        if normal_email(row.email) not in present
    ]
    added = participants_add(study=study, people=people, now=now, actor=actor) if people else []
    return PeopleImport(tuple(added), unchanged=len(reading.rows) - len(people))


def invitations_import(
    *, study: Study, reading: PeopleReading, now: datetime, actor: User | None = None
) -> InvitationImport:
    """An invitation for everyone who has none and is not in the study. Sends nothing.

    Raises InvitationsRefused with all problems, or StudyClosed.
    """
    plan = invitations_plan(study=study, reading=reading)
    with one_of_many_writes():
        study = study_lock(study)
        require_inviting(study)
        # Others may have invited or added some of them since the plan was made.
        there = set[str]().union(*_known(study, [normal_email(row.email) for row in plan.new]))
        new = [row for row in plan.new if normal_email(row.email) not in there] if there else plan.new
        invitations_create(study=study, people=new, now=now, actor=actor)
    to_send: list[Invitation] = []
    unsent = study.invitations.filter(sent_at=None, accepted_at=None, revoked_at=None)
    for some in slices([normal_email(row.email) for row in reading.rows], EMAILS_PER_QUERY):
        to_send += unsent.filter(email__in=some).select_related("study").order_by("id")
    return InvitationImport(len(new), tuple(to_send), len(reading.rows) - len(new))


def invitations_plan(*, study: Study, reading: PeopleReading) -> InvitationPlan:
    """What `invitations_import` would do; changes nothing. Raises as it does."""
    require_inviting(study)
    reading = _with_codes(study, reading)
    problems = [*reading.problems, *_repeated_lines(reading.rows), *_team_lines(study, reading.rows)]
    slugs = frozenset(profile.slug for profile in study.protocol.profiles)
    for row in reading.rows:
        # The study's settings are read once, not for every line.
        problems += _invitation_problems(study, row, is_known=row.profile in slugs)
    if problems:
        raise InvitationsRefused(problems)
    emails = [normal_email(row.email) for row in reading.rows]
    invited, present = _known(study, emails)
    pairs = zip(reading.rows, emails, strict=True)
    new = tuple(row for row, email in pairs if email not in invited and email not in present)
    return InvitationPlan(new, tuple(sorted(invited - present)), tuple(sorted(present)))


def _known(study: Study, emails: Sequence[str]) -> tuple[set[str], set[str]]:
    """Who of these addresses has an invitation, and who is in the study."""
    invited: set[str] = set()
    for some in slices(emails, EMAILS_PER_QUERY):
        unrevoked = study.invitations.filter(email__in=some, revoked_at=None)
        invited.update(unrevoked.values_list("email", flat=True))
    return invited, set(people_present(study, emails))


def _with_codes(study: Study, reading: PeopleReading) -> PeopleReading:
    """The same people, whose profiles, statuses and languages may have been named as pages name them."""
    profiles = {profile.slug: profile.name for profile in study.protocol.profiles}
    statuses = {status: str(VettingStatus(status).label) for status in STATUSES}
    languages = {code: str(name) for code, name in settings.LANGUAGES}
    rows = (
        replace(
            row,
            profile=code_named(row.profile, profiles) or row.profile,
            status=code_named(row.status, statuses) or row.status,
            language=code_named(row.language, languages) or row.language,
        )
        for row in reading.rows
    )
    return replace(reading, rows=tuple(rows))


def _repeated_lines(rows: Iterable[PersonRow]) -> list[Problem]:
    """A problem for every line that names an address once more."""
    first: dict[str, int] = {}
    problems: list[Problem] = []
    for row in (row for row in rows if row.email):
        line = first.setdefault(row.email.strip().lower(), row.line)
        if line != row.line:
            message = _("is the address of line {number}; keep one line").format(number=line)
            problems.append(told(row.line, "email", message))
    return problems


def _team_lines(study: Study, rows: Iterable[PersonRow]) -> list[Problem]:
    """A problem for every line that names one of the study's team, who may only try it out."""
    inside = study.roles.exclude(user__in=study.participants.values("user"))
    team = set(inside.values_list("user__email", flat=True))
    message = _("looks after this study; such a person takes part as a test person only")
    named = (row for row in rows if not row.is_test and row.email.strip().lower() in team)
    return [told(row.line, "email", message) for row in named]


def _person_problems(
    study: Study, row: PersonRow, present: dict[str, str], *, is_known: bool
) -> list[Problem]:
    problems = [] if is_known else _profile_problems(study, row)
    if unfit := _email_problems(row):
        problems += unfit
    elif row.email and (stored := present.get(normal_email(row.email), row.profile)) != row.profile:
        message = _('is "{value}", but the person is in the study as "{stored}"; correct the line').format(
            value=row.profile, stored=stored
        )
        problems.append(told(row.line, "profile", message))
    if row.status and row.status not in STATUSES:
        message = _('is "{value}"; write submitted or approved, or leave it blank').format(value=row.status)
        problems.append(told(row.line, "status", message))
    return problems


def _invitation_problems(study: Study, row: PersonRow, *, is_known: bool) -> list[Problem]:
    problems = _email_problems(row) + ([] if is_known else _profile_problems(study, row))
    if row.language and row.language not in dict(settings.LANGUAGES):
        message = _('is "{value}"; use one of {languages}, or leave it blank').format(
            value=row.language, languages=", ".join(dict(settings.LANGUAGES))
        )
        problems.append(told(row.line, "language", message))
    if row.status:
        message = _("is not decided by an invitation; leave this column out")
        problems.append(told(row.line, "status", message))
    if len(row.name) > NAME_CHARACTERS:
        message = _("has more than {number} characters; shorten it").format(number=NAME_CHARACTERS)
        problems.append(told(row.line, "name", message))
    return problems


def _email_problems(row: PersonRow) -> list[Problem]:
    try:
        normal_email(row.email)
    except EmailInvalid as refusal:
        return [told(row.line, "email", str(refusal))] if row.email else []
    return []


def _profile_problems(study: Study, row: PersonRow) -> list[Problem]:
    try:
        require_profile(study, row.profile)
    except ProfileUnknown as refusal:
        return [told(row.line, "profile", str(refusal))] if row.profile else []
    return []
