"""The comprehension check: tries, passing, one more try."""

import threading
from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import connection

from batches.models import Session
from batches.services.ending import session_withdraw
from batches.services.starting import CheckNotPassed, session_start
from studies.models import ComprehensionAttempt, Participant, Study, StudyEvent, User
from studies.selectors.participants import check_attempts_left, check_passed, questions_sha256
from studies.services.amendments import study_amend
from studies.services.people.comprehension import (
    AttemptCounted,
    AttemptNotGranted,
    CheckNotAsked,
    NoAttemptsLeft,
    QuestionsChanged,
    check_answer,
    check_attempt_grant,
)
from studies.services.people.consents import ConsentNotAsked, consent_record
from studies.services.people.participants import participant_add, participant_approve
from studies.services.studies import study_close

QUESTIONS = [
    {"question": "When does the clock run?", "options": ["Never", "Always"], "correct": 2},
    {"question": "Who may help?", "options": ["Nobody", "A cat", "Any model"], "correct": 3},
]
RIGHT, WRONG = [2, 3], [2, 1]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", comprehension_check=True, check_questions=QUESTIONS)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Participant:
    return make_person(study)


def tried(person: Participant, choices: list[int], attempt: int, now: datetime) -> ComprehensionAttempt:
    study = Study.objects.get(slug="pilot")
    shown = questions_sha256(study.protocol)
    return check_answer(participant=person, choices=choices, attempt=attempt, shown_sha256=shown, now=now)


@pytest.mark.django_db
def test_all_right_passes_and_is_asked_no_more(person: Participant, now: datetime) -> None:
    assert not check_passed(person)
    attempt = tried(person, RIGHT, 1, now)
    assert (attempt.passed, attempt.correct, attempt.attempted_at) == (True, 2, now)
    assert check_passed(person)
    event = StudyEvent.objects.get(kind="check_passed")
    assert (event.actor, event.participant) == (person.user, person)
    assert event.details == {"correct": 2, "questions": 2, "attempts_left": 1}
    with pytest.raises(CheckNotAsked, match="need not do it again"):
        tried(person, RIGHT, 2, now)


@pytest.mark.django_db
def test_nobody_starts_before_the_check_is_passed(person: Participant, now: datetime) -> None:
    tried(person, WRONG, 1, now)
    with pytest.raises(CheckNotPassed, match="answer the check questions"):
        session_start(participant=person, now=now)
    assert not Session.objects.exists()
    tried(person, RIGHT, 2, now)
    assert session_start(participant=person, now=now).participant == person


@pytest.mark.django_db
def test_two_tries_and_then_none(person: Participant, now: datetime) -> None:
    first = tried(person, WRONG, 1, now)
    assert (first.passed, first.correct, check_attempts_left(person)) == (False, 1, 1)
    assert first.choices == [
        {"question": "When does the clock run?", "answer": "Always", "right": True},
        {"question": "Who may help?", "answer": "Nobody", "right": False},
    ]
    tried(person, WRONG, 2, now)
    assert (check_attempts_left(person), check_passed(person)) == (0, False)
    with pytest.raises(NoAttemptsLeft, match="may allow you another"):
        tried(person, RIGHT, 3, now)
    assert StudyEvent.objects.filter(kind="check_failed").count() == 2


@pytest.mark.django_db
def test_a_double_click_uses_one_try(person: Participant, now: datetime) -> None:
    tried(person, WRONG, 1, now)
    with pytest.raises(AttemptCounted):
        tried(person, WRONG, 1, now)
    assert check_attempts_left(person) == 1


@pytest.mark.django_db
def test_other_questions_cost_no_try(study: Study, person: Participant, now: datetime) -> None:
    shown = questions_sha256(study.protocol)
    study_amend(study=study, changes={"check_questions": QUESTIONS[:1]}, reason="Shorter", now=now)
    with pytest.raises(QuestionsChanged, match="No try was used"):
        check_answer(participant=person, choices=RIGHT, attempt=1, shown_sha256=shown, now=now)
    assert check_attempts_left(person) == 2


