"""What open pages say about themselves: kept, limited, and of no effect on answers and time."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batches.models import Answer, Session, SessionContact, SessionEvent, SessionEventKind
from batches.selectors.own_data import own_facts
from batches.selectors.sessions import last_activity
from batches.services.deletion import person_texts_delete
from studies.models import User
from tests.batches.api.saving_requests import body, end_ago, post

pytestmark = pytest.mark.django_db


def report(client: Client, session: Session, **facts: object) -> Any:
    content = json.dumps({"device": "laptop", **facts})
    return client.post(f"/api/sessions/{session.pk}/report", content, content_type="application/json")


def told(session: Session) -> list[tuple[str, dict[str, object]]]:
    events = session.events.exclude(kind=SessionEventKind.STARTED)
    return list(events.values_list("kind", "details"))


def test_a_report_is_kept_in_one_row_and_its_news_in_the_trail(page: Client, session: Session) -> None:
    Session.objects.update(started_at=timezone.now() - timedelta(minutes=30))
    reply = report(page, session, clock_off_seconds=3)
    assert (reply.status_code, reply.json()) == (200, {"kept": True})
    reply = report(page, session, failed_saves=3, failing_seconds=60, is_saved=False)
    assert reply.json() == {"kept": True}
    contact = SessionContact.objects.get(session=session)
    assert (contact.clock_off_seconds, contact.failed_saves, contact.noted) == (3, 3, 1)
    details = {"failed_saves": 3, "for_seconds": 60, "saved_since": False}
    assert told(session) == [("saves_failed", details)]


def test_news_within_seconds_are_asked_for_again(page: Client, session: Session) -> None:
    report(page, session, failed_saves=1, is_saved=False)
    assert report(page, session, failed_saves=2, is_saved=True).json() == {"kept": False}
    assert len(told(session)) == 1


@pytest.mark.parametrize(
    "facts",
    [
        {"failed_saves": -1},
        {"failed_saves": 2**40},
        {"failed_saves": "3"},
        {"clock_off_seconds": 1e300},
        {"device": "<script>"},
        {"device": "x" * 65},
        {"lost_seconds": None},
        {"started_at": "2020-01-01"},
    ],
)
def test_a_report_that_cannot_be_read_is_refused_and_saving_goes_on(
    page: Client, session: Session, facts: dict[str, object]
) -> None:
    assert report(page, session, **facts).status_code == 422
    assert not SessionContact.objects.exists()
    assert post(page, session, body("kept")).status_code == 200


def test_the_wildest_report_moves_no_clock_and_no_answer(page: Client, session: Session) -> None:
    post(page, session, body("kept"))
    before = Session.objects.values().get(), list(Answer.objects.values())
    activity = last_activity(session)
    wild = {"failed_saves": 2**31 - 1, "failing_seconds": 2**31 - 1, "lost_seconds": 2**31 - 1}
    assert report(page, session, clock_off_seconds=-(2**31) + 1, is_saved=False, **wild).status_code == 200
    assert (Session.objects.values().get(), list(Answer.objects.values())) == before
    assert last_activity(session) == activity
    assert SessionEvent.objects.exclude(kind=SessionEventKind.STARTED).exists()


def test_nobody_reports_for_somebody_else(client: Client, session: Session) -> None:
    assert report(client, session).status_code == 404
    client.force_login(User.objects.create_user("other@example.org"))
    assert report(client, session).status_code == 404
    assert not SessionContact.objects.exists()


def test_after_the_end_nothing_is_kept(page: Client, session: Session) -> None:
    end_ago(session, 1)
    assert report(page, session, failed_saves=1).json() == {"kept": True}
    assert not SessionContact.objects.exists()


def test_a_report_without_news_is_one_small_write(page: Client, session: Session, fresh_clock: None) -> None:
    report(page, session)
    with CaptureQueriesContext(connection) as captured:
        report(page, session)
    brackets = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")
    asked = [query["sql"] for query in captured if not query["sql"].startswith(brackets)]
    assert len([sql for sql in asked if sql.startswith("UPDATE")]) == 1
    assert len(asked) <= 5, asked
    assert not any("batches_answer" in sql for sql in asked)


def test_the_person_can_read_it_and_it_goes_with_their_texts(page: Client, session: Session) -> None:
    report(page, session, clock_off_seconds=-90)
    own: Any = own_facts(session.participant)
    assert own["open_page"][0]["clock_off_seconds"] == -90
    assert "clock_off" in [event["kind"] for event in own["events"]]
    person_texts_delete(session.participant)
    assert not SessionContact.objects.exists()
