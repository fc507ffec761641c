"""Servers that mean harm: whatever they send, a call ends with a fault and a sentence, in little memory."""

import gzip
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from llm import errors
from llm.egress import Egress
from llm.requests import Message
from tests.support.small_server import (
    ASK,
    KEY,
    REPLY,
    Body,
    Handler,
    Serve,
    asked,
    asked_once,
    client,
    ok,
    outcomes,
    saying,
    small_servers,
)

pytestmark = pytest.mark.slow

# What a call may take besides the reply itself: the text of two million bytes exists a few times at once.
MAX_MEMORY = 20_000_000
# What is left of such a reply must not be read as the next one's.
CUT_SHORT = {errors.ReplyTooLarge, errors.ConnectionLost}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def serve() -> Iterator[Serve]:
    with small_servers() as start:
        yield start


def endless(start: bytes, part: bytes) -> Handler:
    """Says `part` again and again, as fast as it is read, until the client closes the connection."""
    many = part * (1 + 65_536 // len(part))

    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(many)

    return answer


def compressed(body: bytes, encoding: str) -> bytes:
    return ok(body, f"Content-Encoding: {encoding}")


def bomb(mebibytes: int) -> bytes:
    squeeze = zlib.compressobj(9, wbits=31)
    return b"".join([*(squeeze.compress(bytes(2**20)) for _ in range(mebibytes)), squeeze.flush()])


BOMB = bomb(256)
REPLIES: dict[str, tuple[Handler, type[errors.LLMError], str]] = {
    "a gzip bomb": (saying(compressed(BOMB, "gzip")), errors.ReplyTooLarge, "over 2,000,000 bytes"),
    "a bomb within a bomb": (
        saying(compressed(gzip.compress(BOMB), "gzip, gzip")), errors.ReplyWrongType, "as gzip, gzip",
    ),
    "an encoding nobody knows": (saying(compressed(REPLY, "br")), errors.ReplyWrongType, "compressed as br"),
    "a gzip that is none": (saying(compressed(REPLY, "gzip")), errors.ReplyMalformed, "not the gzip"),
    "more after the gzip's end": (
        saying(compressed(gzip.compress(REPLY) + b"x", "gzip")), errors.ReplyMalformed, "not the gzip",
    ),
    "a gzip and then no end": (
        endless(
            CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
            + b"%x\r\n%s\r\n" % (len(gzip.compress(REPLY)), gzip.compress(REPLY)),
            b"200\r\n" + b" " * 512 + b"\r\n",
        ),
        errors.ReplyMalformed, "not the gzip",
    ),
    "an endless stream": (
        endless(CHUNKED, b"200\r\n" + b" " * 512 + b"\r\n"), errors.ReplyTooLarge, "over 2,000,000 bytes",
    ),
    "endless notes on a chunk": (endless(CHUNKED + b"1;", b"note=x;"), errors.ConnectionLost, "broke"),
    "endless trailers": (endless(CHUNKED + b"0\r\n", b"X-Note: x\r\n"), errors.ConnectionLost, "broke"),
    "chunks of no size": (saying(CHUNKED + b"many\r\n{}\r\n0\r\n\r\n"), errors.ConnectionLost, "broke"),
    "a chunk below nothing": (saying(CHUNKED + b"-1\r\n{}\r\n0\r\n\r\n"), errors.ConnectionLost, "broke"),
    "100,000 headers": (
        saying(HEAD + b"X-Note: x\r\n" * 100_000 + b"\r\n{}"), errors.ReplyTooLarge, "headers .* end",
    ),
    "an endless header": (endless(HEAD + b"X-Note: ", b"x"), errors.ReplyTooLarge, "headers .* end"),
    "an endless first line": (endless(b"HTTP/1.1 200 ", b"O"), errors.ReplyTooLarge, "headers .* end"),
    "endless news of a reply to come": (
        endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), errors.ReplyTooLarge, "headers .* end",
    ),
    "two lengths": (
        saying(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}"), errors.ConnectionLost, "broke",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLIES)
def test_a_hostile_reply_ends_with_a_fault_in_little_memory_and_its_connection_is_closed(
    serve: Serve, name: str
) -> None:
    handler, expected, sentence = REPLIES[name]
    server = serve(handler)
    with client(server.base_url, timeout=60) as chat:
        asked_once(chat)  # what is loaded or kept with the first call is no part of the reply
        tracemalloc.start()
        try:
            with pytest.raises(expected, match=sentence):
                chat.complete(ASK)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < MAX_MEMORY
        if expected in CUT_SHORT:
            server.wait_until_all_closed()


def test_compressed_replies_that_are_no_bombs_are_read(serve: Serve) -> None:
    with client(
        serve(saying(*(compressed(gzip.compress(REPLY), one) for one in ("gzip", "X-GZip", "gzip")))).base_url
    ) as chat:
        assert [asked(chat)[0] for _ in range(3)] == [0.5] * 3


def test_a_failed_status_decides_though_the_reply_cannot_be_decompressed(serve: Serve) -> None:
    limited = ok(b"\x8b\x00", "Content-Encoding: br", status="401 Unauthorized")
    with client(serve(saying(limited)).base_url) as chat:
        assert isinstance(asked_once(chat)[0], errors.AccessDenied)


def test_what_breaks_the_rules_of_http_is_not_quoted(serve: Serve) -> None:
    with client(serve(saying(b"HTTP/1.1 200 OK\r\nBearer " + KEY.encode() + b"\r\n\r\n")).base_url) as chat:
        error, _ = asked_once(chat)  # which looks for the key in what is said
        assert isinstance(error, errors.ConnectionLost)
        with pytest.raises(errors.ConnectionLost, match=r"broke \(the reply is no whole HTTP message\)\.$"):
            chat.complete(ASK)


@pytest.mark.parametrize("charset", ["utf-16", "iso-8859-1", "no-such-charset", '"', "\xff"])
def test_json_is_read_as_utf_8_whatever_charset_is_named(serve: Serve, charset: str) -> None:
    reply = ok(REPLY.replace(b"because", "größer".encode()), kind="application/json").replace(
        b"application/json", b"application/json; charset=" + charset.encode("latin-1")
    )
    with client(serve(saying(reply)).base_url) as chat:
        assert asked(chat)[0] == 0.5


def test_a_reply_in_another_charset_is_no_chat_completion(serve: Serve) -> None:
    with client(serve(saying(ok(REPLY.decode().encode("utf-16")))).base_url) as chat:
        assert isinstance(asked_once(chat)[0], errors.ReplyMalformed)


@pytest.mark.parametrize(
    "early", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"]
)
def test_news_before_a_reply_is_not_the_reply(serve: Serve, early: bytes) -> None:
    with client(serve(saying(early + early + ok())).base_url) as chat:
        assert [outcomes(asked(chat)[1]) for _ in range(2)] == [["ok"]] * 2


def test_a_server_that_reads_a_request_byte_by_byte_is_not_waited_for(serve: Serve) -> None:
    """The time allowed is for the request as well, which is longer here than the system's buffers."""
    reading = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def read_slowly() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            while not reading.is_set() and connection.recv(4096):
                time.sleep(0.05)

    threading.Thread(target=read_slowly, daemon=True).start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    try:
        late = pytest.raises(errors.TimedOut, match="did not reply within 1 s")
        with client(address, timeout=1.0) as chat, late:
            chat.complete([Message("user", "x" * 20_000_000)])
    finally:
        reading.set()
        listening.close()


# Where requests go


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(serve: Serve) -> None:
    elsewhere = serve(saying(ok()))
    for status in ("301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"):
        moved = ok(b"", f"Location: {elsewhere.base_url}/chat/completions", status=status)
        with client(serve(saying(moved)).base_url) as chat:
            assert outcomes(asked(chat)[1]) == ["request_rejected"]
    assert elsewhere.connections == 0


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"]
)
def test_an_address_that_is_not_public_is_refused_before_anything_is_sent(serve: Serve, host: str) -> None:
    server = serve(saying(ok()))
    address = server.base_url.replace("127.0.0.1", host)
    with client(address, egress=Egress()) as chat:
        error, attempts = asked(chat)
        with pytest.raises(errors.AddressRefused, match="names it in CHIRON_PRIVATE_ENDPOINTS"):
            chat.complete(ASK)
    assert (error, outcomes(attempts)) == (errors.AddressRefused, ["address_refused"])
    assert server.connections == 0
    with client(address, egress=Egress.to_named(["127.0.0.0/8", "localhost", "::1"])) as chat:
        assert asked(chat)[0] == 0.5


def test_a_name_is_resolved_once_for_a_connection_and_its_next_answer_is_judged_like_the_first(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server of an attacker's: what it says first is allowed, and what it says then is not."""
    first = serve(saying(ok(), ok(REPLY, "Connection: close")))
    inner = serve(saying(ok()), at=("127.0.0.2", first.port))
    answers = iter(["127.0.0.1", "127.0.0.2"])
    resolve = socket.getaddrinfo

    def rebinding(host: str, *rest: Any, **named: Any) -> Any:
        return resolve(next(answers) if host == "judge.example" else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    egress = Egress.to_named(["127.0.0.1"])
    with client(f"http://judge.example:{first.port}/v1", egress=egress) as chat:
        assert [asked(chat)[0] for _ in range(2)] == [0.5, 0.5]
        assert isinstance(asked_once(chat)[0], errors.AddressRefused)
    assert (first.connections, inner.connections) == (1, 0)
