"""What an open page may hold of its session's questions, and first views that it tells of later."""

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from batches.models import Answer, Session, SessionEvent, SessionEventKind
from batches.selectors.sessions import last_activity
from batches.services.ending import DeclaredResources, session_submit, session_withdraw, sessions_expire
from batches.services.starting import session_start
from studies.models import Participant, Prompt, Study
from tests.batches.session_pages.session_pages import end_ago

pytestmark = pytest.mark.django_db


def held(page: Client, session: Session) -> HttpResponse:
    reply = page.get(f"/sessions/{session.pk}/questions/")
    assert isinstance(reply, HttpResponse)
    return reply


def tell(page: Client, session: Session, position: int, seconds: object) -> HttpResponse:
    address = reverse("api-1:see_question", args=[session.pk, position])
    body = json.dumps({"seconds_ago": seconds})
    reply = page.post(address, body, content_type="application/json")
    assert isinstance(reply, HttpResponse)
    return reply


def told(page: Client, session: Session, position: int, seconds: int) -> object:
    return json.loads(tell(page, session, position, seconds).content)


def test_the_questions_come_at_once_without_being_seen_and_are_kept_nowhere_on_the_way(
    page: Client, session: Session
) -> None:
    with CaptureQueriesContext(connection) as asked:
        reply = held(page, session)
    assert len(asked) < 12
    content = reply.content.decode()
    positions = re.findall(r'<template data-position="(\d+)">', content)
    assert positions == ["1", "2", "3", "4"]
    assert all(answer.prompt.text in content for answer in session.answers.select_related("prompt"))
    assert "no-store" in reply["Cache-Control"]
    assert not Answer.objects.exclude(first_seen_at=None).exists()


def test_a_private_question_comes_with_its_form_alone_unless_the_protocol_allows_it(
    page: Client, session: Session
) -> None:
    Prompt.objects.filter(pk=session.answers.get(position=2).prompt_id).update(
        text="A secret", split="private"
    )
    content = held(page, session).content.decode()
    assert "A secret" not in content
    # Nor does a browser keep the page that shows it.
    assert "no-store" in page.get(f"/sessions/{session.pk}/prompts/2/")["Cache-Control"]
    assert "no-store" not in page.get(f"/sessions/{session.pk}/prompts/1/")["Cache-Control"]
    assert content.count('id="answer-form"') == 4
    study = Study.objects.get()
    Study.objects.update(settings={**study.settings, "private_offline": True})
    assert "A secret" in held(page, session).content.decode()
    # In memory it may be, on the device it is not.
    assert "no-store" in page.get(f"/sessions/{session.pk}/prompts/2/")["Cache-Control"]


def test_nobody_else_gets_them_and_nobody_before_the_start_or_after_the_end(
    page: Client,
    session: Session,
    make_person: Callable[..., Participant],
) -> None:
    other = session_start(participant=make_person(session.participant.study), now=timezone.now())
    assert held(page, other).status_code == 404
    assert tell(page, other, 1, 5).status_code == 404
    assert page.get(f"/sessions/{uuid.uuid4()}/questions/").status_code == 404
    assert Client().get(f"/sessions/{session.pk}/questions/").status_code == 404
    end_ago(session, seconds=1)
    assert held(page, session).status_code == 404
    session_submit(session=other, resources=DeclaredResources(categories=(), note=""), now=timezone.now())
    assert not Answer.objects.exclude(first_seen_at=None).exists()


def test_a_first_view_is_kept_as_the_device_tells_it_beside_when_it_was_heard(
    page: Client, session: Session
) -> None:
    before = timezone.now()
    Session.objects.update(started_at=before - timedelta(hours=1))
    deadline = session.deadline_at
    assert told(page, session, 2, 600) == {"kept": True}
    assert told(page, session, 2, 900) == {"kept": False}
    # No page has been open for longer than the session.
    assert told(page, session, 3, 2**31 - 1) == {"kept": True}
    # Told at once it is the server's own time, and nothing but the stamp is left behind.
    assert told(page, session, 1, 0) == {"kept": True}
    events = SessionEvent.objects.filter(kind=SessionEventKind.SEEN_OFFLINE).order_by("pk")
    assert [event.details for event in events] == [{"position": 2}, {"position": 3}]
    for event in events:
        assert Answer.objects.get(position=event.details["position"]).first_seen_at == event.happened_at
        assert event.recorded_at >= before
    session.refresh_from_db()
    assert [event.happened_at for event in events][1] == session.started_at
    assert timedelta(seconds=599) < events[0].recorded_at - events[0].happened_at < timedelta(seconds=601)
    assert session.deadline_at == deadline
    # What a page says of itself proves no work.
    Answer.objects.filter(position=1).update(first_seen_at=None)
    assert last_activity(session) <= before


def test_what_the_server_stamped_stands_and_the_trail_keeps_the_earlier_view_that_a_device_tells_of(
    page: Client, session: Session
) -> None:
    Session.objects.update(started_at=timezone.now() - timedelta(hours=1))
    page.get(f"/sessions/{session.pk}/prompts/2/")
    loaded = Answer.objects.get(position=2).first_seen_at
    # The same view, told again.
    assert told(page, session, 2, 3) == {"kept": False}
    assert told(page, session, 2, 600) == {"kept": True}
    event = SessionEvent.objects.get(kind=SessionEventKind.SEEN_OFFLINE)
    assert loaded is not None
    assert Answer.objects.get(position=2).first_seen_at == loaded
    assert timedelta(seconds=599) < loaded - event.happened_at < timedelta(seconds=605)
    # The server's own stamp is a sign of the person all the same.
    assert last_activity(session) == loaded
    # A device tells of one first view.
    assert told(page, session, 2, 900) == {"kept": False}


@pytest.mark.parametrize("seconds", [-1, 1.5, "1", None, 2**31])
def test_a_span_that_is_none_is_refused_in_a_sentence(
    page: Client, session: Session, seconds: object
) -> None:
    reply = tell(page, session, 1, seconds)
    assert reply.status_code == 422
    assert json.loads(reply.content)["sentence"].endswith(".")


@pytest.mark.parametrize("is_swept", [False, True])
def test_a_view_from_before_the_end_is_heard_for_a_day_and_none_from_after_it(
    page: Client, session: Session, is_swept: bool
) -> None:
    end_ago(session, seconds=600)
    if is_swept:
        sessions_expire(now=timezone.now())
    assert told(page, session, 1, 300) == told(page, session, 1, 0) == {"kept": False}
    assert not SessionEvent.objects.filter(kind=SessionEventKind.SEEN_OFFLINE).exists()
    assert told(page, session, 1, 900) == {"kept": True}
    event = SessionEvent.objects.get(kind=SessionEventKind.SEEN_OFFLINE)
    assert (
        Answer.objects.get(position=1).first_seen_at == event.happened_at < Session.objects.get().deadline_at
    )
    end_ago(session, seconds=25 * 3_600)
    assert told(page, session, 2, 26 * 3_600) == {"kept": False}


def test_no_view_is_heard_that_was_after_the_submission_or_in_a_session_that_counts_nowhere(
    page: Client, session: Session
) -> None:
    now = timezone.now()
    Session.objects.update(started_at=now - timedelta(hours=1))
    session_submit(
        session=session, resources=DeclaredResources(categories=(), note=""), now=now - timedelta(minutes=10)
    )
    assert told(page, session, 1, 300) == {"kept": False}
    assert told(page, session, 1, 900) == {"kept": True}
    session_withdraw(participant=session.participant, now=now)
    assert told(page, session, 2, 900) == {"kept": False}
