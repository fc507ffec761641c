"""The study home as the path of a participant."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.services.ending import session_withdraw
from batches.services.starting import session_start
from studies.models import ComprehensionAttempt, Participant, Study, StudyStatus, VettingStatus
from studies.services.amendments import study_amend
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve, participant_reject
from tests.batches.home.study_home import HOME, START, primary_address, signed_in, text_of

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


def steps_of(reply: Any) -> list[str]:
    """Every step with its state, as a reader reads it."""
    return [
        unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", heading)).strip())
        for heading in re.findall(r"<h3>(.*?)</h3>", reply.content.decode(), re.DOTALL)
    ]


# --- the path -----------------------------------------------------------------------------------------


def test_the_path_leads_over_the_instructions_to_the_start_and_looking_starts_nothing(
    visitor: Client,
) -> None:
    reply = visitor.get(HOME)
    assert primary_address(reply) == "/studies/pilot/instructions/"
    assert f'href="{START}"' in reply.content.decode()
    assert steps_of(reply) == [
        "Consent done",
        "Decision of the study team admitted",
        "Instructions next",
        "Practice optional",
        "Start later",
        "Your session later",
        "Receipt later",
    ]
    visitor.get("/studies/pilot/instructions/")
    reply = visitor.get(HOME)
    assert primary_address(reply) == START
    assert "Start next" in steps_of(reply)
    assert not Session.objects.exists()


def test_steps_the_study_does_not_ask_for_are_not_there(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    person = make_person(make_study(slug="pilot", practice_prompts=(), comprehension_check=True))
    steps = steps_of(signed_in(person).get(HOME))
    assert "Questions on the instructions later" in steps
    assert not any(step.startswith(("Practice", "Your profile")) for step in steps)


def test_an_invited_person_decides_on_taking_part_before_anything_is_asked(
    make_study: MakeStudy, now: datetime
) -> None:
    study = make_study(slug="pilot")
    person = participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    Participant.objects.update(vetting_status=VettingStatus.INVITED)
    visitor = signed_in(person)
    reply = visitor.get(HOME)
    assert primary_address(reply) == "/studies/pilot/consent/"
    assert steps_of(reply)[:2] == ["Consent next", "Your profile later"]
    assert "/profile/" not in reply.content.decode()
    consent_record(participant=person, accepted=True, now=now)
    reply = visitor.get(HOME)
    assert primary_address(reply) == "/studies/pilot/profile/"
    assert steps_of(reply)[1:3] == ["Your profile next", "Decision of the study team later"]


def test_a_person_without_a_decision_waits(participant: Participant, visitor: Client) -> None:
    Participant.objects.update(vetting_status=VettingStatus.SUBMITTED)
    reply = visitor.get(HOME)
    assert "waits for the study team's decision" in text_of(reply)
    assert primary_address(reply) is None
    assert steps_of(reply)[1] == "Decision of the study team waiting"


def test_who_declined_is_thanked_and_not_asked_again(make_study: MakeStudy, now: datetime) -> None:
    study = make_study(slug="declining")
    person = participant_add(study=study, email="no@example.org", profile="stem-phd", now=now)
    participant_approve(participant=person, now=now)
    consent_record(participant=person, accepted=False, now=now)
    page = signed_in(person).get("/studies/declining/")
    assert "You declined, so you do not take part" in text_of(page)
    assert "decide whether to take part" not in text_of(page)
    assert primary_address(page) is None
    study_amend(study=study, changes={"consent_text": "A new text."}, reason="Clearer", now=now)
    assert primary_address(signed_in(person).get("/studies/declining/")) == "/studies/declining/consent/"


def test_a_rejected_person_reads_the_reason_and_nothing_else_is_asked(
    visitor: Client, participant: Participant, now: datetime
) -> None:
    participant_reject(participant=participant, reason="The degree <b>does not fit.", now=now)
    reply = visitor.get(HOME)
    assert "The degree &lt;b&gt;does not fit." in reply.content.decode()
    assert steps_of(reply)[1] == "Decision of the study team not admitted"
    assert primary_address(reply) is None
    assert not any("next" in step or "later" in step for step in steps_of(reply))


def test_consent_is_next_where_it_is_missing(
    visitor: Client, participant: Participant, now: datetime
) -> None:
    changes: dict[str, object] = {"consent_text": "Another text."}
    study_amend(study=participant.study, changes=changes, reason="Ethics board", now=now)
    assert primary_address(visitor.get(HOME)) == "/studies/pilot/consent/"


def test_the_questions_stand_before_the_start_where_the_study_asks_them(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    person = make_person(make_study(slug="pilot", comprehension_check=True))
    visitor = signed_in(person)
    visitor.get("/studies/pilot/instructions/")
    reply = visitor.get(HOME)
    assert primary_address(reply) == "/studies/pilot/check/"
    assert START not in reply.content.decode()
    ComprehensionAttempt.objects.create(
        participant=person, choices=[], correct=3, passed=True, attempted_at=now
    )
    assert primary_address(visitor.get(HOME)) == START


def test_who_has_no_attempt_left_is_told_that_the_team_may_allow_another(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    person = make_person(make_study(slug="pilot", comprehension_check=True))
    visitor = signed_in(person)
    visitor.get("/studies/pilot/instructions/")
    Participant.objects.update(check_attempts=0)
    reply = visitor.get(HOME)
    assert "The study team sees this and may allow you another try." in text_of(reply)
    assert "Questions on the instructions waiting" in steps_of(reply)


def test_a_running_session_is_next_and_nothing_before_it_can_be_done_again(
    visitor: Client, participant: Participant
) -> None:
    session = session_start(participant=participant, now=timezone.now())
    reply = visitor.get(HOME)
    assert primary_address(reply) == f"/sessions/{session.pk}/"
    assert "Time left 4 hours 59 minutes" in text_of(reply)
    assert START not in reply.content.decode()
    assert "/practice/" not in reply.content.decode()


def test_the_receipt_is_next_after_the_end(visitor: Client, participant: Participant) -> None:
    session = session_start(participant=participant, now=timezone.now() - timedelta(hours=6))
    reply = visitor.get(HOME)
    assert primary_address(reply) == f"/sessions/{session.pk}/receipt/"
    assert "Your time has ended" in text_of(reply)


def test_who_withdrew_reads_that_and_has_nothing_to_do(visitor: Client, participant: Participant) -> None:
    session_withdraw(participant=participant, now=timezone.now())
    reply = visitor.get(HOME)
    assert "You have withdrawn from this study." in text_of(reply)
    assert primary_address(reply) is None
    assert "/withdraw/" not in reply.content.decode()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": StudyStatus.CLOSED}, "The study is closed; nobody can start any more."),
        ({"closes_at": datetime(2020, 1, 1, tzinfo=UTC)}, "The study is closed; nobody can start"),
        ({"opens_at": datetime(2090, 1, 1, tzinfo=UTC)}, "The study opens on"),
    ],
)
def test_the_path_says_when_nobody_can_start(
    visitor: Client, participant: Participant, change: dict[str, object], sentence: str
) -> None:
    visitor.get("/studies/pilot/instructions/")
    Study.objects.update(**change)
    reply = visitor.get(HOME)
    assert sentence in text_of(reply)
    assert primary_address(reply) is None
