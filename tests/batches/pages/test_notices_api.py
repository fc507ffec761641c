"""What open pages are told: the address every participant's page asks every 20 seconds."""

import html
from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from studies.models import Audience, Participant, Study
from studies.services.people.messages import announcement_make, announcement_withdraw, message_answer
from studies.services.people.participants import participant_reject
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
NOTICES = "/api/studies/pilot/notices"


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="pilot"))


@pytest.fixture
def visitor(person: Participant) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def test_the_page_is_told_announcements_and_replies_until_they_are_taken_back(
    visitor: Client, person: Participant, now: datetime
) -> None:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    made = announcement_make(
        study=person.study, text="<b>Soon</b>", audience=Audience.APPROVED, actor=lead, now=now
    )
    reply = message_answer(participant=person, text="Yes.", actor=lead, now=now)
    at = "2030-05-01T09:00:00Z"
    announced = {"key": f"a{made.pk}", "kind": "announcement", "text": "<b>Soon</b>", "at": at}
    replied = {"key": f"r{reply.pk}", "kind": "reply", "text": "Yes.", "at": at}
    assert visitor.get(NOTICES).json() == {"notices": [announced, replied]}
    announcement_withdraw(announcement=made, actor=lead, now=now)
    assert visitor.get(NOTICES).json() == {"notices": [replied]}


def test_somebody_rejected_is_told_what_is_for_everybody_alone(
    visitor: Client, person: Participant, now: datetime
) -> None:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    for audience in (Audience.APPROVED, Audience.EVERYBODY):
        announcement_make(study=person.study, text=audience, audience=audience, actor=lead, now=now)
    assert [one["text"] for one in visitor.get(NOTICES).json()["notices"]] == ["approved", "everybody"]
    participant_reject(participant=person, reason="No degree.", now=now)
    assert [one["text"] for one in visitor.get(NOTICES).json()["notices"]] == ["everybody"]


def test_how_much_one_stores_is_told_on_pages_and_by_the_api(
    visitor: Client, person: Participant, settings: Settings
) -> None:
    Participant.objects.update(stored_bytes=settings.PERSON_BYTES * 8 // 10)
    [notice] = visitor.get(NOTICES).json()["notices"]
    assert (notice["key"], notice["kind"]) == ("nearly-full", "storage")
    page = " ".join(visitor.get("/studies/pilot/help/").content.decode().split())
    assert html.escape(notice["text"]) in page
    assert "<strong data-announcement hidden>" in page


def test_strangers_are_told_nothing(visitor: Client, make_study: Callable[..., Study]) -> None:
    make_study(slug="other")
    for slug in ("other", "none"):
        reply = visitor.get(f"/api/studies/{slug}/notices")
        assert (reply.status_code, reply.json()) == (404, {"sentence": "There is no such study of yours."})
    assert Client().get(NOTICES).status_code == 404


@pytest.mark.parametrize("announced", [0, 50])
def test_asking_costs_three_queries_however_much_is_announced(
    visitor: Client, person: Participant, now: datetime, announced: int
) -> None:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    for number in range(announced):
        announcement_make(
            study=person.study, text=f"Again, {number}.", audience=Audience.APPROVED, actor=lead, now=now
        )
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(visitor.get(NOTICES).json()["notices"]) == announced
    assert len(queries) == 3
