"""The connections of a judge's client: kept, replaced, closed, verified."""

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from judging.judges.schemas import RubricJudgment
from llm import errors
from llm.http import STALE_SECONDS, certificates
from llm.requests import Message
from tests.support.small_server import (
    ASK,
    REPLY,
    Body,
    Serve,
    asked,
    asked_once,
    client,
    ok,
    outcomes,
    saying,
)

pytestmark = pytest.mark.slow


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

    with client(serve(answer).base_url) as chat:
        for _ in range(3):
            assert asked_once(chat)[1].outcome == "ok"
            time.sleep(0.2)


def test_a_connection_closed_just_as_a_request_is_sent_is_replaced_without_a_fault(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        if number == 1:
            connection.sendall(ok())
        else:
            connection.close()

    with client(serve(answer).base_url) as chat:
        for _ in range(3):
            assert asked_once(chat)[1].outcome == "ok"


def test_a_kept_connection_that_breaks_while_the_model_is_at_work_is_a_fault(serve: Serve) -> None:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        if number == 1:
            connection.sendall(ok())
        else:
            time.sleep(STALE_SECONDS + 0.1)
            connection.close()

    with client(serve(answer).base_url) as chat:
        asked(chat)
        assert asked_once(chat)[1].outcome == "connection_lost"


def test_a_header_may_hold_any_bytes(serve: Serve) -> None:
    odd = ok().replace(b"Content-Type", b"X-Note: caf\xe9 \xff\r\nContent-Type")
    with client(serve(saying(odd)).base_url) as chat:
        assert asked(chat)[0] == 0.5


def test_something_other_than_http_is_a_broken_connection(serve: Serve) -> None:
    with client(serve(saying(b"SSH-2.0-Server\r\n")).base_url) as chat:
        assert isinstance(asked_once(chat)[0], errors.ConnectionLost)


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
    with client(server.base_url) as chat, unverified:
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
        with client(server.base_url.replace("127.0.0.1", other)) as chat, mismatch:
            chat.complete(ASK)
