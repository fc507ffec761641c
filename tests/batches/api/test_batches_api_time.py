"""What a page asks for by itself: the saved text and the time that is left."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client

from batches.models import Session
from studies.models import Audience, Participant, Study
from studies.services.people.messages import announcement_make
from studies.services.staff.staff import staff_add
from tests.batches.api.saving_requests import body, end_ago, post

pytestmark = pytest.mark.django_db


def test_the_saved_text_can_be_read_back_also_after_the_end(page: Client, session: Session) -> None:
    post(page, session, body("kept"))
    end_ago(session, 3600)
    reply = page.get(f"/api/sessions/{session.pk}/answers/1")
    assert (reply.status_code, reply.json()["text"], reply.json()["revision"]) == (200, "kept", 1)
    never_saved = page.get(f"/api/sessions/{session.pk}/answers/2").json()
    assert never_saved == {
            "text": "", "note": "", "confidence": None, "is_flagged": False, "revision": 0, "saved_at": None,
        }  # fmt: skip


def test_nobody_else_reads_a_saved_text(
    client: Client,
    session: Session,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
) -> None:
    address = f"/api/sessions/{session.pk}/answers/1"
    assert client.get(address).status_code == 404
    client.force_login(make_person(make_study()).user)
    assert client.get(address).status_code == 404
    client.force_login(session.participant.user)
    assert client.get(f"/api/sessions/{session.pk}/answers/99").status_code == 404
    assert client.get(f"/api/sessions/{uuid.uuid4()}/answers/1").status_code == 404


def test_the_time_is_the_servers(page: Client, session: Session) -> None:
    reply = page.get(f"/api/sessions/{session.pk}/time")
    content = reply.json()
    clock = {"server_time", "deadline_at", "seconds_left", "status", "extended_seconds"}
    assert content.keys() == clock | {"notices"}
    assert (content["extended_seconds"], content["notices"]) == (0, [])
    assert content["status"] == "active"
    assert 5 * 3600 - 10 <= content["seconds_left"] <= 5 * 3600


def test_the_time_is_over_by_the_clock_before_the_sweep_came_by(page: Client, session: Session) -> None:
    end_ago(session, 1)
    content = page.get(f"/api/sessions/{session.pk}/time").json()
    assert (content["status"], content["seconds_left"]) == ("expired", 0)
    session.refresh_from_db()
    assert session.status == "active"


def test_the_time_tells_of_an_extension(page: Client, session: Session) -> None:
    session.deadline_at += timedelta(minutes=10)
    session.extended_seconds = 600
    session.save()
    content = page.get(f"/api/sessions/{session.pk}/time").json()
    assert content["extended_seconds"] == 600
    assert 5 * 3600 + 590 <= content["seconds_left"] <= 5 * 3600 + 600


def test_the_reply_to_a_save_says_all_that_a_page_would_ask_for(
    page: Client, session: Session, now: datetime
) -> None:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    announcement_make(
        study=session.participant.study, text="Soon", audience=Audience.IN_SESSION, actor=lead, now=now
    )
    announcement_make(
        study=session.participant.study, text="Early", audience=Audience.NOT_STARTED, actor=lead, now=now
    )
    session.deadline_at += timedelta(minutes=10)
    session.extended_seconds = 600
    session.save()
    for told in (
        post(page, session, body()).json()["state"],
        post(page, session, body()).json()["state"],  # the same save again
        page.get(f"/api/sessions/{session.pk}/time").json(),
    ):
        assert (told["status"], told["extended_seconds"]) == ("active", 600)
        assert 5 * 3600 + 590 <= told["seconds_left"] <= 5 * 3600 + 600
        assert [notice["text"] for notice in told["notices"]] == ["Soon"]


def test_a_save_at_the_end_leaves_the_rest_to_the_clock(page: Client, session: Session) -> None:
    end_ago(session, 1)
    late = post(page, session, body("in time")).json()
    assert (late["outcome"], late["state"]) == ("accepted_late", None)
    end_ago(session, 3600)
    assert "state" not in post(page, session, body("too late")).json()


@pytest.mark.parametrize("what", ["time", "answers/1"])
def test_no_reply_is_kept_by_browsers_or_proxies(page: Client, session: Session, what: str) -> None:
    for asking in (page, Client()):
        assert asking.get(f"/api/sessions/{session.pk}/{what}")["Cache-Control"] == "private, no-store"


def test_an_unknown_session_has_no_time(page: Client, session: Session) -> None:
    assert page.get(f"/api/sessions/{uuid.uuid4()}/time").status_code == 404
    assert Client().get(f"/api/sessions/{session.pk}/time").status_code == 404
