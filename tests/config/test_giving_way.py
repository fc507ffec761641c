"""Polls of open pages give way while others wait or are under way in the same process, and pages to saves."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client

from config import giving_way
from config.giving_way import (
    MOST_BELIEVED_SECONDS,
    MOST_BESIDE,
    PAGE_WAITS_SECONDS,
    POLL_WAITS_SECONDS,
    WAITED,
    polls_give_way,
    waited_seconds,
)
from config.request_bodies import Application

LOGIN = "/accounts/login/"
TIME = "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/time"
POLLS = [TIME, "/api/studies/pilot/notices", "/api/studies/pilot/practice/time"]
OTHERS = [
    "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/answers/1",
    "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/report",
    "/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/prompts/1/",
    "/staff/studies/pilot/amendments/time/",
]


def nginx(seconds_ago: float) -> str:
    """What the proxy says of a request that it passed on so long ago."""
    return f"t={time.time() - seconds_ago:.3f}"


def caddy(seconds_ago: float) -> str:
    return nginx(seconds_ago).replace(".", "")


class Site:
    """An application in which every request to /slow/ takes until it may end."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Event()
        self.serve: Application = polls_give_way(self.answer)

    def answer(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow/":
            self.begun.release()
            assert self.may_end.wait(30)
        if environ["PATH_INFO"] == "/fault/":
            raise ValueError("a fault")
        start_response("200 OK", [])
        return [b"answered"]

    def ask(self, path: str, *, passed_on: str = "") -> tuple[str, dict[str, str]]:
        told: list[Any] = []
        environ = {"PATH_INFO": path, "HTTP_X_REQUEST_START": passed_on}
        list(self.serve(environ, lambda *reply: told.extend(reply)))
        return told[0], dict(told[1])

    def waited(self, *, passed_on: str) -> float:
        """What a page finds of how long it waited."""
        environ = {"PATH_INFO": "/", "HTTP_X_REQUEST_START": passed_on}
        list(self.serve(environ, lambda *_reply: None))
        return float(environ[WAITED])

    @contextmanager
    def busy(self, requests: int) -> Iterator[None]:
        with ThreadPoolExecutor(requests) as pool:
            under_way = [pool.submit(self.ask, "/slow/") for _ in range(requests)]
            for _ in under_way:
                assert self.begun.acquire(timeout=30)
            yield
            self.may_end.set()
            assert [one.result() for one in under_way] == [("200 OK", {})] * requests


@pytest.mark.parametrize("poll", POLLS)
def test_a_poll_is_refused_while_as_many_others_are_under_way_and_answered_afterwards(poll: str) -> None:
    site = Site()
    with site.busy(MOST_BESIDE):
        status, headers = site.ask(poll)
        assert (status, headers["Retry-After"], headers["X-Busy"]) == ("503 Service Unavailable", "1", "1")
    assert site.ask(poll) == ("200 OK", {})


@pytest.mark.parametrize("path", OTHERS)
def test_nothing_else_is_ever_refused(path: str) -> None:
    site = Site()
    with site.busy(MOST_BESIDE + 5):
        assert site.ask(path) == ("200 OK", {})


def test_with_fewer_others_a_poll_is_answered_and_what_was_refused_or_failed_does_not_count() -> None:
    site = Site()
    with site.busy(MOST_BESIDE - 1):
        for _ in range(MOST_BESIDE):
            with pytest.raises(ValueError, match="a fault"):
                site.ask("/fault/")
            assert site.ask(TIME) == ("200 OK", {})


def test_what_takes_long_is_no_sign_of_a_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large pages of the team, or a client that sends slowly, must not keep the time from everybody."""
    monkeypatch.setattr(giving_way, "LONG_SECONDS", 0.0)
    site = Site()
    with site.busy(MOST_BESIDE):
        assert site.ask(TIME) == ("200 OK", {})


@pytest.mark.parametrize("passed_on", [nginx, caddy])
def test_behind_a_proxy_a_poll_is_refused_that_waited_while_others_are_under_way(
    passed_on: Callable[[float], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site()
    long_ago = passed_on(POLL_WAITS_SECONDS + 5)
    assert site.ask(TIME, passed_on=long_ago) == ("200 OK", {})  # nothing waits: that is another clock
    with site.busy(MOST_BESIDE):
        assert site.ask(TIME, passed_on=long_ago)[0] == "503 Service Unavailable"
        assert site.ask(OTHERS[0], passed_on=long_ago) == ("200 OK", {})
        # As long as a busy machine may take for this.
        monkeypatch.setattr(giving_way, "POLL_WAITS_SECONDS", 60.0)
        assert site.ask(TIME, passed_on=passed_on(0)) == ("200 OK", {})


NOT_BELIEVED: dict[str, Callable[[], str]] = {
    "too old": lambda: nginx(MOST_BELIEVED_SECONDS + 60),
    "the future": lambda: nginx(-3600),
    "nothing": lambda: "t=",
    "words": lambda: "t=now",
    "no name": lambda: "1764359123",
    "many digits": lambda: "t=" + "9" * 400,
    "negative": lambda: "t=-1764359123.123",
    "two": lambda: f"{nginx(5)}, {nginx(5)}",
}


@pytest.mark.parametrize("kind", NOT_BELIEVED)
def test_what_no_proxy_of_this_machine_says_is_not_believed(kind: str) -> None:
    assert waited_seconds({"HTTP_X_REQUEST_START": NOT_BELIEVED[kind]()}) is None


OPENED = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
WAITED_LONG: dict[str, Any] = {WAITED: PAGE_WAITS_SECONDS + 0.1}


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "words"), [("en", "The site is very busy"), ("de", "Die Website ist")])
def test_a_page_that_waited_for_long_is_refused_before_the_database_and_opens_by_itself(
    client: Client, django_assert_num_queries: Any, language: str, words: str
) -> None:
    client.cookies["sessionid"] = "a" * 32
    with django_assert_num_queries(0):
        refused = client.get("/", headers={**OPENED, "Accept-Language": language}, **WAITED_LONG)
    assert refused.status_code == 503
    assert words in refused.content.decode()
    assert int(refused["Retry-After"]) == int(refused["Refresh"]) > 0
    assert refused["Content-Security-Policy"]
    assert "no-store" in refused["Cache-Control"]
    # Nothing on it has to come from the site's four threads but files that browsers keep.
    assert "/texts.js" not in refused.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "headers", "waited"),
    [
        ("get", LOGIN, OPENED, PAGE_WAITS_SECONDS),
        ("post", LOGIN, OPENED, 60.0),
        ("head", LOGIN, OPENED, 60.0),
        ("get", LOGIN, {**OPENED, "Sec-Fetch-Mode": "cors"}, 60.0),
        ("get", LOGIN, {**OPENED, "Sec-Fetch-Dest": "iframe"}, 60.0),
        ("get", LOGIN, {}, 60.0),
        ("get", f"{LOGIN}?format=csv", OPENED, 60.0),
        ("get", "/texts.js", OPENED, 60.0),
    ],
)
def test_what_is_no_page_that_somebody_opens_is_never_refused(
    client: Client, method: str, path: str, headers: dict[str, str], waited: float
) -> None:
    extra: dict[str, Any] = {WAITED: waited}
    assert getattr(client, method)(path, headers=headers, **extra).status_code == 200


def test_the_page_learns_how_long_it_waited_only_where_requests_wait() -> None:
    site = Site()
    assert site.waited(passed_on=nginx(5)) == 0
    with site.busy(MOST_BESIDE):
        assert site.waited(passed_on=nginx(5)) > 4.9
        assert site.waited(passed_on="") == 0
