"""Who may see the staff's pages of people, and vetting."""

import re
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from studies.models import Consent, Participant, Study, StudyEvent, VettingStatus
from studies.services.amendments import study_amend
from studies.services.people.participants import participant_add
from tests.studies.pages.study_pages import CONSENT, assert_well_made, consent_form, signed_in

pytestmark = pytest.mark.django_db
# --- who may see what -----------------------------------------------------------------------------------


STAFF_PAGES = ["/staff/", "/staff/studies/pilot/participants/"]


@pytest.mark.parametrize("page", [*STAFF_PAGES, CONSENT])
def test_visitors_are_asked_to_sign_in(client: Client, study: Study, page: str) -> None:
    answer = client.get(page)
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={page}")


@pytest.mark.parametrize("page", STAFF_PAGES)
def test_people_who_are_not_staff_find_no_staff_pages(person: Participant, page: str) -> None:
    assert signed_in(person).get(page).status_code == 404


def test_people_who_are_not_staff_decide_on_nobody(person: Participant) -> None:
    url = reverse("staff_decision", args=["pilot", person.code])
    assert signed_in(person).post(url, {"decision": "approve"}).status_code == 404
    assert Client().post(url, {"decision": "approve"}).status_code == 302
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.SUBMITTED


def test_staff_and_others_have_no_part_in_a_study_they_are_not_in(
    staff_client: Client, person: Participant
) -> None:
    assert staff_client.get(CONSENT).status_code == 404
    assert staff_client.post(CONSENT, consent_form(person.study, "accept")).status_code == 404
    assert not Consent.objects.exists()


def test_forms_of_other_sites_are_refused(person: Participant) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person.user)
    page = strict.post(CONSENT, consent_form(person.study, "accept"))
    assert page.status_code == 403
    assert b"This page was open for too long" in page.content
    assert not Consent.objects.exists()


# --- vetting --------------------------------------------------------------------------------------------


VETTING = "/staff/studies/pilot/participants/"


def test_staff_see_who_waits(staff_client: Client, person: Participant) -> None:
    page = staff_client.get(f"{VETTING}?state=application").content.decode()
    assert person.code in page
    assert "person@example.org" in page
    assert "Application" in page
    assert_well_made(page.encode())


def test_staff_approve_with_one_press(staff_client: Client, person: Participant) -> None:
    page = staff_client.post(f"{VETTING}{person.code}/decision/", {"decision": "approve"}, follow=True)
    assert f"{person.code} is approved.".encode() in page.content
    event = StudyEvent.objects.get(kind="participant_approved")
    assert event.actor is not None
    assert event.actor.email == "lead@example.org"


def test_staff_reject_with_a_reason(staff_client: Client, person: Participant) -> None:
    form = {"decision": "reject", "reason": "<b>No</b> degree"}
    page = staff_client.post(f"{VETTING}{person.code}/decision/", form, follow=True)
    person.refresh_from_db()
    assert (person.vetting_status, person.vetting_reason) == ("rejected", "<b>No</b> degree")
    assert f"{person.code} is rejected.".encode() in page.content
    shown = staff_client.get(f"{VETTING}?person={person.code}")
    assert b"&lt;b&gt;No&lt;/b&gt; degree" in shown.content


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Choose approve or reject."),
        ({"decision": "delete"}, "Choose approve or reject."),
        ({"decision": "reject", "reason": "  "}, "A rejection needs a reason"),
        ({"decision": "reject", "reason": "x" * 2001}, "at most 2,000 are allowed"),
    ],
)
def test_a_decision_with_a_mistake_is_said_and_not_taken(
    staff_client: Client, person: Participant, form: dict[str, str], sentence: str
) -> None:
    page = staff_client.post(f"{VETTING}{person.code}/decision/", form)
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert form.get("reason", "").strip() in page.content.decode()
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.SUBMITTED


def test_deciding_the_same_again_is_said(staff_client: Client, person: Participant) -> None:
    for _ in range(2):
        page = staff_client.post(f"{VETTING}{person.code}/decision/", {"decision": "approve"}, follow=True)
    assert f"{person.code} is approved already.".encode() in page.content


def test_an_invited_person_is_listed_and_not_approved_by_one_press(
    staff_client: Client, person: Participant
) -> None:
    Participant.objects.update(vetting_status="invited")
    page = re.sub(r"\s+", " ", staff_client.get(f"{VETTING}?person={person.code}").content.decode())
    assert "The profile form has not been sent yet." in page
    assert page.index("Approve without a profile") < page.index('value="approve"')
    assert f'href="/staff/studies/pilot/participants/{person.code}/"' in page
    assert_well_made(page.encode())
    staff_client.post(f"{VETTING}{person.code}/decision/", {"decision": "approve"})
    person.refresh_from_db()
    assert person.approved
    assert StudyEvent.objects.get(kind="participant_approved").details["before"] == "invited"


@pytest.mark.parametrize(
    ("passed", "tries", "shown"), [(False, 2, True), (False, 1, False), (True, 2, False)]
)
def test_the_list_says_who_has_no_try_left_at_the_check(
    staff_client: Client, person: Participant, now: datetime, passed: bool, tries: int, shown: bool
) -> None:
    study_amend(study=person.study, changes={"comprehension_check": True}, reason="Asked", now=now)
    for number in range(tries):
        person.check_tries.create(choices=[], correct=0, passed=passed and number == 1, attempted_at=now)
    assert ("No try left at the check questions" in staff_client.get(VETTING).content.decode()) is shown


def test_unknown_people_and_studies_are_not_there(staff_client: Client, person: Participant) -> None:
    assert staff_client.get("/staff/studies/none/participants/").status_code == 404
    assert staff_client.post(f"{VETTING}P-NOBODY/", {"decision": "approve"}).status_code == 404
    assert staff_client.get(f"{VETTING}{person.code}/decision/")["Location"] == VETTING


@pytest.mark.parametrize(
    "page", ["participants/%00/", "participants/%00/decision/", "messages/%00/", "screening/%00/"]
)
def test_a_code_that_no_database_holds_is_refused(staff_client: Client, study: Study, page: str) -> None:
    for ask in (staff_client.get, staff_client.post):
        assert ask(f"/staff/studies/pilot/{page}").status_code == 400


def test_a_study_without_people_says_how_to_add_some(staff_client: Client, study: Study) -> None:
    page = staff_client.get(VETTING).content.decode()
    assert "Nobody is invited yet." in page
    assert 'href="/staff/studies/pilot/invitations/list/"' in page


def test_long_lists_of_people_come_in_pages_at_a_fixed_cost(
    staff_client: Client, study: Study, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(60):
        participant_add(study=study, email=f"{number}@example.org", profile="stem-phd", now=now)
    study_amend(study=study, changes={"comprehension_check": True}, reason="Asked", now=now)
    with django_assert_num_queries(8):
        page = staff_client.get(VETTING).content.decode()
    assert "Page 1 of 2" in page
    assert page.count("@example.org</bdi>") == 50
    assert staff_client.get(f"{VETTING}?page=2").content.decode().count("@example.org</bdi>") == 10
    assert staff_client.get(f"{VETTING}?page=x").status_code == 200
