"""The interface in two languages: choosing one, and no page that keeps a text of the other."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from batches.models import Session
from judging.models import JudgingRun
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from studies.models import Participant, Study, User
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add

pytestmark = pytest.mark.django_db

ATTRIBUTES = {"alt", "aria-label", "aria-description", "placeholder", "title", "content"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
NOT_READ = {"script", "style", "pre", "code", "textarea", "math"}

# What is the same in both languages: data of the test, names, symbols, and words German shares with English.
SAME = re.compile(
    r"The study languages|\S+@\S+|\b[PQ]-\w+|\b[0-9A-Fa-f]{10,}\b|bank-languages|\bv?\d+\b"
    r"|stem-phd|Chiron|Markdown|LaTeX|PDF|JSON|CSV|UTC|Theta|SE\b|Top|in-sample|Alt|Shift|checks"
    r"|\b[a-z]+\.[a-z_.0-9]+\b|\bas-[a-z:-]+\b|\b[a-z]+:[a-z0-9.-]+|theta_QL|on_time|submitted|\bDIF\b|Benchmark|Design|PNG|Pool|Median"
    r"|Deutsch|English|SVG|Export|Live|Mails|Team|Budget|Code|Institution|Name|Passkeys?|Person|Start|OpenAI|vLLM|Ollama"
)
NO_LETTERS = {
    "allowed_tools": "§ 1",
    "resource_categories": ["§ 2"],
    "instructions": "§ 3",
    "consent_text": "§ 4",
    "practice_prompts": ["§ 5"],
    "check_questions": [{"question": "§ 6", "options": ["1", "2"], "correct": 1}],
    "next_steps": "§ 7",
    "payment_note": "§ 8",
    "contact": "§ 9",
    "note_per_prompt": True,
    "confidence_per_prompt": True,
    "profiles": [{"slug": "stem-phd", "name": "§ 10", "description": "§ 11"}],
}


class Texts(HTMLParser):
    """Every text a reader of the page sees or hears, except what is marked as being in English."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.skipping: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        foreign = "lang" in values and tag != "html"
        skip = bool(self.skipping and self.skipping[-1]) or tag in NOT_READ or foreign
        if not skip and tag != "meta":
            self.found |= {" ".join(value.split()) for name, value in attrs if name in ATTRIBUTES and value}
        if tag not in VOID:
            self.skipping.append(skip)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.skipping.pop()

    def handle_data(self, data: str) -> None:
        if not (self.skipping and self.skipping[-1]):
            self.found.add(" ".join(data.split()))


def texts_in(client: Client, address: str, language: str) -> set[str]:
    response = client.get(address, headers={"accept-language": language})
    assert response.status_code in {200, 404}, (address, response.status_code)
    assert response.headers["Content-Language"] == language
    reader = Texts()
    reader.feed(response.content.decode())
    return reader.found


def untranslated(client: Client, address: str) -> list[str]:
    both = texts_in(client, address, "en") & texts_in(client, address, "de")
    return sorted(text for text in both if re.search(r"[^\W\d_]{2,}", SAME.sub("", text)))


@pytest.fixture(scope="module")
def study(kept: None, make_study: Callable[..., Study]) -> Study:
    return make_study(slug="languages", judge_kind="checks", top_size=1, **NO_LETTERS)


@pytest.fixture(scope="module")
def person(study: Study, make_person: Callable[..., Participant]) -> Participant:
    return make_person(study)


@pytest.fixture(scope="module")
def scored(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    keep_flagged: Callable[[Study, datetime], None],
    now: datetime,
) -> Participant:
    """The one person of a scored study."""
    study = make_study(slug="languages-2", judge_kind="checks", top_size=1, **NO_LETTERS)
    person = make_person(study)
    work(person, {"p001": "idk"})
    keep_flagged(study, now + timedelta(days=1))
    score_at(study, clock=lambda: now + timedelta(days=1))
    return person


@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/nowhere/"])
def test_pages_before_signing_in_are_whole_in_german(client: Client, address: str) -> None:
    assert untranslated(client, address) == []


@pytest.mark.parametrize("name", ["study_home", "study_profile", "study_consent", "study_help"])
def test_pages_of_a_newcomer_are_whole_in_german(
    client: Client, study: Study, now: datetime, name: str
) -> None:
    newcomer = participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    consent_record(participant=newcomer, accepted=True, now=now)
    client.force_login(newcomer.user)
    assert untranslated(client, reverse(name, args=["languages"])) == []


@pytest.mark.parametrize("name", ["study_home", "study_instructions", "session_start", "study_withdraw"])
def test_pages_before_the_start_are_whole_in_german(client: Client, person: Participant, name: str) -> None:
    client.force_login(person.user)
    assert untranslated(client, reverse(name, args=["languages"])) == []


def test_the_first_page_of_a_participant_and_of_a_stranger_is_whole_in_german(
    client: Client, person: Participant
) -> None:
    client.force_login(person.user)
    assert untranslated(client, "/") == []
    client.force_login(User.objects.create_user("stranger@example.org"))
    assert untranslated(client, "/") == []


