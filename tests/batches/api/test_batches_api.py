"""Saving by the JSON endpoints: every reply a page has to deal with."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings, strategies as st

from batches.models import Answer, Revision, Session
from studies.models import Participant
from tests.batches.api.saving_requests import body, end_ago, post

pytestmark = pytest.mark.django_db


def test_a_save_is_confirmed_with_revision_time_and_remaining_seconds(page: Client, session: Session) -> None:
    before = timezone.now()
    reply = post(page, session, body())
    assert reply.status_code == 200
    answer = Answer.objects.get(position=1)
    assert answer.text == "an answer"
    assert answer.saved_at is not None
    assert before <= answer.saved_at <= timezone.now()
    content = reply.json()
    assert content.keys() == {"outcome", "sentence", "revision", "saved_at", "seconds_left", "state"}
    assert (content["outcome"], content["sentence"], content["revision"]) == ("accepted", "Saved.", 1)
    assert 5 * 3600 - 10 <= content["seconds_left"] <= 5 * 3600


def test_a_stale_tab_gets_the_newer_text_and_keeps_its_own(page: Client, session: Session) -> None:
    post(page, session, body("newer"))
    reply = post(page, session, body("older", tab="tab-b"))
    assert reply.status_code == 409
    content = reply.json()
    assert (content["outcome"], content["current_text"], content["revision"], content["kept"]) == (
        "refused_stale",
        "newer",
        1,
        True,
    )
    assert "another tab" in content["sentence"]
    assert Answer.objects.get(position=1).text == "newer"


def test_an_overtaken_save_is_not_called_saved(page: Client, session: Session) -> None:
    post(page, session, body("second", sequence=2))
    reply = post(page, session, body("first", sequence=1))
    assert (reply.status_code, reply.json()["outcome"]) == (409, "superseded")


def test_a_save_after_the_deadline_is_gone_and_its_text_is_kept(page: Client, session: Session) -> None:
    end_ago(session, 60)
    reply = post(page, session, body("too late"))
    assert reply.status_code == 410
    assert (reply.json()["outcome"], reply.json()["kept"], reply.json()["seconds_left"]) == (
        "refused_late",
        True,
        0,
    )
    assert Answer.objects.get(position=1).text == ""
    assert Revision.objects.get().text == "too late"


def test_a_save_within_the_tolerance_is_accepted_as_late(page: Client, session: Session) -> None:
    end_ago(session, 3)
    reply = post(page, session, body())
    assert (reply.status_code, reply.json()["outcome"]) == (200, "accepted_late")


def test_without_signing_in_the_page_is_told_to_sign_in(session: Session) -> None:
    reply = post(Client(), session, body())
    assert (reply.status_code, reply["X-Signed-Out"]) == (404, "1")
    assert reply.json() == {
        "sentence": "You are signed out. Sign in again; your text stays on this page and is saved afterwards."
    }


def test_a_request_without_the_csrf_token_is_refused_as_json(session: Session) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(session.participant.user)
    reply = post(client, session, body())
    assert (reply.status_code, list(reply.json())) == (403, ["sentence"])
    assert not Revision.objects.exists()


def test_the_csrf_token_of_the_cookie_lets_a_save_through(session: Session) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(session.participant.user)
    client.get(f"/sessions/{session.pk}/prompts/1/")
    token = client.cookies["csrftoken"].value
    assert post(client, session, body(), csrf=token).status_code == 200


def test_the_session_of_somebody_else_does_not_exist(
    session: Session, make_person: Callable[..., Participant]
) -> None:
    client = Client()
    client.force_login(make_person(session.participant.study).user)
    assert post(client, session, body()).status_code == 404
    assert client.get(f"/api/sessions/{session.pk}/time").status_code == 404
    assert not Revision.objects.exists()


def test_staff_cannot_write_into_a_session(session: Session, admin_client: Client) -> None:
    assert post(admin_client, session, body()).status_code == 404


def test_a_prompt_outside_the_batch_does_not_exist(page: Client, session: Session) -> None:
    for position in (0, 5, 10**25):
        reply = post(page, session, body(), position=position)
        assert (reply.status_code, list(reply.json())) == (404, ["sentence"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (body("x" * 1_000_000), "The answer is 1,000,000 characters long and at most 1,000 are allowed"),
        (body("a\x00"), "The answer has a NUL character at position 2"),
        (
            '{"text": "\\ud800", "base_revision": 0, "tab": "t", "sequence": 1}',
            "The answer has a broken character at position 1",
        ),
        ({**body(), "text": 7}, "text is a number, but text is expected"),
        (body(surprise=1), "surprise is not a known field"),
        (body(sequence=0), "sequence is below 1"),
        (body(sequence=2**53), "sequence is above"),
        (body(base_revision=-1), "base_revision is below 0"),
        (body(base_revision=True), "base_revision is true or false"),
        (body(tab="x" * 65), "tab is longer than 64 characters"),
        (body(note="a note"), "This study asks for no note beside an answer; remove it"),
        (body(note=None), "note is "),
        (body(confidence=0), "This study does not ask how sure you are; leave that out"),
        (body(confidence=101), "confidence is above 100"),
        (body(confidence=-1), "confidence is below 0"),
        (body(confidence=50.5), "confidence is "),
        (body(confidence=True), "confidence is true or false"),
        ({"text": "a"}, "base_revision is missing"),
        ([], "The request body is a list, but an object is expected"),
        ("", "The request body is missing"),
    ],
)
def test_a_wrong_body_is_refused_in_one_sentence(
    page: Client, session: Session, content: object, sentence: str
) -> None:
    reply = post(page, session, content)
    assert reply.status_code == 422
    assert reply.json().keys() == {"sentence"}
    assert reply.json()["sentence"].startswith(sentence)
    assert not Revision.objects.exists()


@pytest.mark.parametrize("content", ["{", b"\xff\xfe", "NaN x"])
def test_a_body_that_is_no_json_is_refused_in_one_sentence(
    page: Client, session: Session, content: str | bytes
) -> None:
    reply = post(page, session, content)
    assert (reply.status_code, list(reply.json())) == (400, ["sentence"])


def test_a_body_over_the_upload_limit_is_refused_in_one_sentence(page: Client, session: Session) -> None:
    reply = post(page, session, body("x" * 5_000_000))
    assert (reply.status_code, list(reply.json())) == (413, ["sentence"])
    assert not Revision.objects.exists()


BROKEN_BODIES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["\0", "\ud800", "\u202e", 2**63, -1, 1e308]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    changes=st.fixed_dictionaries(
        {}, optional=dict.fromkeys([*body(), "note", "confidence", "more"], BROKEN_BODIES)
    )
    | st.binary(max_size=200)
)
def test_no_body_of_a_save_is_an_error_of_the_server(
    page: Client, session: Session, changes: dict[str, Any] | bytes
) -> None:
    content = changes if isinstance(changes, bytes) else body(**changes)
    reply = post(page, session, content)
    assert reply.status_code in {200, 400, 409, 413, 422}, reply.content
    assert reply.json()["sentence"] or reply.status_code == 200
    if reply.status_code == 200 and not isinstance(content, bytes):
        assert Answer.objects.get(position=1).text == content["text"]
