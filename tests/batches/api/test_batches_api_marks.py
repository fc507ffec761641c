"""Marks and previews by the JSON endpoints."""

import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from batches.models import Answer, Revision, Session
from studies.models import LimitedUse, Participant
from tests.batches.api.saving_requests import body, end_ago, post

pytestmark = pytest.mark.django_db


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
