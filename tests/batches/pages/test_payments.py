"""Everyone recruited can be paid."""

import csv
import io
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from batches.services.ending import session_withdraw
from batches.services.payments import payment_rows
from screening.models import Verdict, VerdictDecision
from studies.models import Participant, Study, StudyEvent, User
from studies.services.people.participants import participant_add

pytestmark = pytest.mark.django_db
COLUMNS = [
    "code", "address", "profile", "reference", "started_at", "ended_at", "ended_how", "answered", "currency",
    "flat", "hourly", "bonus", "owed", "state", "paid_amount", "note",
    "platform_participant", "platform_study", "platform_session",
]  # fmt: skip


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pay", replicates_per_profile=9)


def listed(client: Client) -> dict[str, dict[str, str]]:
    reply = client.get(reverse("staff_payments", args=["pay"]))
    assert reply.status_code == 200
    reader = csv.DictReader(io.StringIO(reply.getvalue().decode("utf-8-sig")))
    assert reader.fieldnames == COLUMNS
    return {row["code"]: row for row in reader}


def test_everyone_is_listed_with_the_facts_however_it_ended(
    staff: Client,
    study: Study,
    lead: User,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
) -> None:
    people = {end: make_person(study) for end in ("submitted", "expired", "withdrawn", "active")}
    sessions = {end: work(person, {"p001": "1"}, end=end) for end, person in people.items()}
    early, late = make_person(study), make_person(study)
    session_withdraw(participant=early, now=now)
    Verdict.objects.create(
        participant=people["submitted"],
        rules_version="1",
        decision=VerdictDecision.CONFIRM,
        reason="off-task",
        decided_by=lead,
        decided_at=now,
    )
    rows = listed(staff)
    for end, person in people.items():
        assert rows[person.code]["ended_how"] == end
        assert rows[person.code]["reference"] == sessions[end].reference
        assert rows[person.code]["address"] == person.user.email
    submitted = rows[people["submitted"].code]
    assert submitted["started_at"] == "2030-05-01T09:00:00+00:00"
    assert submitted["ended_at"] == "2030-05-01T10:00:00+00:00"
    assert rows[people["expired"].code]["ended_at"] == "2030-05-01T14:00:00+00:00"
    assert rows[people["active"].code]["ended_at"] == ""
    assert rows[early.code]["ended_how"] == "withdrawn"
    assert rows[late.code]["ended_how"] == "not_started"
    assert len(rows) == 6


def test_a_session_that_no_sweep_has_ended_is_listed_with_its_true_end(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session], now: datetime
) -> None:
    session = work(make_person(study), {"p001": "1"}, end="active")
    (row,) = payment_rows(study, now + timedelta(days=1))
    assert row[5:7] == (session.deadline_at.isoformat(), "expired")


def test_test_people_and_people_who_were_never_approved_are_not_listed(
    staff: Client, study: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    make_person(study, is_test=True)
    participant_add(study=study, email="waits@example.org", profile="stem-phd", now=now)
    assert listed(staff) == {}


def test_an_address_is_no_formula(
    staff: Client, study: Study, make_person: Callable[..., Participant]
) -> None:
    person = make_person(study)
    User.objects.filter(pk=person.user_id).update(email="=cmd|x@example.org")
    assert listed(staff)[person.code]["address"] == "'=cmd|x@example.org"


def test_who_takes_the_list_is_recorded(staff: Client, study: Study, lead: User) -> None:
    listed(staff)
    event = StudyEvent.objects.get(kind="payments_listed")
    assert (event.actor, event.participant) == (lead, None)
    assert event.details == {"list": "payments", "filter": "", "number": 0}


def test_only_staff_get_it(client: Client, study: Study, make_person: Callable[..., Participant]) -> None:
    address = reverse("staff_payments", args=["pay"])
    assert client.get(address).status_code == 302
    client.force_login(make_person(study).user)
    assert client.get(address).status_code == 404
    assert not StudyEvent.objects.filter(kind="payments_listed").exists()


def test_the_number_of_queries_is_fixed(
    staff: Client,
    study: Study,
    make_person: Callable[..., Participant],
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    for _ in range(8):
        make_person(study)
    with django_assert_max_num_queries(8):  # type: ignore[attr-defined]
        listed(staff)
