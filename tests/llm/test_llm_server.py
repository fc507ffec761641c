"""The client of a judge against real servers on loopback: every fault, and the connections themselves."""

import gzip
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply

from judging.judges.schemas import ExactJudgment, RubricJudgment
from llm import errors
from llm.attempts import Attempt
from llm.connections import STALE_SECONDS, certificates
from llm.network import MAX_REPLY_BYTES
from llm.providers import Provider
from llm.requests import Message
from llm.retrying import RetryPolicy
from tests.support.small_server import (
    ASK,
    REPLY,
    VERDICT,
    Body,
    Serve,
    asked,
    client,
    dripping,
    ok,
    once,
    outcomes,
    saying,
    small_servers,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def serve() -> Iterator[Serve]:
    with small_servers() as start:
        yield start


# What a provider's server says, by llmock


def test_judgments_of_both_forms_come_back_structured(llmock: LLMock) -> None:
    attempts: list[Attempt] = []
    with client(llmock.base_url()) as chat:
        for schema in (RubricJudgment, ExactJudgment):
            got = chat.complete(ASK, response_schema=schema, on_attempt=attempts.append)
            assert isinstance(got.parsed, schema)
    assert outcomes(attempts) == ["ok", "ok"]
    assert all((call.prompt_tokens or 0) > 0 and call.latency_ms > 0 for call in attempts)
    llmock.assert_resilient(strict=True)


@pytest.mark.parametrize("provider", Provider)
def test_every_dialect_is_understood(llmock: LLMock, provider: Provider) -> None:
    effort = "" if provider is Provider.GENERIC else "low"
    with client(llmock.base_url(), provider=provider, reasoning_effort=effort, max_output_tokens=500) as chat:
        assert chat.complete(ASK, response_schema=RubricJudgment).finish_reason == "stop"


def test_the_wait_that_a_rate_limit_asks_for_is_kept(llmock: LLMock) -> None:
    llmock.rate_limit(times=1, retry_after=0.5)
    started = time.monotonic()
    with client(llmock.base_url()) as chat:
        _, attempts = asked(chat)
    assert time.monotonic() - started >= 0.5
    assert outcomes(attempts) == ["rate_limited", "ok"]
    llmock.assert_resilient(strict=True)


def test_a_rate_limit_for_an_hour_ends_the_call_at_once(llmock: LLMock) -> None:
    llmock.rate_limit(times=None, retry_after=3600)
    with client(llmock.base_url()) as chat, pytest.raises(errors.RateLimited) as caught:
        chat.complete(ASK)
    assert caught.value.retry_after == 3600.0
    assert len(llmock.requests) == 1


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (408, "endpoint_timed_out"), (409, "endpoint_conflict"), (425, "asked_too_early"),
        (500, "server_failed"), (503, "server_failed"),
    ],
)  # fmt: skip
def test_a_server_that_recovers_costs_only_time(llmock: LLMock, status: int, outcome: str) -> None:
    llmock.fail(status).fail(status)
    with client(llmock.base_url()) as chat:
        _, attempts = asked(chat)
    assert outcomes(attempts) == [outcome, outcome, "ok"]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, errors.AccessDenied), (402, errors.AccessDenied), (403, errors.AccessDenied),
        (404, errors.AccessDenied), (400, errors.RequestRejected), (413, errors.RequestRejected),
    ],
)  # fmt: skip
def test_a_request_that_would_fail_again_is_not_sent_again(
    llmock: LLMock, status: int, expected: type[errors.LLMError]
) -> None:
    llmock.fail(status, times=None)
    with client(llmock.base_url()) as chat:
        error, _ = asked(chat)
    assert (error, len(llmock.requests)) == (expected, 1)


def test_a_server_that_stays_down_is_left_after_three_tries_and_may_be_asked_later(llmock: LLMock) -> None:
    llmock.outage()
    with client(llmock.base_url()) as chat:
        assert asked(chat)[0] is errors.ServerFailed
        assert len(llmock.requests) == 3
        llmock.reset()
        assert outcomes(asked(chat)[1]) == ["ok"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply('{"explanation": "so", "gra', finish_reason="length", times=2), ["reply_truncated"] * 2),
        (Reply('{"explanation": "so", "gra', times=2), ["reply_off_schema"] * 2),
        (Reply(VERDICT.replace("0.5", "1.5"), times=2), ["reply_out_of_range"] * 2),
        (Reply(f"Sure: {VERDICT}", times=2), ["reply_off_schema"] * 2),
        (Reply(VERDICT[:-1] + ', "score": 1.0}', times=2), ["reply_off_schema"] * 2),
        (Reply(" ", times=3), ["reply_empty"] * 3),
        (Reply("I cannot judge this.", finish_reason="content_filter"), ["reply_refused"]),
    ],
)
def test_a_reply_that_is_no_judgment_is_asked_for_again_as_its_rule_says(
    llmock: LLMock, reply: Reply, expected: list[str]
) -> None:
    llmock.add(reply)
    with client(llmock.base_url()) as chat:
        error, attempts = asked(chat)
    assert isinstance(error, type)
    assert (error.reason, outcomes(attempts)) == (expected[0], expected)


