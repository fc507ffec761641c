"""Polls of open pages give way while requests of others are under way in the same process."""

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from config import giving_way
from config.giving_way import MOST_BESIDE, polls_give_way
from config.request_bodies import Application

TIME = "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/time"
POLLS = [TIME, "/api/studies/pilot/notices", "/api/studies/pilot/practice/time"]
OTHERS = [
    "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/answers/1",
    "/api/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/report",
    "/sessions/6f1ed002-ab56-4a2a-b0c1-0f5d2c2d1c3e/prompts/1/",
    "/staff/studies/pilot/amendments/time/",
]


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

    def ask(self, path: str) -> tuple[str, dict[str, str]]:
        told: list[Any] = []
        list(self.serve({"PATH_INFO": path}, lambda *reply: told.extend(reply)))
        return told[0], dict(told[1])

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
