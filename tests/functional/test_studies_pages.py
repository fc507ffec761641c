"""The first page, consent, vetting, error pages and the records, as people see them."""

import re
from collections.abc import Callable
from datetime import datetime
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from studies.models import Consent, Participant, Study, StudyEvent, User, VettingStatus
from studies.selectors.participants import consent_sha256
from studies.services.amendments import study_amend
from studies.services.participants import participant_add, participant_reject
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def person(study: Study, now: datetime) -> Participant:
    return participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)


@pytest.fixture
def staff_client(client: Client) -> Client:
    client.force_login(User.objects.create_user("lead@example.org", is_staff=True))
    return client


def signed_in(person: Participant) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


class Outline(HTMLParser):
    """What matters to a keyboard, a screen reader and the security policy."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.headings: list[int] = []
        self.labelled: set[str] = set()
        self.fields: list[str] = []
        self.refused: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "label":
            self.labelled.add(values.get("for") or "")
        if tag in ("input", "select", "textarea") and values.get("type") != "hidden":
            self.fields.append(values.get("id") or "")
        inline = tag == "style" or (tag == "script" and "src" not in values)
        if inline or "style" in values or any(name.startswith("on") for name in values):
            self.refused.append(tag)


def assert_well_made(page: bytes) -> None:
    outline = Outline(page)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(deeper - level <= 1 for level, deeper in steps)
    assert set(outline.fields) <= outline.labelled
    assert outline.refused == []
    assert b'<a class="skip-link" href="#main">' in page
    assert b'<html lang="en">' in page


# --- home -----------------------------------------------------------------------------------------------


def test_a_visitor_is_told_what_this_is_and_where_to_sign_in(client: Client) -> None:
    page = client.get("/")
    assert b"What can people do together with AI?" in page.content
    assert b'href="/accounts/login/"' in page.content
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]


def test_a_person_sees_their_studies_and_no_others(
    person: Participant, make_study: Callable[..., Study]
) -> None:
    make_study(slug="other")
    page = signed_in(person).get("/").content.decode()
    assert "The study pilot" in page
    assert person.code in page
    assert 'href="/studies/pilot/"' in page
    assert "The study other" not in page
    assert "/staff/" not in page


def test_a_person_without_a_study_is_told_what_to_do(client: Client) -> None:
    client.force_login(User.objects.create_user("alone@example.org"))
    assert b"You are not part of a study at the moment" in client.get("/").content


def test_staff_find_their_pages_from_home(staff_client: Client) -> None:
    assert b'href="/staff/"' in staff_client.get("/").content


def test_the_list_of_own_studies_costs_the_same_for_one_study_and_for_six(
    person: Participant,
    make_study: Callable[..., Study],
    now: datetime,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        study = make_study(slug=f"more-{number}")
        participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)
    client = signed_in(person)
    with django_assert_num_queries(3):  # session, person, studies
        client.get("/")


# --- consent --------------------------------------------------------------------------------------------


def consent_form(study: Study, decision: str) -> dict[str, str]:
    return {"decision": decision, "shown": consent_sha256(study.protocol.consent_text)}


CONSENT = "/studies/pilot/consent/"


def test_the_consent_text_is_shown_as_it_is_meant(person: Participant) -> None:
    page = signed_in(person).get(CONSENT).content.decode()
    assert "<strong>What is recorded</strong>" in page
    assert consent_sha256(person.study.protocol.consent_text) in page
    assert_well_made(page.encode())


def test_agreeing_is_recorded_and_leads_to_the_study(person: Participant) -> None:
    client = signed_in(person)
    answered = client.post(CONSENT, consent_form(person.study, "accept"))
    assert (answered.status_code, answered["Location"]) == (302, "/studies/pilot/")
    consent = Consent.objects.get()
    assert (consent.participant, consent.accepted) == (person, True)
    page = client.get(CONSENT).content
    assert b"You agreed to this text" in re.sub(rb"\s+", b" ", page)
    assert (b"I decline" in page, b'href="/studies/pilot/withdraw/"' in page) == (False, True)


def test_declining_is_recorded_and_thanked_for(person: Participant) -> None:
    page = signed_in(person).post(CONSENT, consent_form(person.study, "decline"), follow=True)
    assert b"Thank you for considering it" in page.content
    assert not Consent.objects.get().accepted


@pytest.mark.parametrize("form", [{}, {"decision": "maybe"}, {"decision": "accept", "shown": "x"}])
def test_a_decision_that_cannot_be_read_is_not_recorded(person: Participant, form: dict[str, str]) -> None:
    page = signed_in(person).post(CONSENT, form)
    assert page.status_code == 400
    assert b'role="alert"' in page.content
    assert not Consent.objects.exists()


def test_a_text_that_changed_meanwhile_is_shown_again(person: Participant, now: datetime) -> None:
    form = consent_form(person.study, "accept")
    changes: dict[str, object] = {"consent_text": "**Newer** text"}
    study_amend(study=person.study, changes=changes, reason="Ethics", now=now)
    page = signed_in(person).post(CONSENT, form)
    assert page.status_code == 400
    assert b"The text was changed while you were reading" in page.content
    assert b"<strong>Newer</strong> text" in page.content
    assert not Consent.objects.exists()


def test_an_earlier_agreement_to_another_text_is_said(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    client.post(CONSENT, consent_form(person.study, "accept"))
    study_amend(study=person.study, changes={"consent_text": "Newer text"}, reason="Ethics", now=now)
    page = client.get(CONSENT).content
    assert b"The text was changed since you agreed" in re.sub(rb"\s+", b" ", page)


def test_after_the_end_there_is_nothing_to_decide(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    study_close(study=person.study, now=now)
    assert b"I agree and take part" not in client.get(CONSENT).content
    assert client.post(CONSENT, consent_form(person.study, "accept")).status_code == 400
    assert not Consent.objects.exists()


def test_a_rejected_person_has_nothing_to_decide(person: Participant, now: datetime) -> None:
    participant_reject(participant=person, reason="No degree", now=now)
    page = signed_in(person).get(CONSENT).content
    assert b"I agree and take part" not in page
    assert b"No degree" not in page


def test_a_draft_shows_no_text_yet(person: Participant) -> None:
    Study.objects.update(status="draft")
    page = signed_in(person).get(CONSENT).content
    assert b"still being prepared" in page
    assert b"What is recorded" not in page


def test_hostile_consent_text_stays_text(person: Participant, now: datetime) -> None:
    text = "<script>alert(1)</script> [x](javascript:alert(1))"
    study_amend(study=person.study, changes={"consent_text": text}, reason="Ethics", now=now)
    assert_well_made(signed_in(person).get(CONSENT).content)


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
    page = staff_client.get(VETTING).content.decode()
    assert person.code in page
    assert "person@example.org" in page
    assert "Waiting for a decision" in page
    assert_well_made(page.encode())


def test_staff_approve_with_one_press(staff_client: Client, person: Participant) -> None:
    page = staff_client.post(f"{VETTING}{person.code}/", {"decision": "approve"}, follow=True)
    assert f"{person.code} is approved.".encode() in page.content
    event = StudyEvent.objects.get(kind="participant_approved")
    assert event.actor is not None
    assert event.actor.email == "lead@example.org"


def test_staff_reject_with_a_reason(staff_client: Client, person: Participant) -> None:
    form = {"decision": "reject", "reason": "<b>No</b> degree"}
    page = staff_client.post(f"{VETTING}{person.code}/", form, follow=True)
    person.refresh_from_db()
    assert (person.vetting_status, person.vetting_reason) == ("rejected", "<b>No</b> degree")
    assert b"&lt;b&gt;No&lt;/b&gt; degree" in page.content


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Choose approve or reject."),
        ({"decision": "delete"}, "Choose approve or reject."),
        ({"decision": "reject", "reason": "  "}, "A rejection needs a reason"),
        ({"decision": "reject", "reason": "x" * 2001}, "at most 2000 characters"),
    ],
)
def test_a_decision_with_a_mistake_is_said_and_not_taken(
    staff_client: Client, person: Participant, form: dict[str, str], sentence: str
) -> None:
    page = staff_client.post(f"{VETTING}{person.code}/", form, follow=True)
    assert sentence in page.content.decode()
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.SUBMITTED


def test_deciding_the_same_again_is_said(staff_client: Client, person: Participant) -> None:
    for _ in range(2):
        page = staff_client.post(f"{VETTING}{person.code}/", {"decision": "approve"}, follow=True)
    assert f"{person.code} is approved already.".encode() in page.content


def test_unknown_people_and_studies_are_not_there(staff_client: Client, person: Participant) -> None:
    assert staff_client.get("/staff/studies/none/participants/").status_code == 404
    assert staff_client.post(f"{VETTING}P-NOBODY/", {"decision": "approve"}).status_code == 404
    assert staff_client.get(f"{VETTING}{person.code}/").status_code == 405


def test_a_study_without_people_says_how_to_add_some(staff_client: Client, study: Study) -> None:
    assert b"import_participants pilot people.csv" in staff_client.get(VETTING).content


def test_long_lists_of_people_come_in_pages_at_a_fixed_cost(
    staff_client: Client, study: Study, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(60):
        participant_add(study=study, email=f"{number}@example.org", profile="stem-phd", now=now)
    with django_assert_num_queries(6):  # session, person, study, number, page, counts
        page = staff_client.get(VETTING).content.decode()
    assert "Page 1 of 2" in page
    assert page.count("@example.org") == 50
    assert staff_client.get(f"{VETTING}?page=2").content.decode().count("@example.org") == 10
    assert staff_client.get(f"{VETTING}?page=x").status_code == 200


def test_the_list_of_studies_costs_the_same_for_one_study_and_for_five(
    staff_client: Client,
    person: Participant,
    make_study: Callable[..., Study],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(4):
        make_study(slug=f"more-{number}")
    with django_assert_num_queries(3):  # session, person, studies
        page = staff_client.get("/staff/").content
    assert b"1 waiting" in page
    assert_well_made(page)


def test_without_a_study_staff_are_told_how_to_make_one(staff_client: Client) -> None:
    assert b"create_study my-study" in staff_client.get("/staff/").content


# --- error pages and the records ------------------------------------------------------------------------


def test_every_open_page_is_well_made(client: Client) -> None:
    for page in ("/", "/accounts/login/", "/accounts/inactive/", "/nothing-here/"):
        assert_well_made(client.get(page).content)


def test_a_page_that_breaks_says_so_without_details(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr("studies.views.home.render", None)
    page = client.get("/")
    assert page.status_code == 500
    assert b"Something went wrong here" in page.content
    assert b"Traceback" not in page.content
    assert_well_made(page.content)


def test_the_records_are_for_looking_only(client: Client, person: Participant) -> None:
    root = User.objects.create_superuser("root@example.org")
    client.force_login(root)
    index = client.get("/admin/").content.decode()
    assert "Chiron records" in index
    models = re.findall(r'href="(/admin/studies/\w+/)"', index)
    assert len(set(models)) >= 10
    for page in set(models):
        assert client.get(page).status_code == 200
        assert client.get(f"{page}add/").status_code == 403
    assert "/admin/account/" not in index
    assert "/admin/auth/" not in index


def test_a_record_can_be_read_but_neither_changed_nor_deleted(client: Client, person: Participant) -> None:
    client.force_login(User.objects.create_superuser("root@example.org"))
    page = f"/admin/studies/participant/{person.pk}/change/"
    assert client.get(page).status_code == 200
    assert client.post(page, {"profile": "other"}).status_code == 403
    assert client.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403
    person.refresh_from_db()
    assert person.profile == "stem-phd"


def test_no_password_stands_in_the_records(client: Client) -> None:
    root = User.objects.create_superuser("root@example.org", "a long password indeed")
    client.force_login(root)
    page = client.get(f"/admin/studies/user/{root.pk}/change/").content
    assert b"pbkdf2" not in page
    assert b"root@example.org" in page


def test_staff_without_rights_see_no_records(staff_client: Client) -> None:
    assert staff_client.get("/admin/studies/participant/").status_code == 403
