"""Announcements of the study team, and messages between it and participants."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.utils import timezone
from pytest_django import Settings

from batches.models import Session
from batches.selectors.notices import Notice, audience_sizes, notices_for
from batches.services.ending import session_submit, session_withdraw
from batches.services.starting import session_start
from studies.models import Announcement, Audience, Message, Participant, Study, StudyEvent, User
from studies.selectors.contact import open_threads, threads
from studies.services.people.messages import (
    MESSAGES_PER_HOUR,
    TooManyMessages,
    announcement_make,
    announcement_withdraw,
    message_answer,
    message_send,
)
from studies.services.people.participants import participant_add, participant_reject
from studies.services.staff.staff import staff_add
from studies.services.storage import StorageFull

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(replicates_per_profile=50)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Participant:
    return make_person(study)


@pytest.fixture
def other(study: Study, make_person: Callable[..., Participant], person: Participant) -> Participant:
    return make_person(study)


@pytest.fixture
def lead() -> User:
    return staff_add(email="lead@example.org", superuser=True)[0]


def told(person: Participant) -> list[str]:
    notices = notices_for(user_id=person.user_id, study_slug=person.study.slug, now=timezone.now())
    assert notices is not None
    return [notice.text for notice in notices]


def last_event() -> StudyEvent:
    event = StudyEvent.objects.last()
    assert event is not None
    return event


def test_an_announcement_reaches_people_of_its_study_and_nobody_else(
    study: Study,
    person: Participant,
    other: Participant,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    lead: User,
    now: datetime,
) -> None:
    elsewhere = make_person(make_study())
    misprint = "Prompt 3 has a misprint."
    made = announcement_make(study=study, text=misprint, audience=Audience.APPROVED, actor=lead, now=now)
    assert told(person) == told(other) == [misprint]
    assert told(elsewhere) == []
    assert notices_for(user_id=elsewhere.user_id, study_slug=study.slug, now=timezone.now()) is None
    event = last_event()
    assert (event.kind, event.actor) == ("announcement_made", lead)
    assert event.details == {"announcement": made.pk, "audience": "approved"}


@pytest.fixture
def everybody(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session], now: datetime
) -> dict[str, Participant]:
    """One of each kind; the rejected one had started, as had one of those who withdrew."""
    kinds = ("approved", "working", "submitted", "expired", "rejected", "withdrawn", "gone")
    people = {kind: make_person(study) for kind in kinds}
    for kind, end in (("working", "active"), ("submitted", "submitted"), ("rejected", "active")):
        work(people[kind], {}, end=end)
    work(people["withdrawn"], {}, end="withdrawn")
    Session.objects.filter(participant=people["rejected"]).update(status="submitted", ended_at=now)
    Participant.objects.filter(pk=people["rejected"].pk).update(
        vetting_status="rejected", vetting_reason="No degree."
    )
    session_withdraw(participant=people["gone"], now=now)
    work(people["expired"], {}, end="active")
    Session.objects.filter(participant=people["expired"]).update(status="expired", ended_at=now)
    people["waiting"] = participant_add(study=study, email="waits@example.org", profile="stem-phd", now=now)
    return people


REACHED = {
    Audience.APPROVED: {"approved", "working"},
    Audience.NOT_STARTED: {"approved", "waiting"},
    Audience.IN_SESSION: {"working"},
    Audience.FINISHED: {"submitted", "expired"},
    Audience.EVERYBODY: {
        "approved", "working", "submitted", "expired", "rejected", "withdrawn", "gone", "waiting",
    },
}  # fmt: skip


@pytest.mark.parametrize("audience", Audience)
def test_an_announcement_reaches_its_audience_alone_and_as_many_as_the_form_says(
    study: Study, everybody: dict[str, Participant], audience: Audience, lead: User, now: datetime
) -> None:
    announcement_make(study=study, text="For you.", audience=audience, actor=lead, now=now)
    reached = {kind for kind, person in everybody.items() if told(person) == ["For you."]}
    assert reached == REACHED[audience]
    assert audience_sizes(study)[audience] == len(reached)


def test_an_announcement_follows_what_people_become(
    study: Study, person: Participant, other: Participant, lead: User, now: datetime
) -> None:
    announcement_make(study=study, text="Working?", actor=lead, now=now)
    announcement_make(study=study, text="Approved?", audience=Audience.APPROVED, actor=lead, now=now)
    assert told(person) == ["Approved?"]
    session = session_start(participant=person, now=now)
    assert told(person) == ["Working?", "Approved?"]
    session_submit(session=session, resources=None, now=now)
    assert told(person) == []
    participant_reject(participant=other, reason="No degree.", now=now)
    assert told(other) == []


def test_announcements_of_one_moment_come_in_the_order_in_which_they_were_made(
    study: Study, person: Participant, lead: User, now: datetime
) -> None:
    for number, text in ((999_999, "First."), (1_000_000, "Second.")):
        made = announcement_make(study=study, text=text, audience=Audience.APPROVED, actor=lead, now=now)
        Announcement.objects.filter(pk=made.pk).update(id=number)
    assert told(person) == ["First.", "Second."]


def test_an_announcement_is_taken_back_once(
    study: Study, person: Participant, lead: User, now: datetime
) -> None:
    made = announcement_make(study=study, text="Wrong.", actor=lead, now=now)
    assert announcement_withdraw(announcement=made, actor=lead, now=now + SECOND)
    assert not announcement_withdraw(announcement=made, actor=lead, now=now + 2 * SECOND)
    assert told(person) == []
    assert Announcement.objects.get().withdrawn_at == now + SECOND
    assert StudyEvent.objects.filter(kind="announcement_withdrawn").count() == 1


def test_a_reply_is_told_to_its_person_only_and_until_they_write_again(
    person: Participant, other: Participant, lead: User, now: datetime
) -> None:
    message_send(participant=person, text="May I use a slide rule?", now=now)
    reply = message_answer(participant=person, text="You may.", actor=lead, now=now + SECOND)
    assert notices_for(user_id=person.user_id, study_slug=person.study.slug, now=timezone.now()) == [
        Notice(key=f"r{reply.pk}", kind="reply", text="You may.", at=now + SECOND)
    ]
    assert told(other) == []
    message_send(participant=person, text="Thank you.", now=now + 2 * SECOND)
    assert told(person) == []


def test_how_much_one_stores_is_told_before_and_when_it_is_too_much(
    person: Participant, now: datetime, settings: Settings
) -> None:
    settings.PERSON_BYTES = 1000
    message_send(participant=person, text="x" * 799, now=now)
    assert told(person) == []
    message_send(participant=person, text="x", now=now)
    [sentence] = told(person)
    assert "more than 80 %" in sentence
    assert "your answers are still saved" in sentence
    with pytest.raises(StorageFull, match="write to the contact"):
        message_send(participant=person, text="é" * 101, now=now)
    assert person.messages.count() == 2
    Participant.objects.update(stored_bytes=1000)
    [sentence] = told(person)
    assert "is used up. Your answers are saved as before" in sentence


def test_notices_come_in_the_order_of_their_times(
    study: Study, person: Participant, lead: User, now: datetime
) -> None:
    everybody = partial(announcement_make, study=study, audience=Audience.EVERYBODY, actor=lead)
    everybody(text="second", now=now + SECOND)
    message_answer(participant=person, text="first", actor=lead, now=now)
    everybody(text="third", now=now + 2 * SECOND)
    assert told(person) == ["first", "second", "third"]


def test_the_trail_holds_no_text_of_a_message(person: Participant, lead: User, now: datetime) -> None:
    sent = message_send(participant=person, text="A secret.", page="/studies/x/", now=now)
    event = last_event()
    assert (event.kind, event.participant, event.details) == ("message_sent", person, {"message": sent.pk})
    reply = message_answer(participant=person, text="Another secret.", actor=lead, now=now)
    event = last_event()
    assert (event.kind, event.actor, event.details) == ("message_answered", lead, {"message": reply.pk})


def test_the_twenty_first_message_of_an_hour_is_refused_and_one_an_hour_later_is_not(
    person: Participant, other: Participant, now: datetime
) -> None:
    for number in range(MESSAGES_PER_HOUR):
        message_send(participant=person, text=f"{number}", now=now + number * SECOND)
    with pytest.raises(TooManyMessages, match="20 messages within an hour"):
        message_send(participant=person, text="one more", now=now + timedelta(minutes=59))
    message_send(participant=other, text="somebody else's", now=now + timedelta(minutes=59))
    message_send(participant=person, text="later", now=now + timedelta(hours=1))
    assert Message.objects.filter(participant=person).count() == MESSAGES_PER_HOUR + 1


def test_people_who_wait_for_a_reply_come_first(
    study: Study, person: Participant, other: Participant, lead: User, now: datetime
) -> None:
    message_send(participant=other, text="Hello?", now=now)
    message_send(participant=person, text="Hello?", now=now + SECOND)
    assert [one.code for one in threads(study)] == [person.code, other.code]
    message_answer(participant=person, text="Hello.", actor=lead, now=now + 2 * SECOND)
    assert [one.code for one in threads(study)] == [other.code, person.code]
    assert list(open_threads()) == [other]
