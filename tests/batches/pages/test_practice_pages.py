"""Practice: the workspace of a session with a clock that ends nothing, saved as in one, counted nowhere."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Answer, PracticeAnswer, PracticeClock, Revision, SessionEvent
from batches.selectors.answers import study_answers
from batches.services.ending import session_withdraw
from batches.services.starting import session_start
from studies.models import Participant, Study, StudyEvent
from studies.services.amendments import study_amend
from studies.services.people.participants import participant_add

pytestmark = pytest.mark.django_db
PAGE = "/studies/pilot/practice/1/"
SAVE = "/api/studies/pilot/practice/1"


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="pilot", practice_prompts=("Add **2** and 2.", "Name a colour.")))


@pytest.fixture
def visitor(person: Participant) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def text_of(reply: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode())))


def save(
    client: Client, text: str, *, address: str = SAVE, base: int = 0, tab: str = "one", sequence: int = 1
) -> Any:
    body = {"text": text, "base_revision": base, "tab": tab, "sequence": sequence}
    return client.post(address, body, content_type="application/json")


# --- the page -----------------------------------------------------------------------------------------


def test_practice_is_the_page_of_a_session_and_says_that_it_never_counts(visitor: Client) -> None:
    reply = visitor.get(PAGE)
    html = reply.content.decode()
    assert "batches/prompt.html" in [template.name for template in reply.templates]
    assert "Practice question 1 of 2" in text_of(reply)[:200]
    assert "Practice: this never counts." in html
    assert "Add <strong>2</strong> and 2." in html
    assert 'href="/studies/pilot/practice/2/"' in html
    assert "Practice clock 5 hours" in text_of(reply)
    assert "/sessions/" not in html


def test_note_and_confidence_are_asked_as_in_the_session(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], client: Client
) -> None:
    study = make_study(slug="pilot", note_per_prompt=True, confidence_per_prompt=True)
    client.force_login(make_person(study).user)
    assert {"note", "confidence"} <= set(re.findall(r'name="(\w+)"', client.get(PAGE).content.decode()))
    body = {"text": "4", "note": "books", "confidence": 50, "base_revision": 0, "tab": "one", "sequence": 1}
    assert client.post(SAVE, body, content_type="application/json").status_code == 200
    saved = client.get(SAVE).json()
    assert (saved["text"], saved["note"], saved["confidence"]) == ("4", "books", 50)


def test_a_study_without_practice_prompts_has_no_practice(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], client: Client
) -> None:
    client.force_login(make_person(make_study(slug="pilot", practice_prompts=())).user)
    assert client.get(PAGE).status_code == 404
    assert "/practice/" not in client.get("/studies/pilot/instructions/").content.decode()


# --- the clock ----------------------------------------------------------------------------------------


def seconds_left(visitor: Client) -> int:
    return int(visitor.get("/api/studies/pilot/practice/time").json()["seconds_left"])


def test_the_clock_starts_when_practice_is_opened_and_runs_on_from_prompt_to_prompt(
    visitor: Client, person: Participant
) -> None:
    visitor.get(PAGE)
    PracticeClock.objects.update(started_at=timezone.now() - timedelta(hours=1))
    visitor.get("/studies/pilot/practice/2/")
    assert 14_390 <= seconds_left(visitor) <= 14_400
    assert save(visitor, "4").json()["seconds_left"] <= 14_400


def test_the_end_of_the_clock_closes_nothing_and_the_clock_can_be_started_again(visitor: Client) -> None:
    visitor.get(PAGE)
    PracticeClock.objects.update(started_at=timezone.now() - timedelta(hours=6))
    assert visitor.get("/api/studies/pilot/practice/time").json()["status"] == "expired"
    over = text_of(visitor.get(PAGE))
    assert "In your session your answers would be closed now." in over
    assert save(visitor, "still here").status_code == 200
    assert visitor.post(PAGE, {"go": "restart"})["Location"] == PAGE
    assert seconds_left(visitor) > 17_990
    assert visitor.get(SAVE).json()["text"] == "still here"


def test_flags_and_states_stand_in_the_list_as_in_a_session(visitor: Client) -> None:
    visitor.get(PAGE)
    assert "Question 1 opened, empty" in text_of(visitor.get(PAGE))
    flag = visitor.put(f"{SAVE}/flag", {"flagged": True}, content_type="application/json")
    assert flag.status_code == 200
    visitor.post("/studies/pilot/practice/2/", {"text": "red", "base_revision": 0, "go": "flag"})
    page = visitor.get(PAGE)
    assert "Question 2 answered" in text_of(page)
    assert len(re.findall(r"data-flag\s*>", page.content.decode())) == 2
    assert PracticeAnswer.objects.get(number=1).revision == 0


def test_without_script_the_buttons_save_and_lead_on(visitor: Client) -> None:
    reply = visitor.post(PAGE, {"text": "4\r\nfour", "base_revision": 0, "go": "next"})
    assert reply["Location"] == "/studies/pilot/practice/2/"
    assert "4\nfour</textarea>" in visitor.get(PAGE).content.decode()
    assert PracticeAnswer.objects.get().text == "4\nfour"
    reply = visitor.post("/studies/pilot/practice/2/", {"text": "red", "base_revision": 0, "go": "next"})
    assert reply["Location"] == "/studies/pilot/practice/2/"


def test_without_script_an_older_page_keeps_its_text_and_overwrites_nothing(visitor: Client) -> None:
    visitor.post(PAGE, {"text": "newer", "base_revision": 0})
    reply = visitor.post(PAGE, {"text": "older", "base_revision": 0})
    assert reply.status_code == 409
    assert "older</textarea>" in reply.content.decode()
    assert "newer" in text_of(reply)
    assert PracticeAnswer.objects.get().text == "newer"


@pytest.mark.parametrize("text", ["a\0b", "x" * 100_001])
def test_a_text_that_cannot_be_stored_stays_in_the_page(visitor: Client, text: str) -> None:
    reply = visitor.post(PAGE, {"text": text, "base_revision": 0})
    assert reply.status_code == 422
    assert text[-50:] in reply.content.decode()
    assert not PracticeAnswer.objects.exists()


@pytest.mark.parametrize("number", [0, 3, 99999999999999999999])
def test_there_are_only_the_prompts_the_study_has(visitor: Client, number: int) -> None:
    assert visitor.get(f"/studies/pilot/practice/{number}/").status_code == 404
    assert save(visitor, "x", address=f"/api/studies/pilot/practice/{number}").status_code == 404


# --- saving by script ---------------------------------------------------------------------------------


def test_saves_follow_the_rules_of_a_session(visitor: Client) -> None:
    first = save(visitor, "one").json()
    assert (first["outcome"], first["revision"], first["seconds_left"]) == ("accepted", 1, 18_000)
    assert save(visitor, "one").json()["outcome"] == "duplicate"
    assert save(visitor, "two", sequence=2, base=1).json()["revision"] == 2
    late = save(visitor, "one and a half")
    assert (late.status_code, late.json()["outcome"]) == (409, "superseded")
    stale = save(visitor, "elsewhere", tab="two", base=1)
    assert (stale.status_code, stale.json()["outcome"]) == (409, "refused_stale")
    assert stale.json()["current_text"] == "two"
    saved = visitor.get(SAVE).json()
    assert (saved["text"], saved["revision"]) == ("two", 2)


def test_reading_what_was_never_saved_stores_nothing(visitor: Client) -> None:
    empty = {"text": "", "note": "", "confidence": None, "is_flagged": False, "revision": 0, "saved_at": None}
    assert visitor.get(SAVE).json() == empty
    assert not PracticeAnswer.objects.exists()


@pytest.mark.parametrize("extra", [{"note": "books"}, {"confidence": 50}])
def test_what_the_study_does_not_ask_is_not_taken(visitor: Client, extra: dict[str, object]) -> None:
    body = {"text": "4", "base_revision": 0, "tab": "one", "sequence": 1, **extra}
    reply = visitor.post(SAVE, body, content_type="application/json")
    assert reply.status_code == 422
    assert reply.json()["sentence"].startswith("This study")
    assert not PracticeAnswer.objects.exists()


# --- who may practise, and when -----------------------------------------------------------------------


def test_practice_of_others_does_not_exist(
    visitor: Client, make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    make_study(slug="other")
    assert save(visitor, "x", address="/api/studies/other/practice/1").status_code == 404
    assert visitor.get("/api/studies/other/practice/1").status_code == 404
    assert save(Client(), "x").status_code in (403, 404)
    assert not PracticeAnswer.objects.exists()


def check_refused(visitor: Client, sentence: str) -> None:
    """The page leads home with the reason, a save is refused with it, and a form keeps its text."""
    home = visitor.get(PAGE, follow=True)
    assert home.redirect_chain == [("/studies/pilot/", 302)]
    assert sentence in text_of(home)
    assert visitor.get("/api/studies/pilot/practice/time").status_code == 422
    assert visitor.post(PAGE, {"go": "restart"})["Location"] == "/studies/pilot/"
    reply = save(visitor, "too late")
    assert (reply.status_code, sentence in reply.json()["sentence"]) == (422, True)
    form = visitor.post(PAGE, {"text": "too late", "base_revision": 0})
    assert form.status_code == 422
    assert "too late</textarea>" in form.content.decode()
    assert not PracticeAnswer.objects.exists()
    assert not PracticeClock.objects.exists()


def test_practice_is_over_once_the_session_has_started(visitor: Client, person: Participant) -> None:
    session_start(participant=person, now=timezone.now())
    check_refused(visitor, "Practice is over: your session has started.")


def test_who_withdrew_has_nothing_to_practise_for(visitor: Client, person: Participant) -> None:
    session_withdraw(participant=person, now=timezone.now())
    check_refused(visitor, "You have withdrawn from this study")


def test_nobody_practises_before_consent(visitor: Client, person: Participant, now: datetime) -> None:
    study_amend(study=person.study, changes={"consent_text": "Another."}, reason="Ethics board", now=now)
    check_refused(visitor, "once you have read the consent text and agreed to it")


def test_nobody_practises_before_the_decision(make_study: Callable[..., Study], now: datetime) -> None:
    study = make_study(slug="pilot")
    newcomer = participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    client = Client()
    client.force_login(newcomer.user)
    check_refused(client, "once the study team has admitted you")


def test_practice_leaves_no_trace_in_anything_that_is_counted(visitor: Client, person: Participant) -> None:
    events = StudyEvent.objects.count()
    visitor.get(PAGE)
    save(visitor, "practised")
    session_start(participant=person, now=timezone.now())
    assert not Answer.objects.exclude(text="").exists()
    assert not study_answers(person.study).exclude(text="").exists()
    assert not Revision.objects.exists()
    assert SessionEvent.objects.count() == 1
    assert StudyEvent.objects.count() == events
