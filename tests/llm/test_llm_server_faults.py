"""The client of a judge against servers that drip, break off, or say what nobody asked."""

import socket
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from llm import errors
from llm.http import MAX_REPLY_BYTES
from llm.providers import Provider
from llm.requests import SchemaUse
from tests.support.small_server import (
    ASK,
    Body,
    Serve,
    asked,
    asked_once,
    client,
    dripping,
    ok,
    outcomes,
    saying,
)

pytestmark = pytest.mark.slow


# What only a server of its own does
def test_an_endpoint_that_is_down_says_so_in_a_sentence() -> None:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
        with client(address) as chat, pytest.raises(errors.ConnectionFailed) as caught:
            chat.complete(ASK)
    assert str(caught.value).startswith(f"{address} cannot be reached (")


def test_an_answer_that_never_begins_is_no_answer(serve: Serve) -> None:
    server = serve(lambda *asked: time.sleep(5.0))
    with client(server.base_url, timeout=0.2) as chat:
        error, attempts = asked(chat)
    assert (error, outcomes(attempts)) == (errors.TimedOut, ["timed_out"] * 2)
    assert all(200 <= attempt.latency_ms < 5000 for attempt in attempts)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{", "reply_too_slow"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: ", "timed_out"),
    ],
    ids=["body", "head"],
)  # fmt: skip
def test_a_slow_drip_ends_with_the_time_allowed_wherever_it_drips(
    serve: Serve, start: bytes, expected: str
) -> None:
    server = serve(dripping(start))
    with client(server.base_url, timeout=0.8) as chat:
        _, attempt = asked_once(chat)
    assert attempt.outcome == expected
    assert 800 <= attempt.latency_ms < 10_000
    assert attempt.raw_reply.startswith("{ ") == (expected == "reply_too_slow")


def test_a_reply_that_stops_in_the_middle_is_too_slow(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(ok()[:-10])
        time.sleep(5)

    with client(serve(answer).base_url, timeout=0.8) as chat:
        assert isinstance(asked_once(chat)[0], errors.ReplyTooSlow)


@pytest.mark.parametrize("cut", [10, len(ok()) - 10], ids=["head", "body"])
def test_a_connection_that_breaks_in_the_middle_of_a_reply_is_tried_again(serve: Serve, cut: int) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(ok()[:cut])
        connection.close()

    server = serve(answer)
    with client(server.base_url) as chat:
        error, attempts = asked(chat)
    assert (error, outcomes(attempts)) == (errors.ConnectionLost, ["connection_lost"] * 3)
    assert len(server.bodies) == 3


def test_reading_stops_at_the_bound_of_a_reply_of_any_size(serve: Serve) -> None:
    sent = 0

    def answer(connection: socket.socket, number: int, body: Body) -> None:
        nonlocal sent
        connection.sendall(ok(b"")[:-2].replace(b"Content-Length: 0", b"Content-Length: 100000000") + b"\r\n")
        for _ in range(1000):
            connection.sendall(b" " * 100_000)
            sent += 100_000

    with client(serve(answer).base_url) as chat:
        error, attempts = asked(chat)
    assert (error, outcomes(attempts)) == (errors.ReplyTooLarge, ["reply_too_large"])
    assert len(attempts[0].raw_reply) <= 10_000
    time.sleep(0.2)
    # What the system's buffers swallow comes on top of what was read.
    assert MAX_REPLY_BYTES <= sent < 50_000_000


def test_a_reply_of_another_type_is_no_judgment_whatever_is_in_it(serve: Serve) -> None:
    server = serve(saying(ok(kind="text/html; charset=utf-8"), ok()))
    with client(server.base_url) as chat:
        score, attempts = asked(chat)
    assert (score, outcomes(attempts)) == (0.5, ["reply_wrong_type", "ok"])


def test_a_retry_after_date_is_read_by_the_servers_own_clock(serve: Serve) -> None:
    form = "%a, %d %b %Y %H:%M:%S GMT"
    theirs = datetime(2031, 1, 1, 12, 0, 0, tzinfo=UTC)
    limited = ok(
        b"{}",
        f"Date: {theirs.strftime(form)}",
        f"Retry-After: {(theirs + timedelta(seconds=17)).strftime(form)}",
        status="429 Too Many Requests",
    )
    with client(serve(saying(limited)).base_url) as chat:
        error, _ = asked_once(chat)
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after == 17.0


def test_a_refused_schema_is_left_out_and_a_reply_in_words_shows_that_it_helped(serve: Serve) -> None:
    refusal = (
        b'[{"error": {"code": 400, "message": "Unknown name \\"strict\\" at response_format.json_schema"}}]'
    )
    server = serve(saying(ok(refusal, status="400 Bad Request"), ok()))
    with client(server.base_url, provider=Provider.OPENAI) as chat:
        score, attempts = asked(chat)
    assert (score, outcomes(attempts)) == (0.5, ["schema_rejected", "ok"])
    assert [attempt.schema_use for attempt in attempts] == [SchemaUse.UNKNOWN, SchemaUse.IN_WORDS]
    assert [body["response_format"]["type"] for body in server.bodies] == ["json_schema", "json_object"]
