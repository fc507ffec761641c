"""Adding people, and deciding on them."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from studies.forms.people_file import read_people
from studies.models import Participant, Study, StudyEvent, StudyRole, User, VettingStatus
from studies.selectors.participants import (
    participant_by_code,
    participant_of,
    participations_of,
)
from studies.services.people import participants
from studies.services.people.decisions import VettingRefused
from studies.services.people.participants import (
    CODE_ALPHABET,
    AlreadyTakesPart,
    EmailInvalid,
    PeopleUnknown,
    ProfileUnknown,
    StudyClosed,
    StudySimulated,
    participant_add,
    participant_approve,
    participant_reject,
    participants_vet,
)
from studies.services.people.people_import import (
    PeopleImport,
    PeopleReading,
    PeopleRefused,
    PersonRow,
    participants_import,
)
from studies.services.staff.staff import staff_add, staff_disable
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> User:
    return User.objects.create_user("lead@example.org", is_staff=True)


# --- adding ---------------------------------------------------------------------------------------------


def test_a_new_person_waits_under_a_code_that_tells_nothing(person: Participant, now: datetime) -> None:
    assert (person.vetting_status, person.submitted_at, person.is_test) == ("submitted", now, False)
    assert re.fullmatch(f"P-[{CODE_ALPHABET}]{{6}}", person.code)
    assert not set("01ILOU") & set(CODE_ALPHABET)
    assert not person.user.has_usable_password()
    event = StudyEvent.objects.get(participant=person)
    assert (event.kind, event.details) == ("participant_added", {})


def test_an_address_is_one_person_in_any_case(study: Study, person: Participant, now: datetime) -> None:
    with pytest.raises(AlreadyTakesPart, match=r'a@example\.org is in the study "pilot" already'):
        participant_add(study=study, email=" A@Example.ORG ", profile="stem-phd", now=now)
    assert User.objects.count() == 1


def test_a_person_may_take_part_in_two_studies(
    person: Participant, make_study: Callable[..., Study], now: datetime
) -> None:
    other = participant_add(
        study=make_study(slug="other"), email="a@example.org", profile="stem-phd", now=now
    )
    assert other.user == person.user
    assert set(participations_of(person.user)) == {person, other}
    assert participant_of(person.user, "other") == other
    assert participant_of(person.user, "none") is None
    assert participant_by_code("pilot", person.code) == person
    assert participant_by_code("other", person.code) is None


@pytest.mark.parametrize(
    "email",
    [
        *("", "a", "a@", "a@b@c.org", "a\n@example.org", "a" * 250 + "@example.org"),
        # No mail can be written to these, as no encoding of their domains exists.
        *("a@ex\u2028ample.org", f"a@{'ü' * 60}.org"),
    ],
)
def test_what_is_no_address_is_refused(study: Study, now: datetime, email: str) -> None:
    with pytest.raises(EmailInvalid, match="is no e-mail address"):
        participant_add(study=study, email=email, profile="stem-phd", now=now)
    assert not User.objects.exists()


def test_an_unknown_profile_is_refused_and_leaves_no_account(study: Study, now: datetime) -> None:
    with pytest.raises(ProfileUnknown, match='"lawyer" is no profile of this study; use one of stem-under'):
        participant_add(study=study, email="b@example.org", profile="lawyer", now=now)
    assert not User.objects.exists()


def test_a_closed_study_takes_nobody_in(study: Study, now: datetime) -> None:
    study_close(study=study, now=now)
    with pytest.raises(StudyClosed, match="is closed; nobody can be added"):
        participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)


def test_a_closed_account_is_opened_with_the_rights_asked_for_alone(
    lead: User, caplog: pytest.LogCaptureFixture
) -> None:
    gone, _ = staff_add(email="gone@example.org", superuser=True, creates_studies=True)
    staff_disable(email=gone.email)
    with caplog.at_level("INFO", "chiron"):
        back, changed = staff_add(email=gone.email, actor=lead)
    assert (changed, back.is_active, back.is_superuser, back.may_create_studies) == (True, True, False, False)
    assert f"'actor': {lead.pk}" in caplog.messages[-1]
    assert staff_add(email=gone.email, superuser=True)[0].is_superuser
    assert staff_add(email=gone.email)[0].is_superuser


def test_a_person_made_staff_needs_no_password(lead: User) -> None:
    assert staff_add(email="Lead@example.org") == (lead, False)
    user, changed = staff_add(email="lead@example.org", superuser=True)
    assert (user.is_superuser, changed) == (True, True)
    assert staff_add(email="lead@example.org")[0].is_superuser
    new, changed = staff_add(email="new@example.org")
    assert (new.is_staff, new.is_superuser, new.has_usable_password(), changed) == (True, False, False, True)


# --- files of people ------------------------------------------------------------------------------------


def imported(study: Study, path: Path, content: str, now: datetime) -> PeopleImport:
    path.write_text(content)
    return participants_import(study=study, reading=read_people(path), now=now)


def test_people_of_a_file_are_added_with_their_status(study: Study, tmp_path: Path, now: datetime) -> None:
    content = (
        "email,profile,status,is_test\n"
        "A@example.org,stem-phd,approved,\n"
        "b@example.org,stem-undergraduate,submitted,yes\n"
    )
    result = imported(study, tmp_path / "p.csv", content, now)
    assert result.unchanged == 0
    rows = study.participants.order_by("user__email")
    assert list(rows.values_list("user__email", "profile", "vetting_status", "is_test")) == [
        ("a@example.org", "stem-phd", "approved", False),
        ("b@example.org", "stem-undergraduate", "submitted", True),
    ]
    assert len(set(rows.values_list("code", flat=True))) == 2
    assert [event.kind for event in study.events.filter(participant=rows[0])] == [
        "participant_added",
        "participant_approved",
    ]


def test_the_same_file_again_changes_nothing(study: Study, tmp_path: Path, now: datetime) -> None:
    content = "email,profile,status\na@example.org,stem-phd,approved\n"
    person = imported(study, tmp_path / "p.csv", content, now).added[0]
    participant_reject(participant=person, reason="Left", now=now)
    events = StudyEvent.objects.count()
    again = imported(study, tmp_path / "p.csv", content, now + timedelta(days=1))
    assert (again.added, again.unchanged) == ((), 1)
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.REJECTED
    assert StudyEvent.objects.count() == events


def test_all_problems_of_a_file_come_together_and_nobody_is_added(
    study: Study, person: Participant, tmp_path: Path, now: datetime
) -> None:
    content = (
        "email,profile,status\n"
        "a@example.org,stem-undergraduate,\n"
        "new@example.org,stem-phd,\n"
        "bad,lawyer,maybe\n"
        ",lawyer,\n"
        "NEW@example.org,stem-phd,\n"
        "b@exam\u200bple.org,lawyer,lost\n"
    )
    with pytest.raises(PeopleRefused) as refusal:
        imported(study, tmp_path / "p.csv", content, now)
    assert str(refusal.value).splitlines() == [
        "Nobody was added; problems found: 10",
        'line 2, profile: is "stem-undergraduate", but the person is in the study as "stem-phd"; '
        "correct the line",
        'line 4, profile: "lawyer" is no profile of this study; use one of stem-undergraduate, stem-phd, '
        "non-stem-undergraduate.",
        'line 4, email: "bad" is no e-mail address; correct it.',
        'line 4, status: is "maybe"; write submitted or approved, or leave it blank',
        "line 5, email: is blank; fill it in",
        'line 5, profile: "lawyer" is no profile of this study; use one of stem-undergraduate, stem-phd, '
        "non-stem-undergraduate.",
        "line 6, email: is the address of line 3; keep one line",
        "line 7, email: holds U+200B (invisible); remove it",
        'line 7, profile: "lawyer" is no profile of this study; use one of stem-undergraduate, stem-phd, '
        "non-stem-undergraduate.",
        'line 7, status: is "lost"; write submitted or approved, or leave it blank',
    ]
    assert list(study.participants.all()) == [person]
    assert User.objects.count() == 1


def test_a_file_for_a_closed_study_adds_nobody(study: Study, tmp_path: Path, now: datetime) -> None:
    study_close(study=study, now=now)
    with pytest.raises(StudyClosed):
        imported(study, tmp_path / "p.csv", "email,profile\na@example.org,stem-phd\n", now)
    assert not User.objects.exists()


def test_a_file_adds_nobody_to_a_rehearsal(study: Study, tmp_path: Path, now: datetime) -> None:
    Study.objects.update(is_simulated=True)
    study.refresh_from_db()
    with pytest.raises(StudySimulated):
        imported(study, tmp_path / "p.csv", "email,profile\na@example.org,stem-phd\n", now)
    assert not User.objects.exists()


def test_a_person_with_an_account_joins_under_it(study: Study, lead: User, now: datetime) -> None:
    rows = (PersonRow(2, "LEAD@example.org", "stem-phd"),)
    result = participants_import(study=study, reading=PeopleReading(rows, ()), now=now)
    assert [participant.user for participant in result.added] == [lead]


# --- vetting --------------------------------------------------------------------------------------------


def test_a_decision_is_recorded_with_who_and_why(person: Participant, lead: User, now: datetime) -> None:
    StudyRole.objects.create(study=person.study, user=lead, role="lead", given_at=now)
    approved = participant_approve(participant=person, actor=lead, reason="Degree seen", now=now)
    assert (approved.approved, approved.vetting_reason) == (True, "Degree seen")
    event = StudyEvent.objects.get(kind="participant_approved")
    assert (event.participant, event.actor, event.happened_at) == (person, lead, now)
    assert event.details == {"before": "submitted", "reason": "Degree seen", "mail": None}


def test_a_decision_may_be_reversed_but_not_repeated(person: Participant, now: datetime) -> None:
    participant_approve(participant=person, now=now)
    with pytest.raises(VettingRefused, match=f"{person.code} is approved already"):
        participant_approve(participant=person, now=now)
    participant_reject(participant=person, reason="No degree", now=now)
    with pytest.raises(VettingRefused, match=f"{person.code} is rejected already"):
        participant_reject(participant=person, reason="Really", now=now)
    assert participant_approve(participant=person, now=now).vetting_reason == ""
    assert StudyEvent.objects.filter(kind__in=["participant_approved", "participant_rejected"]).count() == 3


def test_a_rejection_needs_a_reason(person: Participant, now: datetime) -> None:
    with pytest.raises(VettingRefused, match="A rejection needs a reason"):
        participant_reject(participant=person, reason=" ", now=now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Participant.objects.update(vetting_status="rejected")


def test_several_people_are_decided_on_by_code_or_address(
    study: Study, person: Participant, now: datetime
) -> None:
    other = participant_add(study=study, email="b@example.org", profile="stem-phd", now=now)
    names = [person.code.lower(), "B@example.org", person.code]
    decided = participants_vet(study=study, approve=True, names=names, now=now)
    assert {one.pk for one in decided} == {person.pk, other.pk}
    counted = Counter(study.participants.values_list("vetting_status", flat=True))
    assert counted == {"approved": 2}


def test_everyone_who_waits_can_be_decided_on(study: Study, person: Participant, now: datetime) -> None:
    rejected = participant_add(study=study, email="b@example.org", profile="stem-phd", now=now)
    participant_reject(participant=rejected, reason="No", now=now)
    assert [one.pk for one in participants_vet(study=study, approve=True, names=None, now=now)] == [person.pk]
    counted = Counter(study.participants.values_list("vetting_status", flat=True))
    assert counted == {"approved": 1, "rejected": 1}


def test_one_who_cannot_be_decided_on_leaves_everyone_undecided(
    study: Study, person: Participant, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(participants, "DECISIONS_A_SLICE", 1)
    other = participant_add(study=study, email="b@example.org", profile="stem-phd", now=now)
    participant_approve(participant=other, now=now)
    with pytest.raises(VettingRefused, match="is approved already"):
        participants_vet(study=study, approve=True, names=[person.code, other.code], now=now)
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.SUBMITTED


def test_an_unknown_name_leaves_everyone_undecided(study: Study, person: Participant, now: datetime) -> None:
    with pytest.raises(PeopleUnknown, match="known as x, y"):
        participants_vet(study=study, approve=True, names=[person.code, "x", "y"], now=now)
    with pytest.raises(VettingRefused):
        participants_vet(study=study, approve=False, names=[person.code], now=now)
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.SUBMITTED
