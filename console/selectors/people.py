"""Everybody of a study in one list, invited or in it: their state, found, filtered, sorted and counted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from batches.rules.statuses import SessionStatus
from batches.selectors.recruiting import holds_place
from screening.selectors.participants import ENDED, excluding_verdicts, filter_ran_at
from studies.models import Invitation, Participant, Study, VettingStatus
from studies.selectors.participants import withdrew


class PersonState(StrEnum):
    """Where a person is on the way from the invitation to being counted. In the order of the list."""

    APPLICATION = "application"
    RESERVE = "reserve"
    ANSWERING = "answering"
    FINISHED = "finished"
    APPROVED = "approved"
    INVITED = "invited"
    COUNTED = "counted"
    NOT_COUNTED = "not_counted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


RANKS: Mapping[str, int] = {state.value: rank for rank, state in enumerate(PersonState)}
STATES = tuple(PersonState)
PERSON, INVITATION = "person", "invitation"
SORTS: Mapping[str, tuple[str, ...]] = {
    "state": ("rank", "-moment"),
    "person": ("called",),
    "profile": ("profile", "rank"),
    "last": ("moment",),
}


@dataclass(frozen=True, slots=True)
class PeopleFilter:
    """Which people are asked for, and in which order; all of them where it is empty.

    `words` is part of a code, an address, a name or an id of a recruiting platform. A `sort` that begins with
    "-" is the other way round.
    """

    state: str = ""
    profile: str = ""
    words: str = ""
    sort: str = "state"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list: a participant, or an invitation that nobody has accepted yet."""

    kind: str
    key: int
    state: PersonState
    profile: str
    name: str
    moment: datetime

    @property
    def handle(self) -> str:
        """What names it in an address of the page: the code, or `i` and the invitation's number."""
        return self.name if self.kind == PERSON else f"i{self.key}"


def people_rows(
    study: Study, wanted: PeopleFilter, now: datetime, *, start: int = 0, stop: int | None = None
) -> Sequence[Row]:
    """A stretch of the list. One query."""
    return [_row(*columns) for columns in _listed(study, wanted, now)[start:stop]]


def each_row(study: Study, wanted: PeopleFilter, now: datetime, *, at_once: int) -> Iterator[Row]:
    """All of the list, read so many rows at once. One query."""
    for columns in _listed(study, wanted, now).iterator(chunk_size=at_once):
        yield _row(*columns)


def _listed(study: Study, wanted: PeopleFilter, now: datetime) -> QuerySet[Any, Any]:
    people, invited = _people(study, wanted, now), _invitations(study, wanted)
    columns = ("kind", "key", "rank", "profile", "called", "moment")
    rows = people.values_list(*columns).union(invited.values_list(*columns), all=True)
    order = list(SORTS.get(wanted.sort.removeprefix("-"), SORTS["state"]))
    if wanted.sort.startswith("-"):
        first = order[0]
        order[0] = first.removeprefix("-") if first.startswith("-") else f"-{first}"
    # Pages must not overlap where rows tie.
    return rows.order_by(*order, *(column for column in ("called", "key") if column not in order))


def _row(kind: str, key: int, rank: int, profile: str, name: str, moment: Any) -> Row:
    at = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    return Row(kind, key, STATES[rank], profile, name, at)


@dataclass(frozen=True, slots=True)
class Alike:
    """How many people are alike in profile, state, being test people and holding a place."""

    profile: str
    state: PersonState
    is_test: bool
    holds: bool
    number: int


def people_counts(study: Study, wanted: PeopleFilter, now: datetime) -> Sequence[Alike]:
    """How many people there are of each kind, invitations among them; of any state. One query."""
    wanted = replace(wanted, state="")
    holds = Case(When(holds_place(), then=Value(1)), default=Value(0))
    people = _people(study, wanted, now).annotate(holds=holds)
    invited = _invitations(study, wanted).annotate(holds=Value(0))
    columns = ("profile", "rank", "is_test", "holds", "number")
    of_people, of_invited = (
        rows.order_by().values(*columns[:-1]).annotate(number=Count("pk")).values_list(*columns)
        for rows in (people, invited)
    )
    return [
        Alike(profile, STATES[rank], bool(is_test), bool(holds), number)
        for profile, rank, is_test, holds, number in of_people.union(of_invited, all=True)
    ]


