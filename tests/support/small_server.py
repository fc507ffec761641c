"""Servers on loopback that answer a chat client as badly as a test likes, and clients that ask them."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from judging.judges.course import Course
from judging.judges.schemas import RubricJudgment
from llm import errors
from llm.client import ChatClient
from llm.egress import Egress
from llm.requests import FIRST, Attempt, Message, Reask, Sending

KEY = "sk-very-secret-0123456789"
ASK = [Message("user", "Is it met?")]
VERDICT = '{"explanation": "because", "score": 0.5, "confidence": 1.0}'
REPLY = json.dumps({"choices": [{"message": {"content": VERDICT}, "finish_reason": "stop"}]}).encode()

Body = dict[str, Any]
Handler = Callable[[socket.socket, int, Body], None]


def ok(body: bytes = REPLY, *headers: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def client(base_url: str, *, timeout: float = 10.0, **settings: Any) -> Iterator[ChatClient]:
    settings = {"egress": Egress(loopback=True), **settings}
    with ChatClient(base_url=base_url, model="judge-1", api_key=KEY, timeout=timeout, **settings) as chat:
        yield chat


def asked_once(chat: ChatClient, sending: Sending = FIRST) -> tuple[float | errors.LLMError, Attempt]:
    """The score, or the error, of one request, and its record."""
    try:
        got = chat.complete(ASK, response_schema=RubricJudgment, sending=sending)
    except errors.LLMError as error:
        shown = f"{error}{error!r}{error.attempt}"
        if KEY in shown:
            pytest.fail("the key shows")
        return error, error.attempt
    return got.parsed.score, got.attempt


def asked(chat: ChatClient) -> tuple[float | type[errors.LLMError], list[Attempt]]:
    """The score, or the kind of error that ends a round, and the requests sent for it."""
    result, attempts = round_of(chat)
    return (result if isinstance(result, float) else type(result)), attempts


def round_of(chat: ChatClient) -> tuple[float | errors.LLMError, list[Attempt]]:
    """One round of asking, without its waits."""
    attempts: list[Attempt] = []
    course, sending = Course(), FIRST
    while True:
        result, attempt = asked_once(chat, sending)
        attempts.append(attempt)
        if isinstance(result, float):
            return result, attempts
        course = course.after(attempt.outcome)
        if course.rounds:
            return result, attempts
        unusable = sending.reask
        if isinstance(result, errors.ReplyInvalid):
            unusable = Reask(result.text, result.problem, result.is_prose)
        sending = Sending(course.plain, unusable if course.reask else None)


def outcomes(attempts: list[Attempt]) -> list[str]:
    return [attempt.outcome for attempt in attempts]


class SmallServer:
    """Reads each request on a connection and lets `answer` do what it likes; counts both."""

    def __init__(
        self, answer: Handler, *, tls: ssl.SSLContext | None = None, at: tuple[str, int] = ("127.0.0.1", 0)
    ) -> None:
        self._answer = answer
        self._tls = tls
        self._listening = socket.create_server(at)
        self._open: list[socket.socket] = []
        self._talks: list[threading.Thread] = []
        self.connections = 0
        self.bodies: list[Body] = []
        scheme = "https" if tls else "http"
        self.port: int = self._listening.getsockname()[1]
        self.base_url = f"{scheme}://127.0.0.1:{self.port}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for connection in [*self._open, self._listening]:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def wait_until_all_closed(self) -> None:
        """Wait until the clients have closed every connection."""
        until = time.monotonic() + 30
        while any(talk.is_alive() for talk in self._talks):
            assert time.monotonic() < until, "a client keeps a connection open"
            time.sleep(0.01)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.connections += 1
                self._open.append(connection)
                self._talks.append(threading.Thread(target=self._talk, args=(connection,), daemon=True))
                self._talks[-1].start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError):
            connection.settimeout(30)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            number = 0
            with closing(connection):
                while (body := self._request(connection)) is not None:
                    self.bodies.append(body)
                    number += 1
                    self._answer(connection, number, body)

    def _request(self, connection: socket.socket) -> Body | None:
        data = b""
        while b"\r\n\r\n" not in data:
            if not (more := connection.recv(65536)):
                return None
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        while len(body) < size:
            body += connection.recv(65536)
        decoded: Body = json.loads(body)
        return decoded


@contextmanager
def small_servers() -> Iterator["Serve"]:
    """Starts servers that say what they like, and ends them."""
    servers: list[SmallServer] = []

    def start(answer: Handler, **settings: Any) -> SmallServer:
        servers.append(SmallServer(answer, **settings))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def saying(*replies: bytes) -> Handler:
    """Says each of `replies` in turn, whatever the connection, and the last one for ever."""
    left = list(replies)

    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(left.pop(0) if len(left) > 1 else left[0])

    return answer


def dripping(start: bytes) -> Handler:
    def answer(connection: socket.socket, number: int, body: Body) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(b" ")
            time.sleep(0.02)

    return answer


Serve = Callable[..., SmallServer]
