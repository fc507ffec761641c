"""What surrounds the list of people: tabs, places of each profile, and the panel of one person."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from batches.selectors.recruiting import next_on_reserve, places_of
from console.selectors.people import (
    INVITATION,
    PERSON,
    Alike,
    PeopleFilter,
    PersonState,
    Row,
    people_counts,
    state_of,
)
from console.selectors.people_facts import RowFacts, rows_with_facts
from studies.models import Consent, Credential, Invitation, Participant, ProfileForm, Study
from studies.selectors.participants import credentials_of, latest_consent, newest_profile
from studies.selectors.told import agreed_sha256

UNDER_WAY = (PersonState.ANSWERING, PersonState.FINISHED)


@dataclass(frozen=True, slots=True)
class Quota:
    """The places of a profile and who holds them; `places` is None before the question sets are built.

    `not_counted` are those who hold a place without counting, `successor` is the first of the reserve list.
    """

    slug: str
    name: str
    places: int | None
    held: int
    counted: int
    under_way: int
    not_started: int
    not_counted: int
    applied: int
    reserve: int
    successor: Participant | None

    @property
    def free(self) -> int:
        return max(0, (self.places or 0) - self.held)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Counts of the tabs under the filter, and the places of each profile whatever the filter."""

    counts: Mapping[PersonState, int]
    quotas: Sequence[Quota]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Panel:
    """What the study team decides by. `consent_is_current`: the text they agreed to is the one of now."""

    facts: RowFacts
    profile_form: ProfileForm | None
    credentials: Sequence[Credential]
    consent: Consent | None
    consent_is_current: bool


def surroundings(study: Study, wanted: PeopleFilter, now: datetime) -> Surroundings:
    """Counts for the page around the list."""
    everybody = people_counts(study, PeopleFilter(), now)
    if wanted.words:
        listed: Iterable[Alike] = people_counts(study, wanted, now)
    else:
        listed = [group for group in everybody if wanted.profile in ("", group.profile)]
    counts = dict.fromkeys(PersonState, 0)
    for group in listed:
        counts[group.state] += group.number
    return Surroundings(counts, _quotas(study, [group for group in everybody if not group.is_test]))


def _quotas(study: Study, groups: Sequence[Alike]) -> list[Quota]:
    places = places_of(study)
    states: Counter[tuple[str, PersonState]] = Counter()
    held: Counter[str] = Counter()
    not_counted: Counter[str] = Counter()
    for group in groups:
        states[group.profile, group.state] += group.number
        held[group.profile] += group.number if group.holds else 0
        if group.holds and group.state == PersonState.NOT_COUNTED:
            not_counted[group.profile] += group.number
    waiting = any(group.state == PersonState.RESERVE for group in groups)
    successors = next_on_reserve(study) if waiting else {}
    return [
        Quota(
            slug=profile.slug,
            name=profile.name,
            places=None if places is None else places.get(profile.slug, 0),
            held=held[profile.slug],
            counted=states[profile.slug, PersonState.COUNTED],
            under_way=sum(states[profile.slug, state] for state in UNDER_WAY),
            not_started=states[profile.slug, PersonState.APPROVED],
            not_counted=not_counted[profile.slug],
            applied=states[profile.slug, PersonState.APPLICATION],
            reserve=states[profile.slug, PersonState.RESERVE],
            successor=successors.get(profile.slug),
        )
        for profile in study.protocol.profiles
    ]


def panel_of(study: Study, facts: RowFacts) -> Panel:
    """What there is to know of a person, or of an invitation, in three queries at most."""
    person = facts.participant
    if person is None:
        return Panel(facts, None, (), None, consent_is_current=False)
    consent = latest_consent(person)
    return Panel(
        facts,
        newest_profile(person),
        list(credentials_of(person)),
        consent,
        consent_is_current=consent is not None and consent.sha256 == agreed_sha256(study),
    )


def facts_at(study: Study, handle: str, listed: Sequence[RowFacts], now: datetime) -> RowFacts | None:
    """The person of this handle: of the rows that are listed, or of another page."""
    if not handle:
        return None
    for facts in listed:
        if facts.row.handle == handle:
            return facts
    rows = []
    if handle.startswith("i") and handle[1:].isdecimal():
        open_ones = Invitation.objects.filter(study=study, accepted_at=None, revoked_at=None)
        for invitation in open_ones.filter(pk=handle[1:]):
            moment = invitation.sent_at or invitation.created_at
            name, profile = invitation.email, invitation.profile
            rows.append(Row(INVITATION, invitation.pk, PersonState.INVITED, profile, name, moment))
    if not rows:
        for person in study.participants.filter(code=handle):
            state = state_of(person, now)
            rows.append(Row(PERSON, person.pk, state, person.profile, person.code, person.submitted_at))
    return next(iter(rows_with_facts(study, rows, now)), None)