def state_of(participant: Participant, now: datetime) -> PersonState:
    """The state of one person."""
    people = _people(participant.study, PeopleFilter(), now)
    person: Any = people.get(pk=participant.pk)  # with its annotations
    state: PersonState = STATES[person.rank]
    return state


def _people(study: Study, wanted: PeopleFilter, now: datetime) -> QuerySet[Participant]:
    people = Participant.objects.filter(study=study).annotate(rank=_rank(study, now))
    if wanted.state:
        people = people.filter(rank=RANKS[wanted.state])
    if wanted.profile:
        people = people.filter(profile=wanted.profile)
    if wanted.words:
        people = people.filter(
            Q(code__icontains=wanted.words)
            | Q(user__email__icontains=wanted.words)
            | Q(invitation__name__icontains=wanted.words)
            | Q(platform_entry__platform_participant__icontains=wanted.words)
        )
    return people.annotate(
        kind=Value(PERSON, output_field=CharField()),
        key=F("pk"),
        called=F("code"),
        moment=Coalesce("session__ended_at", "session__started_at", "submitted_at"),
    )


def _invitations(study: Study, wanted: PeopleFilter) -> QuerySet[Invitation]:
    open_ones = Invitation.objects.filter(study=study, accepted_at=None, revoked_at=None)
    if wanted.state and wanted.state != PersonState.INVITED:
        open_ones = open_ones.none()
    if wanted.profile:
        open_ones = open_ones.filter(profile=wanted.profile)
    if wanted.words:
        open_ones = open_ones.filter(Q(email__icontains=wanted.words) | Q(name__icontains=wanted.words))
    return open_ones.annotate(
        kind=Value(INVITATION, output_field=CharField()),
        key=F("pk"),
        rank=_is(PersonState.INVITED),
        called=F("email"),
        moment=Coalesce("sent_at", "created_at"),
    )


def _rank(study: Study, now: datetime) -> Case:
    """What a person did last decides; the clock says when a session is over, whether or not a sweep came by.

    Whoever finished counts once the off-task filter ran over them, unless a verdict says otherwise; those
    whom a rule flags until there is one. It is told by its place in the order: the database sorts by it, and
    works it out once for each person.
    """
    excluded = excluding_verdicts(study).values("participant")
    answering = Q(session__status=SessionStatus.ACTIVE, session__deadline_at__gte=now)
    return Case(
        When(withdrew(), then=_is(PersonState.WITHDRAWN)),
        When(session__voided_at__isnull=False, then=_is(PersonState.NOT_COUNTED)),
        When(answering, then=_is(PersonState.ANSWERING)),
        When(pk__in=excluded, is_test=False, session__status__in=ENDED, then=_is(PersonState.NOT_COUNTED)),
        When(
            Q(session__isnull=False, is_test=True) | Q(session__status=SessionStatus.ACTIVE),
            then=_is(PersonState.FINISHED),
        ),
        When(
            session__ended_at__lte=filter_ran_at(study),
            then=_is(PersonState.COUNTED),
        ),
        When(session__isnull=False, then=_is(PersonState.FINISHED)),
        *(When(vetting_status=status.value, then=_is(state)) for status, state in STATE_BEFORE_START.items()),
    )


def _is(state: PersonState) -> Value:
    return Value(RANKS[state])


STATE_BEFORE_START: Mapping[VettingStatus, PersonState] = {
    VettingStatus.INVITED: PersonState.INVITED,
    VettingStatus.SUBMITTED: PersonState.APPLICATION,
    VettingStatus.RESERVE: PersonState.RESERVE,
    VettingStatus.APPROVED: PersonState.APPROVED,
    VettingStatus.REJECTED: PersonState.REJECTED,
}
