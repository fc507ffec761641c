"""The database is locked, full or gone: whoever saves is told to try again, and pages can still be read."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.utils import timezone

from batches.models import Answer, Session
from batches.services.starting import session_start
from studies.models import Participant, Study
from studies.views.faults import unavailable

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Session:
    if connection.vendor != "sqlite":
        pytest.skip("the fault tests stop PostgreSQL")
    return session_start(
        participant=make_person(make_study(slug="pilot", answer_max_characters=200_000)), now=timezone.now()
    )


@pytest.fixture
def visitor(session: Session) -> Client:
    client = Client()
    client.force_login(session.participant.user)
    client.get("/")  # notes that the person was here today
    return client


@contextmanager
def locked() -> Iterator[None]:
    """Somebody else writes all the time; our own connection waits a tenth of a second for it."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    connection.cursor().execute("PRAGMA busy_timeout = 100")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()
        connection.cursor().execute("PRAGMA busy_timeout = 20000")


@contextmanager
def full() -> Iterator[None]:
    """The database's file cannot grow by a page."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # leaves no page that is free
        cursor.execute("PRAGMA max_page_count = 1")
        try:
            yield
        finally:
            cursor.execute("PRAGMA max_page_count = 1073741823")


STATES = pytest.mark.parametrize("state", [locked, full])


def saved(visitor: Client, session: Session, text: str) -> tuple[int, str, str]:
    body = {"text": text, "base_revision": 0, "tab": "a" * 32, "sequence": 1}
    reply = visitor.post(f"/api/sessions/{session.pk}/answers/1", body, content_type="application/json")
    return reply.status_code, reply.headers.get("Retry-After", ""), reply.json().get("sentence", "")


@STATES
def test_a_save_is_told_to_try_again_and_succeeds_then(
    visitor: Client, session: Session, state: Callable[[], object]
) -> None:
    long = "An answer. " * 10_000
    with state():  # type: ignore[attr-defined]
        status, again, sentence = saved(visitor, session, long)
    assert (status, again) == (503, "5")
    assert sentence.startswith("The server cannot store or read anything right now.")
    assert saved(visitor, session, long)[0] == 200
    assert session.answers.get(position=1).text == long


@pytest.mark.parametrize(
    ("accepts", "kind"),
    [
        ("application/json", "application/json"),
        ("application/json, text/plain, */*", "application/json"),
        ("text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"),
        ("*/*", "text/html; charset=utf-8"),
    ],
)
def test_scripts_are_told_in_json_and_people_by_a_page(
    visitor: Client, session: Session, accepts: str, kind: str
) -> None:
    sent = {"text": "x", "base_revision": "0", "go": "next"}
    with locked():
        told = visitor.post(f"/sessions/{session.pk}/prompts/1/", sent, headers={"Accept": accepts})
    assert (told.status_code, told["Content-Type"]) == (503, kind)


def test_who_only_reads_is_not_told_that_something_was_sent(rf: RequestFactory) -> None:
    told = unavailable(rf.get("/"), OperationalError("the connection is gone"))
    assert told.status_code == 503
    assert "What you sent last" not in told.text


@STATES
def test_a_form_gives_back_what_was_written(
    visitor: Client, session: Session, state: Callable[[], object]
) -> None:
    page = f"/sessions/{session.pk}/prompts/1/"
    sent = {"text": "All of my answer <b>. " * 5_000, "base_revision": "0", "go": "next"}
    with state():  # type: ignore[attr-defined]
        told = visitor.post(page, sent)
    assert (told.status_code, told["Retry-After"]) == (503, "5")
    assert "What was saved before is safe." in told.text
    assert "All of my answer &lt;b&gt;." in told.text
    assert "Sign in" not in told.text  # as if whoever wrote it were signed out
    assert not session.answers.get(position=1).has_text


def test_a_question_can_be_read_while_others_write_and_its_first_view_is_noted_afterwards(
    visitor: Client, session: Session
) -> None:
    with locked():
        began = time.process_time()
        page = visitor.get(f"/sessions/{session.pk}/prompts/1/")
        assert time.process_time() - began < 15
        assert (page.status_code, session.answers.get(position=1).first_seen_at) == (200, None)
    ends = time.monotonic() + 60
    while Answer.objects.get(session=session, position=1).first_seen_at is None:
        assert time.monotonic() < ends, "the first view was never noted"
        time.sleep(0.02)


def test_a_question_can_be_read_where_nothing_can_be_written(visitor: Client, session: Session) -> None:
    with full():
        assert visitor.get(f"/sessions/{session.pk}/prompts/1/").status_code == 200


def test_what_no_waiting_mends_stays_an_error_of_the_program(visitor: Client) -> None:
    visitor.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE studies_study RENAME TO away")
        try:
            failed = visitor.get("/")
        finally:
            cursor.execute("ALTER TABLE away RENAME TO studies_study")
    assert (failed.status_code, failed.headers.get("Retry-After")) == (500, None)


def test_bytes_that_are_no_text_stay_an_error_of_the_program(visitor: Client, session: Session) -> None:
    visitor.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("UPDATE batches_answer SET text = CAST(x'ff' AS TEXT)")
    failed = visitor.get(f"/sessions/{session.pk}/prompts/1/")
    assert (failed.status_code, failed.headers.get("Retry-After")) == (500, None)
