"""Everybody of a study in one list."""

import csv
import io
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from batches.services.ending import session_withdraw
from screening.models import ParticipantFlag, ScreeningRun, Verdict, VerdictDecision
from studies.models import Invitation, Participant, Study, StudyEvent, User
from studies.services.people.invitations import invitation_create
from studies.services.people.participants import participant_approve, participant_reject

pytestmark = pytest.mark.django_db
PEOPLE = "/staff/studies/pilot/participants/"


def shown(client: Client, **query: str) -> str:
    return re.sub(r"\s+", " ", client.get(PEOPLE, query).content.decode())


def tabs(page: str) -> dict[str, int]:
    found = re.search(r'<ul class="segmented".*?</ul>', page)
    assert found
    words = re.findall(r">\s*([A-Z][a-z ]+?) ([\d,]+)\s*</a>", found[0])
    return {name: int(number.replace(",", "")) for name, number in words}


def finish(person: Participant, work: Callable[..., Session]) -> Session:
    return work(person, {"p001": "1"})


def not_counted(person: Participant, by: User, now: datetime) -> None:
    facts = {"participant": person, "rules_version": "1", "reason": "few_answers"}
    ParticipantFlag.objects.create(**facts, evidence="1 of 4", flagged_at=now)
    Verdict.objects.create(
        **(facts | {"reason": "off-task"}), decision=VerdictDecision.CONFIRM, decided_by=by, decided_at=now
    )


def test_everybody_is_listed_once_with_their_state(
    staff: Client, make_study: Callable[..., Study], make_person: Callable[..., Participant],
    work: Callable[..., Session], lead: User, now: datetime,
) -> None:  # fmt: skip
    study = make_study(slug="pilot", replicates_per_profile=9)
    people = [make_person(study) for _ in range(6)]
    work(people[0], {"p001": "1"}, end="active")
    Session.objects.update(deadline_at=timezone.now().replace(year=2099))
    for person in people[1:4]:
        finish(person, work)
    not_counted(people[1], lead, now)
    ParticipantFlag.objects.create(
        participant=people[2], rules_version="1", reason="few_answers", evidence="1", flagged_at=now
    )
    session_withdraw(participant=people[4], now=now)
    Participant.objects.filter(pk=people[5].pk).update(vetting_status="submitted")
    invitation_create(study=study, email="ada@example.org", profile="stem-phd", now=now)
    assert (tabs(shown(staff))["Finished"], tabs(shown(staff)).get("Counted")) == (2, None)
    ScreeningRun.objects.create(
        study=study, rules_version="1", participants=1, flagged_answers=0, flagged_people=0,
        ran_at=now.replace(year=2099),
    )  # fmt: skip
    page = shown(staff)
    assert tabs(page) == {
        "All": 7, "Applications": 1, "Answering": 1, "Counted": 2, "Not counted": 1,
        "Withdrawn": 1, "Invited": 1,
    }  # fmt: skip
    assert people[1].code in shown(staff, state="not_counted")
    assert people[2].code not in shown(staff, state="not_counted")
    assert "ada@example.org" in shown(staff, state="invited")
    assert "Nobody matches." in shown(staff, state="rejected")


def test_a_search_finds_codes_and_addresses_and_the_file_has_the_same_rows(
    staff: Client, study: Study, applicant: Callable[..., Participant], lead: User
) -> None:
    ada, bob = applicant("ada"), applicant("bob", profile="writer")
    User.objects.filter(pk=bob.user_id).update(email="=cmd|x@example.org")
    assert ada.code in shown(staff, q="ADA@")
    assert bob.code not in shown(staff, q="ADA@")
    assert bob.code in shown(staff, profile="writer", q=bob.code.lower())
    assert ada.code in shown(staff, state="no-such-state", page="x", sort="-nothing")
    reply = staff.get(reverse("staff_participants_file", args=["pilot"]), {"profile": "writer"})
    (row,) = csv.DictReader(io.StringIO(reply.getvalue().decode("utf-8-sig")))
    assert (row["code"], row["address"], row["state"]) == (bob.code, "'=cmd|x@example.org", "application")
    event = StudyEvent.objects.get(kind="people_listed")
    assert (event.actor, event.details) == (lead, {"list": "people", "filter": "profile=writer", "number": 1})


def test_the_panel_shows_the_person_and_who_comes_before_and_after(
    staff: Client, applicant: Callable[..., Participant]
) -> None:
    people = [applicant(name) for name in ("ada", "bob", "cy")]
    listed = re.findall(r'href="\?person=(P-\w+)#panel"', shown(staff))
    assert sorted(listed) == sorted(person.code for person in people)
    page = shown(staff, person=listed[1])
    assert "2 of 3" in page
    assert re.search(rf'href="\?person={listed[0]}#panel" data-key="k"', page)
    assert re.search(rf'href="\?person={listed[2]}#panel" data-key="j"', page)
    assert "to the text of now" in page


def test_a_link_to_somebody_who_is_not_there_shows_the_list(
    staff: Client, applicant: Callable[..., Participant], make_study: Callable[..., Study], now: datetime
) -> None:
    applicant("ada")
    elsewhere = invitation_create(
        study=make_study(slug="other"), email="eve@example.org", profile="stem-phd", now=now
    )
    for handle in ("P-NOBODY", f"i{elsewhere.pk}", "i", "i99999999999999999"):
        page = staff.get(PEOPLE, {"person": handle})
        assert (page.status_code, "person-panel" in page.text) == (200, False)


def test_thousands_of_people_cost_as_many_queries_as_a_few(
    staff: Client, study: Study, now: datetime, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    users = User.objects.bulk_create(User(email=f"p{n:04}@example.org") for n in range(3000))
    Participant.objects.bulk_create(
        Participant(
            study=study, user=user, code=f"P-{n:06}", profile="stem-phd", submitted_at=now,
            vetting_status="reserve" if n % 3 else "submitted",
        )
        for n, user in enumerate(users)
    )  # fmt: skip
    Invitation.objects.bulk_create(
        Invitation(
            study=study, email=f"i{n}@example.org", profile="writer", token_sha256=str(n), created_at=now,
            expires_at=now,
        )
        for n in range(500)
    )  # fmt: skip
    last = Participant.objects.get(code="P-002999")
    with django_assert_max_num_queries(15):
        page = shown(staff, page="60", sort="person", person=last.code)
    assert tabs(page)["All"] == 3500
    assert "3,000 of 3,500" in page
    with django_assert_max_num_queries(15):
        shown(staff, q="p0", sort="-last")


def test_sorting_goes_both_ways_and_no_page_repeats_anybody(
    staff: Client, applicant: Callable[..., Participant], now: datetime
) -> None:
    people = [applicant(name) for name in ("ada", "bob", "cy", "di")]
    participant_approve(participant=people[0], now=now)
    participant_reject(participant=people[1], reason="No", now=now)
    codes = sorted(person.code for person in people)
    order = r'href="\?[^"]*person=(P-\w+)#panel"'
    assert re.findall(order, shown(staff, sort="person")) == codes
    assert re.findall(order, shown(staff, sort="-person")) == codes[::-1]
    assert re.findall(order, shown(staff))[-1] == people[1].code
