"""The history of a study: who reads what of it."""

import json
from collections.abc import Callable
from datetime import datetime
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from studies.models import Participant, Study
from studies.roles import Role
from studies.services.events import StudyEventKind, event_record, participant_event
from studies.services.people.participants import participant_reject
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
PAGE, FILE = "/staff/studies/pilot/history/", "/staff/studies/pilot/history.csv"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant], now: datetime) -> Participant:
    found = make_person(study)
    lead, _ = staff_add(email="lead@example.org")
    role_give(study=study, user=lead, role=Role.LEAD, now=now)
    participant_reject(participant=found, reason="=Somebody is no doctor.", now=now, actor=lead)
    return found


def browser(study: Study, now: datetime, role: Role) -> Client:
    client, (user, _) = Client(), staff_add(email=f"{role}@example.org")
    role_give(study=study, user=user, role=role, now=now)
    client.force_login(user)
    return client


def text_of(answer: Any) -> str:
    content = answer.getvalue() if answer.streaming else answer.content
    return str(unescape(content.decode()))


def test_a_lead_reads_why_and_an_analyst_reads_no_word_about_a_person(
    study: Study, person: Participant, now: datetime
) -> None:
    lead, analyst = browser(study, now, Role.LEAD), browser(study, now, Role.ANALYST)
    for page in (PAGE, FILE):
        assert "Somebody is no doctor" in text_of(lead.get(page))
        said = text_of(analyst.get(page))
        assert person.code in said
        assert "Somebody" not in said
        assert person.user.email not in said  # who agreed to the consent text themselves
        assert "lead@example.org" in said


def test_what_is_done_to_several_names_them_by_code_and_the_reason_only_to_who_knows_them(
    study: Study, person: Participant, now: datetime
) -> None:
    event_record(
        study, StudyEventKind.SESSIONS_CHANGED, now, action="void", reason="Mr. Somebody lent his account",
        people=[person.code],
    )  # fmt: skip
    lead, analyst = browser(study, now, Role.LEAD), browser(study, now, Role.ANALYST)
    for page in (PAGE, FILE):
        told = text_of(lead.get(page, {"kind": "sessions_changed"}))
        assert "lent his account" in told
        assert person.code in told
        said = text_of(analyst.get(page, {"kind": "sessions_changed"}))
        assert person.code in said
        assert "lent his account" not in said


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_the_first_and_the_last_day_there_is_are_days(study: Study, now: datetime, day: str) -> None:
    lead = browser(study, now, Role.LEAD)
    assert lead.get(PAGE, {"since": day, "until": day}).status_code == 200


def test_filters_find_and_the_file_has_the_same_rows(
    study: Study, person: Participant, now: datetime
) -> None:
    lead = browser(study, now, Role.LEAD)
    asked = {"kind": "participant_rejected", "code": person.code.lower(), "by": "lead@example.org"}
    lines = text_of(lead.get(FILE, asked)).splitlines()
    assert [line.split(",")[1:4] for line in lines[1:]] == [
        ["participant_rejected", person.code, "lead@example.org"]
    ]
    assert "rejected" in text_of(lead.get(PAGE, asked))
    assert "Nothing like this happened." in text_of(lead.get(PAGE, {"since": "2031-01-01"}))
    for source in ("sessions", "verdicts"):
        assert "Nothing has happened here yet." in text_of(lead.get(PAGE, {"source": source}))


def test_a_day_that_is_none_is_said_and_kept(study: Study, now: datetime) -> None:
    answer = browser(study, now, Role.LEAD).get(PAGE, {"since": "yesterday"})
    assert answer.status_code == 422
    assert "Write a day, such as 2030-05-01." in text_of(answer)
    assert 'value="yesterday"' in text_of(answer)


def test_a_long_history_is_read_page_by_page_at_a_fixed_cost(
    study: Study, person: Participant, now: datetime, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(60):
        participant_event(person, StudyEventKind.EXTRA_TIME_GRANTED, now, minutes=number)
    lead = browser(study, now, Role.LEAD)
    lead.get(PAGE)
    with django_assert_max_num_queries(15):
        newest = lead.get(PAGE)
    assert "minutes: 59" in text_of(newest)
    assert "minutes: 5\n" not in text_of(newest)
    older = lead.get(PAGE, {"before": newest.context["older"]})
    assert "minutes: 5" in text_of(older)
    assert "These are the oldest." in text_of(older)


def test_the_protocol_is_taken_away_with_its_fingerprints(study: Study, now: datetime) -> None:
    analyst = browser(study, now, Role.ANALYST)
    record = json.loads(text_of(analyst.get(f"{PAGE}protocol.json")))
    assert record["protocol_hash"] == study.protocol_hash
    assert record["settings"] == study.settings
    page = text_of(analyst.get(f"{PAGE}protocol.md"))
    assert f"| protocol_hash | {study.protocol_hash} |" in page
    assert study.settings["consent_text"].rstrip() in page
    assert analyst.get(f"{PAGE}protocol.exe").status_code == 404
