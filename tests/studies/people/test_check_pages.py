"""The check questions as a participant sees them."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from studies.models import ComprehensionAttempt, Participant, Study, StudyEvent, User
from studies.selectors.participants import questions_sha256

pytestmark = pytest.mark.django_db
CHECK = "/studies/pilot/check/"
QUESTIONS = [
    {"question": "When does the clock <b>run</b>?", "options": ["Never", "Always"], "correct": 2},
    {"question": "Who may help?", "options": ["Nobody", "A cat", "Any model"], "correct": 3},
]
RIGHT = {"question-1": "2", "question-2": "3"}
WRONG = {"question-1": "2", "question-2": "1"}


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="pilot", comprehension_check=True, check_questions=QUESTIONS))


@pytest.fixture
def visitor(client: Client, person: Participant) -> Client:
    client.force_login(person.user)
    return client


def form(person: Participant, answers: dict[str, str], attempt: int = 1) -> dict[str, str]:
    return {**answers, "attempt": str(attempt), "shown": questions_sha256(person.study.protocol)}


def words(page: bytes) -> str:
    return re.sub(r"\s+", " ", page.decode())


def test_the_questions_are_shown_as_text_and_choose_nothing(visitor: Client) -> None:
    page = words(visitor.get(CHECK).content)
    assert "You have 2 tries left" in page
    assert page.count('type="radio"') == 5
    assert "checked" not in page
    assert "clock &lt;b&gt;run" in page


def test_all_right_leads_back_to_the_study(visitor: Client, person: Participant) -> None:
    answer = visitor.post(CHECK, form(person, RIGHT))
    assert (answer.status_code, answer["Location"]) == (302, "/studies/pilot/")
    assert visitor.get(CHECK)["Location"] == "/studies/pilot/"
    assert ComprehensionAttempt.objects.get().passed


def test_a_failed_try_says_what_to_read_again_and_not_what_is_right(
    visitor: Client, person: Participant
) -> None:
    page = words(visitor.post(CHECK, form(person, WRONG), follow=True).content)
    assert "You answered 1 of 2 questions as the instructions say" in page
    notice = page[page.index("Your last try") : page.index("<form")]
    assert ("Who may help?" in notice, "clock" in notice, "Any model" in notice) == (True, False, False)
    assert "You have 1 try left" in page


def test_after_the_last_try_one_message_and_no_form_is_left(visitor: Client, person: Participant) -> None:
    visitor.post(CHECK, form(person, WRONG))
    visitor.post(CHECK, form(person, WRONG, attempt=2))
    page = words(visitor.post(CHECK, form(person, RIGHT, attempt=3), follow=True).content)
    assert page.count('class="notice warn"') == page.count("You have used all your tries") == 1
    assert 'type="radio"' not in page
    assert not ComprehensionAttempt.objects.filter(passed=True).exists()


def test_the_panel_of_whoever_has_no_try_left_allows_one_more_for_a_reason(
    person: Participant, lead: User, now: datetime
) -> None:
    for _ in range(2):
        person.check_tries.create(choices=[], correct=0, passed=False, attempted_at=now)
    browser = Client()
    browser.force_login(lead)
    browser.get("/")
    panel = f"/staff/studies/pilot/participants/?person={person.code}"
    asked = words(browser.get(panel).content)
    assert "This person has used all tries at the check questions and waits." in asked
    back = re.search(r'name="back" value="(person=[^"]+)"', asked)
    assert back is not None
    sent = {"check-attempt-reason": "Read it on a phone", "back": back[1]}
    answer = browser.post(f"/staff/studies/pilot/participants/{person.code}/check-attempt/", sent)
    assert answer.headers["Location"] == panel
    granted = StudyEvent.objects.get(kind="check_attempt_granted")
    assert (granted.details["reason"], granted.actor) == ("Read it on a phone", lead)
    assert "Allow one more try" not in words(browser.get(panel).content)


def test_an_open_question_uses_no_try_and_keeps_the_rest(visitor: Client, person: Participant) -> None:
    page = visitor.post(CHECK, form(person, {"question-1": "2", "question-2": "7"}))
    assert page.status_code == 422
    assert "No try was used" in words(page.content)
    assert page.content.count(b"checked") == 1
    assert not ComprehensionAttempt.objects.exists()


@pytest.mark.parametrize("broken", [{"shown": "x"}, {"shown": ""}, {"attempt": "9"}, {"attempt": "x"}])
def test_a_page_that_does_not_fit_uses_no_try(
    visitor: Client, person: Participant, broken: dict[str, str]
) -> None:
    assert visitor.post(CHECK, {**form(person, RIGHT), **broken}).status_code in (302, 422)
    assert not ComprehensionAttempt.objects.exists()


def test_the_second_tab_is_told_that_the_try_counted(visitor: Client, person: Participant) -> None:
    visitor.post(CHECK, form(person, WRONG))
    page = words(visitor.post(CHECK, form(person, RIGHT), follow=True).content)
    assert "This try was counted already" in page
    assert ComprehensionAttempt.objects.count() == 1


def test_strangers_find_nothing(
    client: Client, person: Participant, make_study: Callable[..., Study], make_person: Callable[..., object]
) -> None:
    assert client.get(CHECK)["Location"] == f"/accounts/login/?next={CHECK}"
    stranger = make_person(make_study(slug="other"))
    assert isinstance(stranger, Participant)
    client.force_login(stranger.user)
    assert client.get(CHECK).status_code == 404
    assert client.post(CHECK, form(person, RIGHT)).status_code == 404
