"""The JSON endpoints: every reply a page has to deal with."""

import itertools
import json
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings, strategies as st

from batches.models import Answer, Revision, Session
from batches.services.starting import session_start
from studies.models import LimitedUse, Participant, Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Session:
    study = make_study(answer_max_characters=1000)
    return session_start(participant=make_person(study), now=timezone.now())


@pytest.fixture
def page(session: Session) -> Client:
    """A browser signed in as the session's participant."""
    client = Client()
    client.force_login(session.participant.user)
    return client


def body(text: str = "an answer", **changes: object) -> dict[str, object]:
    return {"text": text, "base_revision": 0, "tab": "tab-a", "sequence": 1, **changes}


def post(client: Client, session: Session, content: object, position: int = 1, csrf: str = "") -> Any:
    address = f"/api/sessions/{session.pk}/answers/{position}"
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    return client.post(address, data=text, content_type="application/json", headers={"X-CSRFToken": csrf})


def end_ago(session: Session, seconds: int) -> None:
    """Move the session so that its time ended this long ago."""
    deadline_at = timezone.now() - timedelta(seconds=seconds)
    Session.objects.filter(pk=session.pk).update(
        started_at=deadline_at - timedelta(hours=5), deadline_at=deadline_at
    )


def test_a_save_is_confirmed_with_revision_time_and_remaining_seconds(page: Client, session: Session) -> None:
    before = timezone.now()
    reply = post(page, session, body())
    assert reply.status_code == 200
    answer = Answer.objects.get(position=1)
    assert answer.text == "an answer"
    assert answer.saved_at is not None
    assert before <= answer.saved_at <= timezone.now()
    content = reply.json()
    assert content.keys() == {"outcome", "sentence", "revision", "saved_at", "seconds_left"}
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


def test_the_saved_text_can_be_read_back_also_after_the_end(page: Client, session: Session) -> None:
    post(page, session, body("kept"))
    end_ago(session, 3600)
    reply = page.get(f"/api/sessions/{session.pk}/answers/1")
    assert (reply.status_code, reply.json()["text"], reply.json()["revision"]) == (200, "kept", 1)
    never_saved = page.get(f"/api/sessions/{session.pk}/answers/2").json()
    assert never_saved == {"text": "", "note": "", "confidence": None, "revision": 0, "saved_at": None}


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
    assert content.keys() == {"server_time", "deadline_at", "seconds_left", "status", "extended_seconds"}
    assert content["extended_seconds"] == 0
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


@pytest.mark.parametrize("what", ["time", "answers/1"])
def test_no_reply_is_kept_by_browsers_or_proxies(page: Client, session: Session, what: str) -> None:
    for asking in (page, Client()):
        assert asking.get(f"/api/sessions/{session.pk}/{what}")["Cache-Control"] == "private, no-store"


def test_an_unknown_session_has_no_time(page: Client, session: Session) -> None:
    assert page.get(f"/api/sessions/{uuid.uuid4()}/time").status_code == 404
    assert Client().get(f"/api/sessions/{session.pk}/time").status_code == 404


def flag(client: Client, session: Session, content: object, position: int = 1) -> Any:
    address = f"/api/sessions/{session.pk}/answers/{position}/flag"
    return client.put(address, data=json.dumps(content), content_type="application/json")


def flagged() -> list[int]:
    return list(Answer.objects.filter(is_flagged=True).values_list("position", flat=True))


def test_an_answer_is_marked_and_unmarked_however_often_it_is_sent(page: Client, session: Session) -> None:
    for wanted, marked in [(True, [1]), (True, [1]), (False, []), (False, [])]:
        reply = flag(page, session, {"flagged": wanted})
        assert (reply.status_code, reply.json()) == (200, {"flagged": wanted})
        assert flagged() == marked


def test_a_mark_changes_no_text_and_is_no_revision(page: Client, session: Session) -> None:
    post(page, session, body("kept"))
    flag(page, session, {"flagged": True})
    answer = Answer.objects.get(position=1)
    assert (answer.text, answer.revision, Revision.objects.count()) == ("kept", 1, 1)


def test_a_mark_after_the_end_is_refused(page: Client, session: Session) -> None:
    end_ago(session, 1)
    reply = flag(page, session, {"flagged": True})
    assert (reply.status_code, list(reply.json())) == (410, ["sentence"])
    assert flagged() == []


def test_nobody_marks_the_answer_of_somebody_else(
    page: Client, session: Session, admin_client: Client, make_person: Callable[..., Participant]
) -> None:
    other = Client()
    other.force_login(make_person(session.participant.study).user)
    for client in (other, admin_client):
        assert flag(client, session, {"flagged": True}).status_code == 404
    assert flag(Client(), session, {"flagged": True}).status_code == 404
    assert flag(page, session, {"flagged": True}, position=99).status_code == 404
    assert flag(page, session, {"flagged": "yes"}).status_code == 422
    assert flagged() == []


def preview(client: Client, text: str) -> Any:
    return client.post("/api/preview", data=json.dumps({"text": text}), content_type="application/json")


def test_a_text_is_shown_as_it_would_look(page: Client) -> None:
    reply = preview(page, "**Bold** and $x^2$")
    assert reply.status_code == 200
    assert "<strong>Bold</strong>" in reply.json()["html"]
    assert "<math" in reply.json()["html"]
    assert not Revision.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[a](javascript:alert(1))",
        "<svg onload=alert(1)></svg>",
        '[a](https://example.org "x" onclick=alert(1)")',
    ],
)
def test_nothing_in_a_preview_runs(page: Client, text: str) -> None:
    html = preview(page, text).json()["html"]
    for tag in ("<script", "<img", "<svg", 'href="javascript:', " onclick=alert(1)>", "<a onclick"):
        assert tag not in html


@pytest.mark.parametrize(
    "unit", ["[", "![", "*a _b ", "> - ", "|a|\n|-|\n", "$x^{", "\\[a", "<!--", "`a", "[a](<", "\n", "\u202e"]
)
def test_the_preview_of_a_hostile_text_comes_within_seconds(page: Client, unit: str) -> None:
    started = time.process_time()
    for characters in (50_000, 100_000):
        LimitedUse.objects.all().delete()
        assert preview(page, (unit * characters)[:characters]).status_code == 200
    assert time.process_time() - started < 10


def test_after_a_preview_that_took_long_the_person_waits_and_nobody_else(
    page: Client,
    session: Session,
    make_person: Callable[..., Participant],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = itertools.accumulate(itertools.repeat(0.3))
    monkeypatch.setattr("batches.services.previews.time.thread_time", lambda: next(seconds))
    other = Client()
    other.force_login(make_person(session.participant.study).user)
    assert [preview(page, "a").status_code, preview(page, "b").status_code] == [200, 429]
    assert preview(page, "b").json()["sentence"].startswith("The last preview took long to make.")
    assert preview(other, "b").status_code == 200


def test_previews_that_are_made_quickly_follow_each_other_at_once(page: Client) -> None:
    assert {preview(page, f"Draft {n}").status_code for n in range(5)} == {200}


def test_a_preview_needs_a_signed_in_person_and_a_text_of_bounded_length(page: Client) -> None:
    assert preview(Client(), "a").status_code == 404
    reply = preview(page, "a" * 1_000_001)
    assert reply.json()["sentence"].startswith("The answer is 1,000,001 characters long")
    assert reply.status_code == 422
    assert preview(page, "a\x00").status_code == 422


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
