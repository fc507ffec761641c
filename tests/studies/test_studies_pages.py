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
from studies.protocol.consents import consent_sha256
from studies.services.amendments import study_amend
from studies.services.people.participants import participant_add, participant_reject
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
    client.get("/")  # the first request notes in the session when it ends
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
        is_data = values.get("type") == "application/json"
        inline = tag == "style" or (tag == "script" and "src" not in values and not is_data)
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


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/no-such-page/", "/api/preview"])
def test_no_page_may_ask_for_the_camera_the_microphone_or_the_place(client: Client, path: str) -> None:
    policy = client.get(path)["Permissions-Policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()"} <= set(policy)


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


def test_lists_of_studies_are_asked_for_anew(person: Participant, staff_client: Client) -> None:
    assert "no-cache" in signed_in(person).get("/")["Cache-Control"]
    assert "no-store" in staff_client.get("/staff/")["Cache-Control"]


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
    return {"decision": decision, "shown": consent_sha256(study.protocol)}


CONSENT = "/studies/pilot/consent/"


def test_the_consent_text_is_shown_as_it_is_meant(person: Participant) -> None:
    page = signed_in(person).get(CONSENT).content.decode()
    assert "<strong>What is recorded</strong>" in page
    assert consent_sha256(person.study.protocol) in page
    assert_well_made(page.encode())


def test_agreeing_is_recorded_and_leads_to_the_study(person: Participant) -> None:
    client = signed_in(person)
    answered = client.post(CONSENT, consent_form(person.study, "accept"))
    assert (answered.status_code, answered["Location"]) == (302, "/studies/pilot/")
    consent = Consent.objects.get()
    assert (consent.participant, consent.accepted) == (person, True)
    page = client.get(CONSENT).content
    assert b"You agreed to this on" in re.sub(rb"\s+", b" ", page)
    assert b"I agree and take part" not in page
    assert (b"I decline" in page, b'href="/studies/pilot/withdraw/"' in page) == (False, True)


def test_declining_is_recorded_and_thanked_for(person: Participant) -> None:
    page = signed_in(person).post(CONSENT, consent_form(person.study, "decline"), follow=True)
    assert b"Thank you for considering it" in page.content
    assert b"No clock starts" in page.content
    assert b"I agree and take part" in page.content
    assert b"I decline" not in page.content
    assert not Consent.objects.get().accepted
    assert_well_made(page.content)


def test_the_page_lists_what_the_settings_make_the_site_record(person: Participant, now: datetime) -> None:
    page = signed_in(person).get(CONSENT).content.decode()
    assert "every version of an answer that reached the server" in page
    assert "how sure you say you are" not in page
    study_amend(study=person.study, changes={"confidence_per_prompt": True}, reason="Reviewers", now=now)
    assert "how sure you say you are" in signed_in(person).get(CONSENT).content.decode()


