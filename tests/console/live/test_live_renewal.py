"""The board renews itself: told again after everything that it shows, and not told while nothing changes."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session, SessionContact
from batches.rules.contact import PageReport
from batches.services.answers import prompt_seen
from batches.services.contact import page_report
from batches.services.ending import session_submit, session_withdraw
from batches.services.extending import session_extend, session_reopen
from batches.services.voiding import session_void
from console.views.live import board as page
from studies.models import Participant, Study, User
from studies.roles import Role
from studies.services.pausing import recruiting_pause
from studies.services.people.messages import message_answer, message_send
from studies.services.staff.roles import role_give
from tests.console.live.conftest import save

pytestmark = pytest.mark.django_db
STATE = "/staff/studies/live/live/state/"
# The one who asks: session, person, study.
GUARD = 3
Answering = Callable[..., Session]
Later = Callable[[timedelta], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """The page's clock goes ahead by so much, and nothing else happens."""
    return lambda span: monkeypatch.setattr(page, "server_now", lambda: timezone.now() + span)


def asked(staff: Client, known: str, query: str = "") -> tuple[int, str]:
    reply = staff.get(STATE + query, headers={"If-None-Match": known})
    return reply.status_code, reply["ETag"]


def extend(session: Session) -> None:
    seen = session.deadline_at
    session_extend(session=session, minutes=5, reason="Power", now=timezone.now(), deadline_seen=seen)


def reports(session: Session, **facts: Any) -> None:
    person, report = session.participant.user_id, PageReport("laptop", **facts)
    assert page_report(user_id=person, session_id=session.pk, report=report, now=timezone.now())


CHANGES: Mapping[str, Callable[[Session, datetime], object]] = {
    "an answer is saved": lambda one, now: save(one, 2, "New"),
    "an answer is saved again": lambda one, now: save(one, 1, "Newer", base=1),
    "a text is refused": lambda one, now: save(one, 1, "Other", tab="two"),
    "a question is opened": lambda one, now: prompt_seen(session=one, position=2, now=now),
    "handed in": lambda one, now: session_submit(session=one, resources=None, now=now),
    "withdrawn": lambda one, now: session_withdraw(participant=one.participant, now=now),
    "extended": lambda one, now: extend(one),
    "voided": lambda one, now: session_void(session=one, reason="Twice", now=now),
    "a message waits": lambda one, now: message_send(participant=one.participant, text="Hello", now=now),
    "saves fail": lambda one, now: reports(one, failed_saves=2, failing_seconds=40, is_saved=False),
    "a clock is off": lambda one, now: reports(one, clock_off_seconds=-300),
    "recruiting is paused": lambda one, now: recruiting_pause(
        study=one.participant.study, reason="Rest", actor=User.objects.get(email="lead@example.org"), now=now
    ),
}


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_what_is_shown_is_told_once(
    change: str, is_open: bool, staff: Client, answering: Answering
) -> None:
    session = answering()
    query = f"?session={session.pk}" if is_open else ""
    known = staff.get(STATE + query)["ETag"]
    assert asked(staff, known, query) == (304, known)
    CHANGES[change](session, timezone.now())
    status, new = asked(staff, known, query)
    assert status == 200
    assert asked(staff, new, query) == (304, new)


def test_what_becomes_of_sessions_that_are_over_is_told(staff: Client, answering: Answering) -> None:
    session = answering()
    session_submit(session=session, resources=None, now=timezone.now())
    known = staff.get(STATE)["ETag"]
    session_void(session=session, reason="Twice", now=timezone.now())
    status, known = asked(staff, known)
    assert status == 200
    other = answering()
    session_submit(session=other, resources=None, now=timezone.now())
    known = asked(staff, known)[1]
    session_reopen(session=other, reason="Pressed too early", now=timezone.now())
    assert asked(staff, known)[0] == 200


def test_who_starts_and_a_message_that_is_answered_are_told(
    staff: Client, lead: User, answering: Answering
) -> None:
    known = staff.get(STATE)["ETag"]
    session = answering()
    status, known = asked(staff, known)
    assert status == 200
    message_send(participant=session.participant, text="Hello", now=timezone.now())
    known = asked(staff, known)[1]
    message_answer(participant=session.participant, text="Yes", actor=lead, now=timezone.now())
    assert asked(staff, known)[0] == 200


def test_what_follows_from_the_time_alone_is_told_when_it_comes(
    staff: Client, answering: Answering, later: Later
) -> None:
    session = answering()
    reports(session)
    known = staff.get(STATE)["ETag"]
    left = session.deadline_at - timezone.now()
    # Offline, silent, nearly over, over: each comes by time passing, and is told once.
    for span in (timedelta(minutes=3), left - timedelta(minutes=20), left + timedelta(minutes=1)):
        later(span)
        status, known = asked(staff, known)
        assert status == 200
        assert asked(staff, known) == (304, known)


def test_an_incident_that_ends_by_time_passing_is_told(
    staff: Client, answering: Answering, later: Later
) -> None:
    session = answering()
    reports(session, failed_saves=2, failing_seconds=65, lost_seconds=65, is_hidden=True)
    reply = staff.get(STATE)
    assert "Saving again" in reply.json()["parts"]["live-rows"]
    later(timedelta(minutes=11))
    fresh = staff.get(STATE, headers={"If-None-Match": reply["ETag"]})
    assert fresh.status_code == 200
    assert "Saving again" not in fresh.json()["parts"]["live-rows"]


def test_since_when_an_offline_page_is_not_heard_is_told(staff: Client, answering: Answering) -> None:
    session = answering()
    reports(session)
    contact, query = SessionContact.objects.filter(session=session), f"?session={session.pk}"
    contact.update(heard_at=timezone.now() - timedelta(minutes=9))
    known = staff.get(STATE + query)["ETag"]
    # Heard meanwhile while nobody looked, and gone again.
    contact.update(heard_at=timezone.now() - timedelta(minutes=5))
    assert asked(staff, known, query)[0] == 200


def test_midnight_is_told(staff: Client, answering: Answering, later: Later) -> None:
    session = answering()
    session_submit(session=session, resources=None, now=timezone.now())
    known = staff.get(STATE)["ETag"]
    later(timedelta(days=1))
    assert asked(staff, known)[0] == 200


def test_nothing_changed_takes_no_count_of_the_study_and_a_change_three_queries(
    staff: Client, answering: Answering, django_assert_num_queries: Callable[[int], Any]
) -> None:
    session = answering()
    query = f"?session={session.pk}"
    with django_assert_num_queries(GUARD + 3):
        known = staff.get(STATE + query)["ETag"]
    with django_assert_num_queries(GUARD + 2):
        assert asked(staff, known, query) == (304, known)
    save(session, 2, "New")
    with django_assert_num_queries(GUARD + 3):
        assert asked(staff, known, query)[0] == 200


def test_what_happens_in_another_study_is_no_change(
    staff: Client,
    answering: Answering,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
) -> None:
    answering()
    known = staff.get(STATE)["ETag"]
    make_person(make_study(slug="elsewhere"))
    status, new = asked(staff, known)
    assert status == 304
    assert asked(staff, f"W/{new}") == (304, new)


def test_another_reader_and_another_right_are_told(
    staff: Client, client: Client, study: Study, answering: Answering
) -> None:
    answering()
    known = staff.get(STATE)["ETag"]
    assert asked(staff, known)[0] == 304
    analyst = User.objects.create_user("analyst@example.org", is_staff=True)
    role_give(study=study, user=analyst, role=Role.ANALYST, now=timezone.now())
    client.force_login(analyst)
    assert asked(client, known)[0] == 200