@pytest.mark.django_db
def test_passed_is_passed_whatever_is_asked_later(study: Study, person: Participant, now: datetime) -> None:
    tried(person, RIGHT, 1, now)
    study_amend(study=study, changes={"check_questions": QUESTIONS[:1]}, reason="Shorter", now=now)
    assert check_passed(Participant.objects.get())


@pytest.mark.django_db
def test_a_study_without_check_keeps_nobody_waiting(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> None:
    person = make_person(make_study(slug="pilot"))
    assert check_passed(person)
    with pytest.raises(CheckNotAsked, match="has no check questions"):
        tried(person, [1], 1, now)


@pytest.mark.django_db
def test_the_check_comes_after_decision_and_consent_and_before_the_end(study: Study, now: datetime) -> None:
    person = participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    with pytest.raises(CheckNotAsked, match="after the study team's decision"):
        tried(person, RIGHT, 1, now)
    participant_approve(participant=person, now=now)
    with pytest.raises(CheckNotAsked, match="read the consent text"):
        tried(person, RIGHT, 1, now)
    consent_record(participant=person, accepted=True, now=now)
    study_close(study=study, now=now)
    with pytest.raises(CheckNotAsked, match="not open"):
        tried(person, RIGHT, 1, now)
    assert not ComprehensionAttempt.objects.exists()


@pytest.mark.django_db
def test_one_more_try_is_granted_for_a_reason_when_none_is_left(person: Participant, now: datetime) -> None:
    lead = User.objects.create_superuser("lead@example.org")
    with pytest.raises(AttemptNotGranted, match="has a try left"):
        check_attempt_grant(participant=person, reason="Asked", actor=lead, now=now)
    for attempt in (1, 2):
        tried(person, WRONG, attempt, now)
    with pytest.raises(AttemptNotGranted, match="the reason is kept"):
        check_attempt_grant(participant=person, reason=" ", actor=lead, now=now)
    check_attempt_grant(participant=person, reason=" Misread it ", actor=lead, now=now)
    event = StudyEvent.objects.get(kind="check_attempt_granted")
    assert (event.actor, event.details) == (lead, {"check_attempts": 3, "reason": "Misread it"})
    with pytest.raises(AttemptNotGranted, match="has a try left"):
        check_attempt_grant(participant=person, reason="Twice", actor=lead, now=now)
    assert tried(person, RIGHT, 3, now).passed
    with pytest.raises(AttemptNotGranted, match="No further try is needed"):
        check_attempt_grant(participant=person, reason="Again", actor=lead, now=now)


@pytest.mark.django_db(transaction=True)
def test_several_tabs_at_once_use_one_try(person: Participant, now: datetime) -> None:
    outcomes: list[str] = []
    ready = threading.Barrier(4)

    def tab() -> None:
        ready.wait()
        try:
            outcomes.append("passed" if tried(person, WRONG, 1, now).passed else "failed")
        except AttemptCounted:
            outcomes.append("counted")
        finally:
            connection.close()

    threads = [threading.Thread(target=tab) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["counted", "counted", "counted", "failed"]
    assert check_attempts_left(person) == 1


@pytest.mark.django_db
def test_somebody_who_withdrew_is_asked_nothing_any_more(
    study: Study, person: Participant, now: datetime
) -> None:
    session_withdraw(participant=person, now=now)
    study_amend(study=study, changes={"consent_text": "Another text."}, reason="Clearer", now=now)
    with pytest.raises(ConsentNotAsked, match="You have withdrawn"):
        consent_record(participant=person, accepted=True, now=now)
    with pytest.raises(CheckNotAsked, match="You have withdrawn"):
        tried(person, RIGHT, 1, now)
    assert not ComprehensionAttempt.objects.exists()