# What only a server of its own does


def test_an_endpoint_that_is_down_says_so_in_a_sentence() -> None:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
        with client(address, retry=once()) as chat, pytest.raises(errors.ConnectionFailed) as caught:
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
    with client(server.base_url, timeout=0.8, retry=once()) as chat:
        _, (attempt,) = asked(chat)
    assert attempt.outcome == expected
    assert 800 <= attempt.latency_ms < 10_000
    assert attempt.raw_reply.startswith("{ ") == (expected == "reply_too_slow")


def test_a_reply_that_stops_in_the_middle_is_too_slow(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(ok()[:-10])
        time.sleep(5)

    with client(serve(answer).base_url, timeout=0.8, retry=once()) as chat:
        assert asked(chat)[0] is errors.ReplyTooSlow


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
    waits: list[float] = []
    patient = RetryPolicy(sleep=waits.append, rng=random.Random(1))
    with client(serve(saying(limited, ok())).base_url, retry=patient) as chat:
        score, attempts = asked(chat)
    assert (score, waits, outcomes(attempts)) == (0.5, [17.0], ["rate_limited", "ok"])


def test_a_refused_schema_is_left_out_and_the_judge_remembered(serve: Serve) -> None:
    refusal = (
        b'[{"error": {"code": 400, "message": "Unknown name \\"strict\\" at response_format.json_schema"}}]'
    )
    server = serve(saying(ok(refusal, status="400 Bad Request"), ok()))
    told: list[bool] = []
    with client(server.base_url, provider=Provider.OPENAI, on_plain_json=lambda: told.append(True)) as chat:
        score, attempts = asked(chat)
    assert (score, outcomes(attempts), told) == (0.5, ["schema_rejected", "ok"], [True])
    assert [body["response_format"]["type"] for body in server.bodies] == ["json_schema", "json_object"]


def test_threads_that_meet_the_refusal_together_tell_once(serve: Serve) -> None:
    barrier = threading.Barrier(4, timeout=10)

    def answer(connection: socket.socket, number: int, body: Body) -> None:
        if number == 1:
            barrier.wait()
            connection.sendall(ok(b"no json_schema here", status="400 Bad Request"))
        else:
            connection.sendall(ok())

    told: list[bool] = []
    server = serve(answer)
    with (
        client(server.base_url, on_plain_json=lambda: told.append(True)) as chat,
        ThreadPoolExecutor(4) as pool,
    ):
        assert [score for score, _ in pool.map(lambda _: asked(chat), range(4))] == [0.5] * 4
    assert told == [True]


# Connections


def test_a_connection_is_kept_for_the_next_request(serve: Serve) -> None:
    pieces = [b"%x\r\n%b\r\n" % (len(part), part) for part in (REPLY[:20], REPLY[20:])]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    server = serve(saying(ok(), head + b"".join(pieces) + b"0\r\n\r\n", ok()))
    with client(server.base_url) as chat:
        assert [asked(chat)[0] for _ in range(3)] == [0.5] * 3
    assert (server.connections, len(server.bodies)) == (1, 3)


def test_a_reply_that_says_it_is_the_last_one_is_not_waited_for_again(serve: Serve) -> None:
    server = serve(saying(ok(REPLY, "Connection: close")))
    with client(server.base_url) as chat:
        assert [outcomes(asked(chat)[1]) for _ in range(2)] == [["ok"], ["ok"]]
    assert server.connections == 2


def test_a_connection_closed_while_idle_is_replaced_without_a_fault(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(ok())
        connection.close()

    server = serve(answer)
    with client(server.base_url) as chat:
        asked(chat)
        time.sleep(0.1)
        assert outcomes(asked(chat)[1]) == ["ok"]
    assert len(server.bodies) == 2


def test_what_a_server_says_on_an_idle_connection_is_no_reply_to_the_next_request(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(ok())
        time.sleep(0.05)
        connection.sendall(ok(b"idle for too long", status="408 Request Timeout"))

    with client(serve(answer).base_url, retry=once()) as chat:
        for _ in range(3):
            assert outcomes(asked(chat)[1]) == ["ok"]
            time.sleep(0.2)


def test_a_connection_closed_just_as_a_request_is_sent_is_replaced_without_a_fault(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        if number == 1:
            connection.sendall(ok())
        else:
            connection.close()

    with client(serve(answer).base_url, retry=once()) as chat:
        for _ in range(3):
            assert outcomes(asked(chat)[1]) == ["ok"]


def test_a_kept_connection_that_breaks_while_the_model_is_at_work_is_a_fault(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        if number == 1:
            connection.sendall(ok())
        else:
            time.sleep(STALE_SECONDS + 0.1)
            connection.close()

    with client(serve(answer).base_url, retry=once()) as chat:
        asked(chat)
        assert outcomes(asked(chat)[1]) == ["connection_lost"]


def test_a_header_may_hold_any_bytes(serve: Serve) -> None:
    odd = ok().replace(b"Content-Type", b"X-Note: caf\xe9 \xff\r\nContent-Type")
    with client(serve(saying(odd)).base_url) as chat:
        assert asked(chat)[0] == 0.5


def test_something_other_than_http_is_a_broken_connection(serve: Serve) -> None:
    with client(serve(saying(b"SSH-2.0-Server\r\n")).base_url, retry=once()) as chat:
        assert asked(chat)[0] is errors.ConnectionLost


def test_closing_the_client_closes_the_connections_it_kept(serve: Serve) -> None:
    ended = threading.Event()

    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(ok())
        if not connection.recv(1):
            ended.set()

    with client(serve(answer).base_url) as chat:
        assert asked(chat)[0] == 0.5
        assert not ended.wait(0.1)
    assert ended.wait(5)


def test_a_reply_compressed_without_being_asked_is_read(serve: Serve) -> None:
    server = serve(saying(ok(gzip.compress(REPLY), "Content-Encoding: gzip")))
    with client(server.base_url) as chat:
        assert [asked(chat)[0] for _ in range(2)] == [0.5, 0.5]


def test_each_thread_has_a_connection_and_gets_its_own_reply(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        text = body["messages"][0]["content"]
        connection.sendall(ok(REPLY.replace(b"because", text.encode())))

    server = serve(answer)
    with client(server.base_url) as chat, ThreadPoolExecutor(16) as pool:

        def ask(number: int) -> str:
            messages = [Message("user", f"answer {number}")]
            return chat.complete(messages, response_schema=RubricJudgment).parsed.explanation

        assert list(pool.map(ask, range(200))) == [f"answer {number}" for number in range(200)]
    assert server.connections <= 16


def self_signed(folder: Path, to: x509.GeneralName) -> tuple[Path, ssl.SSLContext]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([to]), False)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "public.pem", folder / "private.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return public, context


HERE = x509.IPAddress(IPv4Address("127.0.0.1"))


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    def trust(certificate: Path) -> None:
        certificates.cache_clear()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    yield trust
    certificates.cache_clear()


def test_a_certificate_is_verified(serve: Serve, tmp_path: Path, trusted: Callable[[Path], None]) -> None:
    public, context = self_signed(tmp_path, HERE)
    server = serve(saying(ok()), tls=context)
    unverified = pytest.raises(errors.ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED")
    with client(server.base_url, retry=once()) as chat, unverified:
        chat.complete(ASK)
    trusted(public)
    with client(server.base_url) as chat:
        assert [asked(chat)[0] for _ in range(3)] == [0.5] * 3
    assert server.connections == 2


def test_a_certificate_must_be_to_the_name_though_the_connection_is_to_an_address(
    serve: Serve, tmp_path: Path, trusted: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    public, context = self_signed(tmp_path, x509.DNSName("judge.example"))
    server = serve(saying(ok()), tls=context)
    trusted(public)
    resolve = socket.getaddrinfo

    def here(host: str, *rest: Any, **named: Any) -> Any:
        return resolve("127.0.0.1" if host.endswith(".example") else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", here)
    with client(server.base_url.replace("127.0.0.1", "judge.example")) as chat:
        assert asked(chat)[0] == 0.5
    for other in ("other.example", "127.0.0.1"):
        mismatch = pytest.raises(errors.ConnectionFailed, match="certificate is not valid for")
        with client(server.base_url.replace("127.0.0.1", other), retry=once()) as chat, mismatch:
            chat.complete(ASK)
