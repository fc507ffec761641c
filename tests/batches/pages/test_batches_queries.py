"""How many SQL queries the busiest requests take, with sign-in, language and everything around them.

Whatever the size of the study. What opens and closes a transaction is no query of its own.
"""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.starting import session_start
from studies.models import Participant, Study
from studies.services.clock import server_now

pytestmark = pytest.mark.django_db
BRACKETS = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")
SMALL = {"prompts": 2, "batch_size": 2, "people": 1}
LARGE = {"prompts": 120, "batch_size": 40, "people": 12}
MakeSession = Callable[..., Session]


@pytest.fixture
def make_session(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> MakeSession:
    """A running session in a study with so many prompts and people at work."""

    def make(*, prompts: int, batch_size: int, people: int) -> Session:
        study = make_study(
            prompts=prompts,
            batch_size=batch_size,
            replicates_per_profile=50,
            note_per_prompt=True,
            confidence_per_prompt=True,
        )
        now = timezone.now()
        sessions = [session_start(participant=make_person(study), now=now) for _ in range(people)]
        for session in sessions:
            for position in range(1, batch_size):
                answer_save(
                    user_id=session.participant.user_id,
                    session_id=session.pk,
                    position=position,
                    incoming=IncomingText("text", base_revision=0, tab="t", sequence=1, note="book"),
                    now=now,
                )
        return sessions[0]

    return make


@pytest.fixture(autouse=True)
def clock_just_asked_for(db: None, fresh_clock: None) -> None:
    """What is asked once a minute is no part of a request's queries."""
    server_now()


def browser(session: Session) -> Client:
    client = Client(headers={"Accept-Language": "de"})
    client.force_login(session.participant.user)
    return client


def queries(request: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        request()
    return [query["sql"] for query in captured if not query["sql"].startswith(BRACKETS)]


def save_queries(session: Session) -> list[str]:
    body = {"text": "more", "note": "", "confidence": 5, "base_revision": 1, "tab": "page", "sequence": 1}
    client = browser(session)
    return queries(
        lambda: client.post(
            f"/api/sessions/{session.pk}/answers/1", json.dumps(body), content_type="application/json"
        )
    )


def page_queries(session: Session, position: int) -> list[str]:
    client = browser(session)
    return queries(lambda: client.get(f"/sessions/{session.pk}/prompts/{position}/"))


def test_a_save_takes_at_most_six_queries_at_any_size(make_session: MakeSession) -> None:
    small, large = save_queries(make_session(**SMALL)), save_queries(make_session(**LARGE))
    assert len(small) == len(large)
    assert len(large) <= 6, large


@pytest.mark.parametrize("seconds_late", [3, 60])
def test_a_save_after_the_deadline_takes_no_more_than_six(
    make_session: MakeSession, seconds_late: int
) -> None:
    session = make_session(**SMALL)
    deadline_at = timezone.now() - timedelta(seconds=seconds_late)
    Session.objects.filter(pk=session.pk).update(
        started_at=deadline_at - timedelta(hours=5), deadline_at=deadline_at
    )
    taken = save_queries(session)
    assert len(taken) <= 6, taken


@pytest.mark.parametrize("visit", ["first", "later"])
def test_a_workspace_page_takes_at_most_ten_queries_at_any_size(
    make_session: MakeSession, visit: str
) -> None:
    numbers = []
    for size in (SMALL, LARGE):
        session = make_session(**size)
        if visit == "later":
            page_queries(session, 2)
        taken = page_queries(session, 2)
        assert len(taken) <= 10, taken
        numbers.append(len(taken))
    assert len(set(numbers)) == 1


def test_the_time_and_the_notices_are_one_query_beside_session_and_user(make_session: MakeSession) -> None:
    session = make_session(**SMALL)
    client = browser(session)
    taken = queries(lambda: client.get(f"/api/sessions/{session.pk}/time"))
    assert len(taken) == 3, taken
