"""The judge server's connections and its real process: how it starts and ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from benchmarks.hashed_judge.log import read_log
from benchmarks.hashed_judge.options import JudgeOptions, arguments_of, read_options
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from tests.judging.judge_server.judge_requests import NO_CERTIFICATES, RUBRIC, asked, chat, logged, said

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]


def exchanged(judge: RunningJudge, *sent: bytes) -> bytes:
    """What comes back for these bytes, sent piece by piece, until the server closes or falls silent."""
    address = httpx.URL(judge.url)
    with socket.create_connection((address.host, address.port or 0), timeout=1) as connection:
        for piece in sent:
            connection.sendall(piece)
            time.sleep(0.02)
        received = b""
        with suppress(TimeoutError):
            while piece := connection.recv(65536):
                received += piece
        return received


def raw(body: bytes, *lines: str) -> bytes:
    head = "\r\n".join(["POST /v1/chat/completions HTTP/1.1", f"Content-Length: {len(body)}", *lines])
    return head.encode() + b"\r\n\r\n" + body


def test_requests_in_one_piece_and_in_many_are_all_answered_in_turn(plain: RunningJudge) -> None:
    bodies = [json.dumps(chat(f"answer {number}", model=f"m{number}")).encode() for number in range(3)]
    stream = b"".join(map(raw, bodies))
    together = exchanged(plain, stream)
    pieces = [stream[start : start + 40] for start in range(0, len(stream), 40)]
    for received in (together, exchanged(plain, *pieces)):
        assert received.count(b"HTTP/1.1 200 OK") == 3
        assert received.index(b'"m0"') < received.index(b'"m1"') < received.index(b'"m2"')


def test_many_requests_that_wait_are_answered_without_end(plain: RunningJudge) -> None:
    received = exchanged(plain, b"GET /health HTTP/1.1\r\n\r\n" * 5000)
    assert received.count(b"HTTP/1.1 200 OK") == 5000


def test_a_client_may_ask_for_the_connection_to_be_closed(plain: RunningJudge) -> None:
    body = json.dumps(chat("answer")).encode()
    received = exchanged(plain, raw(body, "Connection: close") + raw(body))
    assert received.count(b"HTTP/1.1 200 OK") == 1


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n\r\n", 411),
        (b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 411),
        (b"GET /" + b"x" * 20_000, 431),
        (raw(b"{"), 400),
        (raw(b"[]"), 400),
        (raw(b'{"model": "m", "messages": []}'), 400),
        (raw(b'{"model": "m", "messages": ["text"]}'), 400),
        (raw(b'{"model": "m", "messages": [{"role": "user"}], "stream": true}'), 400),
        (raw(b'{"model": "m", "messages": [{}], "response_format": {"type": "json_schema"}}'), 400),
        (b"GET /v1/chat/completions HTTP/1.1\r\n\r\n", 405),
        (b"GET /nothing HTTP/1.1\r\n\r\n", 404),
    ],
)
def test_what_is_no_chat_request_is_refused_in_words(plain: RunningJudge, sent: bytes, status: int) -> None:
    before = plain.stats()["requests"]
    received = exchanged(plain, sent)
    assert received.startswith(b"HTTP/1.1 %d " % status)
    assert json.loads(received.partition(b"\r\n\r\n")[2])["error"]["message"]
    assert plain.stats()["requests"] == before


def test_asked_to_end_it_answers_what_is_in_flight_and_ends_well(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with judge_server(latency_ms=500, log=log) as judge, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(asked, judge, chat("answer"))
        logged(judge, lambda arrivals: len(arrivals) == 1)
        judge.process.send_signal(signal.SIGTERM)
        assert reply.result().status_code == 200
        assert judge.process.wait(timeout=5) == 0
    assert [one.status for one in read_log(log)] == [200]


def test_it_does_not_wait_for_ever_for_what_is_in_flight(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with judge_server(latency_ms=60_000, log=log) as judge, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(asked, judge, chat("answer"), timeout=60)
        logged(judge, lambda arrivals: len(arrivals) == 1)
        judge.process.send_signal(signal.SIGTERM)
        assert judge.process.wait(timeout=10) == 0
        assert isinstance(reply.exception(), httpx.TransportError)
    assert [one.status for one in read_log(log)] == [499]


STARTER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from benchmarks.hashed_judge.running import judge_server
with judge_server() as judge:
    print(judge.process.pid, flush=True)
    time.sleep(60)
"""


def test_it_does_not_outlive_a_test_that_is_killed() -> None:
    command = [sys.executable, "-c", STARTER, str(ROOT / "benchmarks")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout
        server = int(starter.stdout.readline())
        starter.kill()
    for _ in range(200):
        if not runs(server):
            return
        time.sleep(0.05)
    pytest.fail("The server still runs 10 s after the process that started it was killed.")


def runs(process: int) -> bool:
    """Whether it runs; one that has ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_the_documented_command_says_where_it_listens() -> None:
    command = [sys.executable, "benchmarks/judge_server.py", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        try:
            assert server.stdout
            address = re.search(r"http://127.0.0.1:\d+/v1", server.stdout.readline())
            assert address
            reply = httpx.post(f"{address[0]}/chat/completions", json=chat("answer"), verify=NO_CERTIFICATES)
        finally:
            server.terminate()
    assert json.loads(said(reply)).keys() == RUBRIC.keys()
    assert server.returncode == 0


def test_a_server_that_cannot_start_is_noticed(plain: RunningJudge) -> None:
    taken = httpx.URL(plain.url).port or 0
    with pytest.raises(RuntimeError, match="did not start"), judge_server(port=taken):
        pass
    with pytest.raises(TypeError, match="colour"), judge_server(colour="red"):
        pass


def test_options_survive_the_command_line() -> None:
    options = JudgeOptions(
        port=0,
        judge="B",
        log=Path("calls.jsonl"),
        faults=0.3,
        fault_kinds=("empty", "huge"),
        reject_keyword=("additionalProperties",),
        dead_after=3,
        while_stdin_open=True,
    )
    assert read_options(arguments_of(options), description="") == options
    assert arguments_of(JudgeOptions()) == []
