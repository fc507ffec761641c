"""A button pressed twice: one message, one mail, one announcement."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.services.starting import session_start
from studies.models import Announcement, Audience, OutgoingMail, Participant, Study, StudyEvent, User
from studies.services.people.messages import (
    announcement_make,
    announcement_withdraw,
    message_answer,
    message_send,
)
from tests.support.same_moment import at_the_same_moment

pytestmark = pytest.mark.django_db
PAGES = "/staff/studies/pilot"
SITE = "https://study.example.org"
SECOND = timedelta(seconds=1)


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="pilot"))


@pytest.fixture
def session(person: Participant) -> Session:
    return session_start(participant=person, now=timezone.now())


def events(kind: str) -> int:
    return StudyEvent.objects.filter(kind=kind).count()


def test_a_reply_pressed_twice_is_sent_and_mailed_once(person: Participant, staff: Client) -> None:
    page = f"{PAGES}/messages/{person.code}/"
    for _press in range(2):
        said = staff.post(page, {"text": "You may."}, follow=True).text
        assert f"Sent. {person.code} sees it on every page." in said
    assert [one.text for one in person.messages.all()] == ["You may."]
    assert (OutgoingMail.objects.count(), events("message_answered")) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_two_replies_of_one_moment_are_one(person: Participant, lead: User, now: datetime) -> None:
    reply = partial(message_answer, participant=person, text="You may.", actor=lead, site_url=SITE)
    first, second = at_the_same_moment([partial(reply, now=now), partial(reply, now=now + SECOND)])
    assert first == second
    assert (person.messages.count(), OutgoingMail.objects.count()) == (1, 1)


def test_a_reply_that_is_meant_again_is_sent_again(person: Participant, lead: User, now: datetime) -> None:
    reply = partial(message_answer, participant=person, text="Yes.")
    reply(actor=lead, now=now)
    reply(actor=User.objects.create(email="second@example.org", is_staff=True), now=now + SECOND)
    reply(actor=lead, now=now + 2 * SECOND)
    message_send(participant=person, text="And this?", now=now + 3 * SECOND)
    reply(actor=lead, now=now + 4 * SECOND)
    reply(actor=lead, now=now + 64 * SECOND)
    assert [one.text for one in person.messages.all()] == [
        "Yes.",
        "Yes.",
        "Yes.",
        "And this?",
        "Yes.",
        "Yes.",
    ]


def test_a_live_message_pressed_twice_reaches_people_once(session: Session, staff: Client) -> None:
    code = session.participant.code
    order = {"session": [str(session.pk)], "text": "Ten minutes left.", "seen_at": timezone.now()}
    for _press in range(2):
        said = staff.post(f"{PAGES}/live/message/", order, follow=True).text
        assert code in said
    assert session.participant.messages.count() == 1
    assert (events("message_answered"), events("sessions_changed")) == (1, 1)


def test_an_announcement_pressed_twice_is_made_once(person: Participant, staff: Client) -> None:
    facts = {"text": "Lunch.", "audience": Audience.EVERYBODY.value}
    for _press in range(2):
        assert "Announced to 1 person now" in staff.post(f"{PAGES}/announcements/", facts, follow=True).text
    assert (Announcement.objects.count(), events("announcement_made")) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_two_announcements_of_one_moment_are_one(person: Participant, lead: User, now: datetime) -> None:
    make = partial(announcement_make, study=person.study, text="Lunch.", actor=lead)
    first, second = at_the_same_moment([partial(make, now=now), partial(make, now=now + SECOND)])
    assert first == second
    assert Announcement.objects.count() == 1


def test_an_announcement_to_others_or_after_it_was_taken_back_is_a_new_one(
    person: Participant, lead: User, now: datetime
) -> None:
    make = partial(announcement_make, study=person.study, text="Lunch.", actor=lead)
    make(now=now)
    wider = make(audience=Audience.EVERYBODY, now=now + SECOND)
    announcement_withdraw(announcement=wider, actor=lead, now=now + 2 * SECOND)
    make(audience=Audience.EVERYBODY, now=now + 3 * SECOND)
    assert Announcement.objects.count() == 3