def test_the_newest_decision_can_be_kept_as_a_file(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    assert client.get(f"{CONSENT}copy/").status_code == 404
    client.post(CONSENT, consent_form(person.study, "accept"))
    agreed_to = consent_sha256(person.study.protocol)
    changes: dict[str, object] = {"consent_text": "Später: **neu**"}
    study_amend(study=person.study, changes=changes, reason="Ethics", now=now)
    answer = client.get(f"{CONSENT}copy/")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    name = f"consent-pilot-{person.code}.txt"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    copy = answer.content.decode()
    assert f"Participant code: {person.code}\nDecision: agreed to take part\nTime: " in copy
    decided = person.consents.get(accepted=True).decided_at
    assert f"Time: {decided.day} {decided:%B %Y, %H:%M:%S} UTC\n" in copy
    assert agreed_to in copy
    assert "Später" not in copy
    assert "- every version of an answer that reached the server, with its time\n" in copy
    client.post(CONSENT, consent_form(Study.objects.get(), "accept"))
    assert "Später: **neu**" in client.get(f"{CONSENT}copy/").content.decode()


def test_a_copy_is_for_the_person_alone(person: Participant, staff_client: Client) -> None:
    signed_in(person).post(CONSENT, consent_form(person.study, "decline"))
    assert staff_client.get(f"{CONSENT}copy/").status_code == 404
    assert Client().get(f"{CONSENT}copy/").status_code == 302


@pytest.mark.parametrize("form", [{}, {"decision": "maybe"}, {"decision": "accept", "shown": "x"}])
def test_a_decision_that_cannot_be_read_is_not_recorded(person: Participant, form: dict[str, str]) -> None:
    page = signed_in(person).post(CONSENT, form)
    assert page.status_code == 422
    assert b'role="alert"' in page.content
    assert not Consent.objects.exists()


def test_a_text_that_changed_meanwhile_is_shown_again(person: Participant, now: datetime) -> None:
    form = consent_form(person.study, "accept")
    changes: dict[str, object] = {"consent_text": "**Newer** text"}
    study_amend(study=person.study, changes=changes, reason="Ethics", now=now)
    page = signed_in(person).post(CONSENT, form)
    assert page.status_code == 422
    assert b"The text was changed while you were reading" in page.content
    assert b"<strong>Newer</strong> text" in page.content
    assert not Consent.objects.exists()


def test_an_earlier_agreement_to_another_text_is_said(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    client.post(CONSENT, consent_form(person.study, "accept"))
    study_amend(study=person.study, changes={"consent_text": "Newer text"}, reason="Ethics", now=now)
    page = client.get(CONSENT).content
    said = b"The text or the list of what is recorded was changed since you decided"
    assert said in re.sub(rb"\s+", b" ", page)
    assert b"I agree and take part" in page


def test_after_the_end_there_is_nothing_to_decide(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    study_close(study=person.study, now=now)
    assert b"I agree and take part" not in client.get(CONSENT).content
    assert client.post(CONSENT, consent_form(person.study, "accept")).status_code == 422
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
    assert b"&lt;b&gt;No&lt;/b&gt; degree" in page.content


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Choose approve or reject."),
        ({"decision": "delete"}, "Choose approve or reject."),
        ({"decision": "reject", "reason": "  "}, "A rejection needs a reason"),
        ({"decision": "reject", "reason": "x" * 2001}, "at most 2000 are allowed"),
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
    page = re.sub(r"\s+", " ", staff_client.get(VETTING).content.decode())
    assert "Profile not sent yet" in page
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
def test_a_code_that_no_database_holds_is_not_there(staff_client: Client, study: Study, page: str) -> None:
    for ask in (staff_client.get, staff_client.post):
        assert ask(f"/staff/studies/pilot/{page}").status_code == 404


def test_a_study_without_people_says_how_to_add_some(staff_client: Client, study: Study) -> None:
    assert b"import_participants pilot people.csv" in staff_client.get(VETTING).content


def test_long_lists_of_people_come_in_pages_at_a_fixed_cost(
    staff_client: Client, study: Study, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(60):
        participant_add(study=study, email=f"{number}@example.org", profile="stem-phd", now=now)
    study_amend(study=study, changes={"comprehension_check": True}, reason="Asked", now=now)
    # session, person, study, number, page, counts, messages waiting, clock
    with django_assert_num_queries(8):
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
    with django_assert_num_queries(4):  # session, person, clock, studies
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
    assert len(set(models)) >= 16
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


def test_what_people_say_about_themselves_stands_not_in_the_records(
    client: Client, person: Participant, now: datetime
) -> None:
    form = person.profile_forms.create(answers={"field": "Botany"}, submitted_at=now)
    attempt = person.check_tries.create(choices=["Botany"], correct=0, passed=False, attempted_at=now)
    message = person.messages.create(is_from_team=False, author=person.user, text="Botany", sent_at=now)
    client.force_login(User.objects.create_superuser("root@example.org"))
    for page in (
        f"profileform/{form.pk}",
        f"comprehensionattempt/{attempt.pk}",
        f"message/{message.pk}",
    ):
        answer = client.get(f"/admin/studies/{page}/change/")
        assert answer.status_code == 200
        assert b"Botany" not in answer.content


def test_no_password_stands_in_the_records(client: Client) -> None:
    root = User.objects.create_superuser("root@example.org", "a long password indeed")
    client.force_login(root)
    page = client.get(f"/admin/studies/user/{root.pk}/change/").content
    assert b"pbkdf2" not in page
    assert b"root@example.org" in page


def test_staff_without_rights_see_no_records(staff_client: Client) -> None:
    assert staff_client.get("/admin/studies/participant/", follow=True).status_code == 403
