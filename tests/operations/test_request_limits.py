"""Requests larger than anything the site takes: each gets a clear answer, and harms no other.

Against the real server, which no test client stands for here.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings

from operations.rehearsal.servers import free_port, web_server

MEBIBYTE = 1024 * 1024
FORM = "application/x-www-form-urlencoded"
SIGN_IN = "/accounts/login/"
COOKIE = "csrftoken=" + "c" * 32

# Of this, collecting the static files takes minutes on a busy machine.
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory, static_files: Path) -> Iterator[int]:
    """Of a running site; nothing in this file reaches its database."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(static_files, folder / "static")
    port = free_port()
    with web_server(port, environment={"CHIRON_DATA_DIR": str(folder)}, log=folder / "web.log"):
        yield port


@pytest.fixture
def connection(port: int) -> Iterator[HTTPConnection]:
    """One connection, which is not opened again where the server closes it."""
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    client.connect()
    client.auto_open = 0
    yield client
    client.close()


def ask(connection: HTTPConnection, method: str, path: str, **request: object) -> tuple[int, str]:
    connection.request(method, path, **request)  # type: ignore[arg-type]  # body and headers
    reply = connection.getresponse()
    return reply.status, reply.read().decode()


@pytest.mark.parametrize("size", [60_000, 4 * MEBIBYTE + 1, 20 * MEBIBYTE])
@pytest.mark.parametrize(
    ("path", "status"), [("/nothing/", 404), (SIGN_IN, 403), ("/api/preview", 403), ("/accounts/login", 301)]
)
def test_a_body_that_nobody_reads_does_not_drop_the_next_request(
    connection: HTTPConnection, path: str, status: int, size: int
) -> None:
    assert ask(connection, "POST", path, body=b"x" * size)[0] == status
    assert ask(connection, "GET", SIGN_IN)[0] == 200


def test_a_body_in_chunks_that_nobody_reads_does_not_drop_the_next_request(
    connection: HTTPConnection,
) -> None:
    chunks = iter([b"x" * 30_000] * 20)
    assert ask(connection, "POST", "/nothing/", body=chunks, encode_chunked=True)[0] == 404
    assert ask(connection, "GET", SIGN_IN)[0] == 200


def test_of_a_body_without_end_no_more_is_read_and_the_reply_says_that_the_connection_ends(
    connection: HTTPConnection,
) -> None:
    connection.putrequest("POST", "/nothing/")
    connection.putheader("Content-Length", str(10 * settings.MAX_BODY_BYTES))
    connection.endheaders()
    for _ in range(settings.MAX_BODY_BYTES // MEBIBYTE):
        connection.send(bytes(MEBIBYTE))
    reply = connection.getresponse()
    assert (reply.status, reply.getheader("Connection")) == (404, "close")


@pytest.mark.parametrize(
    "body",
    [
        urlencode({"email": "x" * 4 * MEBIBYTE}),
        urlencode({f"field{number}": "x" for number in range(1_001)}),
    ],
    ids=["4 MiB and more of text", "1,001 fields"],
)
def test_a_form_beyond_the_limits_gets_a_sentence(connection: HTTPConnection, body: str) -> None:
    headers = {"Content-Type": FORM, "Cookie": COOKIE}
    status, page = ask(connection, "POST", SIGN_IN, body=body, headers=headers)
    assert status == 413
    assert "more text, fields or files than this site takes" in page
    assert ask(connection, "GET", SIGN_IN)[0] == 200


def test_a_hundred_files_are_read_and_one_more_gets_a_sentence(connection: HTTPConnection) -> None:
    def files(number: int) -> str:
        part = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nx\r\n'
        return part * number + "--b--\r\n"

    headers = {"Content-Type": "multipart/form-data; boundary=b", "Cookie": COOKIE}
    # Read, and then refused: it names no token of ours.
    assert ask(connection, "POST", SIGN_IN, body=files(100), headers=headers)[0] == 403
    status, page = ask(connection, "POST", SIGN_IN, body=files(101), headers=headers)
    assert status == 413
    assert "more text, fields or files than this site takes" in page


def test_headers_of_64_kib_are_read_and_ever_more_are_refused(port: int) -> None:
    def status(headers: dict[str, str], path: str = SIGN_IN) -> int:
        client = HTTPConnection("127.0.0.1", port, timeout=60)
        # A server that refuses does not read on, but ends the connection after its reply.
        with suppress(BrokenPipeError, ConnectionResetError):
            client.request("GET", path, headers=headers)
        found = client.getresponse().status
        client.close()
        return found

    assert status({"X-Long": "x" * 64 * 1024}) == 200
    assert status({"X-Long": "x" * 2 * MEBIBYTE}) == 431
    assert status({f"X-{number}": "x" for number in range(90)}) == 200
    assert status({f"X-{number}": "x" for number in range(1_000)}) == 431
    assert status({}, f"{SIGN_IN}?next={'x' * 64 * 1024}") == 414
