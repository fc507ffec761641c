"""What the mail of an approval says is true of the study and the person at that moment."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.services.extending import extra_time_grant
from batches.services.starting import session_start
from studies.models import Participant, Study, StudyStatus
from studies.services.people.vetting_mails import decision_mail

pytestmark = pytest.mark.django_db
NEXT = "What comes next"


@pytest.fixture
def make_approved(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> Callable[..., Participant]:
    return lambda **settings: make_person(make_study(slug="pilot", time_budget_minutes=300, **settings))


def text(person: Participant, now: datetime) -> str:
    return str(decision_mail(person, decision="approved", reason="", site_url="", now=now).body)


def test_who_has_started_is_told_no_next_step(
    make_approved: Callable[..., Participant], now: datetime
) -> None:
    person = make_approved()
    session_start(participant=person, now=now)
    assert text(Participant.objects.get(), now) == (
        'The study team has approved you for "The study pilot".\n\n'
        "Sign in on the study's site and open the study there.\n"
    )


def test_the_minutes_are_those_the_person_has(
    make_approved: Callable[..., Participant], now: datetime
) -> None:
    person = extra_time_grant(participant=make_approved(), minutes=60, reason="Reads slowly", now=now)
    assert "Your 360 minutes begin only when" in text(person, now)


def test_when_the_closing_time_has_passed_there_is_no_next_step(
    make_approved: Callable[..., Participant], now: datetime
) -> None:
    closes_at = now + timedelta(days=3)
    person = make_approved(closes_at=closes_at)
    assert "The study closes on 4 May 2030, 09:00 UTC." in text(person, closes_at - timedelta(seconds=1))
    said = text(person, closes_at)
    assert "The study is closed at the moment, so there is nothing for you to do." in said
    assert NEXT not in said
    assert "The study closes on" not in said


def test_before_the_study_opens_its_opening_is_said(
    make_approved: Callable[..., Participant], now: datetime
) -> None:
    opens_at = now + timedelta(days=2)
    person = make_approved(opens_at=opens_at)
    opening = "The study opens on 3 May 2030, 09:00 UTC; you can start from then on."
    assert opening in text(person, now)
    assert opening not in text(person, opens_at)


def test_of_a_study_in_preparation_nothing_is_promised_that_may_change(
    make_approved: Callable[..., Participant], now: datetime
) -> None:
    person = make_approved(closes_at=now + timedelta(days=3))
    person.study.status = StudyStatus.DRAFT
    said = text(person, now)
    assert "The study is still being prepared. You can start once the study team opens it." in said
    assert NEXT not in said
    assert "The study closes on" not in said