def test_the_comprehension_check_is_whole_in_german(
    client: Client, make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    study = make_study(slug="languages-3", comprehension_check=True, **NO_LETTERS)
    client.force_login(make_person(study).user)
    assert untranslated(client, reverse("study_check", args=["languages-3"])) == []


def test_the_practice_page_is_whole_in_german(client: Client, person: Participant) -> None:
    client.force_login(person.user)
    assert untranslated(client, reverse("study_practice", args=["languages", 1])) == []


@pytest.mark.parametrize(
    "name", ["session_overview", "session_prompt", "session_resources", "session_submit"]
)
def test_pages_of_a_running_session_are_whole_in_german(
    client: Client, person: Participant, work: Callable[..., Session], name: str
) -> None:
    session = work(person, {"p001": "§ 12"}, end="active")
    client.force_login(person.user)
    place = [session.pk, 1] if name == "session_prompt" else [session.pk]
    assert untranslated(client, reverse(name, args=place)) == []


@pytest.mark.parametrize("end", ["submitted", "expired", "withdrawn"])
def test_pages_after_the_end_are_whole_in_german(
    client: Client, person: Participant, work: Callable[..., Session], end: str
) -> None:
    session = work(person, {"p001": "§ 12"}, end=end)
    client.force_login(person.user)
    assert untranslated(client, reverse("session_receipt", args=[session.pk])) == []
    assert untranslated(client, reverse("study_home", args=["languages"])) == []


@pytest.mark.parametrize(
    "name",
    [
        "staff_home",
        "staff_study",
        "staff_participants",
        "staff_invitations",
        "staff_screening",
        "staff_results",
        "staff_judges",
        "staff_judge_add",
        "staff_judging",
        "staff_judging_run",
        "staff_agreement",
        "staff_audit",
        "staff_announcements",
        "staff_messages",
        "staff_person",
    ],
)
def test_staff_pages_are_whole_in_german(client: Client, scored: Participant, name: str) -> None:
    client.force_login(User.objects.create_superuser("lead@example.org"))
    run = JudgingRun.objects.get().pk
    places: dict[str, list[object]] = {
        **{key: [] for key in ("staff_home", "staff_judges", "staff_judge_add")},
        **{key: ["languages-2", run] for key in ("staff_judging_run", "staff_audit")},
        "staff_person": ["languages-2", scored.code],
    }
    assert untranslated(client, reverse(name, args=places.get(name, ["languages-2"]))) == []


@pytest.mark.parametrize("block", list(Block))
def test_every_page_of_the_measurement_is_whole_in_german(
    client: Client, scored: Participant, block: Block
) -> None:
    client.force_login(User.objects.create_superuser("lead@example.org"))
    assert untranslated(client, reverse("staff_measurement", args=["languages-2", block])) == []


@pytest.mark.parametrize("name", ["staff_planner", "staff_report"])
def test_the_planner_and_the_report_are_whole_in_german(client: Client, study: Study, name: str) -> None:
    client.force_login(User.objects.create_superuser("lead@example.org"))
    places = {"staff_report": ["languages"]}
    assert untranslated(client, reverse(name, args=places.get(name))) == []


def test_choosing_a_language_leads_back_to_the_page_and_lasts(client: Client) -> None:
    back = client.post(reverse("set_language"), {"language": "de", "next": "/accounts/login/"})
    assert (back.status_code, back.headers["Location"]) == (302, "/accounts/login/")
    cookie = back.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie["max-age"], cookie["samesite"], cookie["httponly"]) == (365 * 24 * 3600, "Lax", True)
    page = client.get("/accounts/login/", headers={"accept-language": "en"})
    assert page.headers["Content-Language"] == "de"
    assert re.search(r'value="de"\s+lang="de"\s+aria-current="true"', page.content.decode())


@pytest.mark.parametrize("address", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:1"])
def test_choosing_a_language_never_leads_to_another_site(client: Client, address: str) -> None:
    back = client.post(reverse("set_language"), {"language": "de", "next": address})
    assert back.headers["Location"] == "/"


def test_an_unknown_language_changes_nothing(client: Client) -> None:
    back = client.post(reverse("set_language"), {"language": "xx", "next": "/"})
    assert settings.LANGUAGE_COOKIE_NAME not in back.cookies


def test_the_language_form_is_protected_against_other_sites() -> None:
    assert Client(enforce_csrf_checks=True).post("/language/setlang/", {"language": "de"}).status_code == 403


def test_pages_tell_caches_that_they_differ_by_language(client: Client) -> None:
    varies = client.get("/accounts/login/").headers["Vary"]
    assert {"Accept-Language", "Cookie"} <= set(varies.split(", "))


def test_the_texts_of_the_scripts_follow_the_language(client: Client) -> None:
    address = reverse("javascript_texts")
    texts = {code: client.get(address, headers={"accept-language": code}) for code in ("en", "de")}
    assert b"Nicht gespeichert." in texts["de"].content
    assert b"Nicht gespeichert." not in texts["en"].content
    assert {text.headers["Cache-Control"] for text in texts.values()} == {"private, no-cache"}
    assert all("Accept-Language" in text.headers["Vary"] for text in texts.values())


def test_a_browser_that_has_the_texts_of_the_scripts_is_sent_them_in_another_language_only() -> None:
    address, has = reverse("javascript_texts"), Client()
    tag = has.get(address, headers={"Accept-Language": "en"}).headers["ETag"]
    again = [
        has.get(address, headers={"Accept-Language": language, "If-None-Match": tag}).status_code
        for language in ("en", "de")
    ]
    assert again == [304, 200]


def test_an_unknown_wish_gets_english(client: Client) -> None:
    assert (
        client.get("/accounts/login/", headers={"accept-language": "xx"}).headers["Content-Language"] == "en"
    )


def test_the_api_speaks_the_language_of_the_page(client: Client) -> None:
    address = "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/time"
    sentences = {
        code: client.get(address, headers={"accept-language": code}).json()["sentence"]
        for code in ("en", "de")
    }
    assert sentences["en"].startswith("You are signed out.")
    assert sentences["de"].startswith("Sie sind abgemeldet.")
