"""The judge server that tests and benchmarks use, over real connections to its real process."""

import email.utils
import hashlib
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from hashed_judge.faults import PASSING  # noqa: E402
from hashed_judge.log import (  # noqa: E402
    Arrival,
    in_flight_maximum,
    most_in_window,
    read_log,
    repeats,
    tokens_most_in_window,
)
from hashed_judge.options import JudgeOptions, arguments_of, read_options  # noqa: E402
from hashed_judge.running import RunningJudge, judge_server  # noqa: E402

pytestmark = pytest.mark.slow

# Without the certificates that nobody asks for on loopback, a client is made in no time.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
KEY = "sk-very-secret-0123456789"
RUBRIC: dict[str, Any] = {
    "explanation": {"type": "string"},
    "score": {"type": "number", "minimum": 0.0, "maximum": 1.0},
    "confidence": {"type": "number", "minimum": 0.0, "maximum": 1.0},
}
GRADE: dict[str, Any] = {"type": "string", "enum": ["CORRECT", "INCORRECT"]}


def chat(text: str, fields: dict[str, Any] | None = None, **further: Any) -> dict[str, Any]:
    """The body of a chat request; `fields` are those of its schema."""
    body: dict[str, Any] = {"model": "judge-1", "messages": [{"role": "user", "content": text}], **further}
    if fields is not None:
        schema = {"type": "object", "properties": fields, "required": list(fields)}
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "one", "schema": schema}}
    return body


def asked(judge: RunningJudge, body: dict[str, Any], **options: Any) -> httpx.Response:
    options = {"timeout": 10, "verify": NO_CERTIFICATES, **options}
    return httpx.post(f"{judge.url}/chat/completions", json=body, **options)


def said(reply: httpx.Response) -> str:
    assert reply.status_code == 200
    return str(reply.json()["choices"][0]["message"]["content"])


def judged(judge: RunningJudge, body: dict[str, Any]) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads(said(asked(judge, body)))
    return verdict


def logged(judge: RunningJudge, wanted: Callable[[list[Arrival]], bool]) -> list[Arrival]:
    """The log as soon as it shows what is wanted."""
    for _ in range(200):
        if wanted(arrivals := judge.arrivals()):
            return arrivals
        time.sleep(0.02)
    raise AssertionError(f"The log does not show it: {judge.arrivals()}")


def all_answered(count: int) -> Callable[[list[Arrival]], bool]:
    return lambda arrivals: sum(one.status is not None for one in arrivals) == count


@pytest.fixture(scope="module")
def plain() -> Iterator[RunningJudge]:
    with judge_server() as judge:
        yield judge


def test_equal_messages_get_equal_verdicts_and_others_get_others(plain: RunningJudge) -> None:
    bodies = [chat(f"answer {number}", RUBRIC) for number in range(60)]
    first, again = ([judged(plain, body) for body in bodies] for _ in range(2))
    assert first == again
    assert Counter(one["score"] for one in first).keys() == {0.0, 0.5, 1.0}
    assert all(0.8 <= one["confidence"] <= 1.0 for one in first)


def test_the_fields_of_the_schema_are_filled_in_its_order(plain: RunningJudge) -> None:
    fields = {"confidence": {"type": "number"}, "grade": GRADE, "explanation": {"type": "string"}}
    verdict = judged(plain, chat("answer", fields))
    assert list(verdict) == ["confidence", "grade", "explanation"]
    assert verdict["grade"] in GRADE["enum"]


def test_numbered_fields_are_filled_for_each_criterion_of_its_own(plain: RunningJudge) -> None:
    fields = {f"{name}_{number}": schema for number in range(1, 31) for name, schema in RUBRIC.items()}
    verdict = judged(plain, chat("answer", fields))
    assert list(verdict) == list(fields)
    assert len({verdict[f"score_{number}"] for number in range(1, 31)}) == 3


def test_a_field_of_another_scale_stays_within_it(plain: RunningJudge) -> None:
    fields = {"score": {"type": "integer", "minimum": 1, "maximum": 5}, "met": {"type": "boolean"}}
    verdicts = [judged(plain, chat(f"answer {number}", fields)) for number in range(40)]
    assert {one["score"] for one in verdicts} == {1, 3, 5}
    assert {one["met"] for one in verdicts} == {True, False}


def test_without_a_schema_the_fields_named_in_the_messages_are_filled(plain: RunningJudge) -> None:
    quoted = (
        'An answer: {"score": 1, "grade": "CORRECT"}. Reply with `explanation`, `grade` and `confidence`.'
    )
    form = {"type": "json_object"}
    assert list(judged(plain, chat(quoted, response_format=form))) == ["explanation", "grade", "confidence"]
    assert list(judged(plain, chat("An answer.", response_format=form))) == list(RUBRIC)
    written_out = f"Follow this schema: {json.dumps({'type': 'object', 'properties': {'score_1': {}}})} Go."
    assert list(judged(plain, chat(written_out))) == ["score_1"]


def test_a_request_for_no_form_gets_the_same_verdict_as_with_a_schema(plain: RunningJudge) -> None:
    assert judged(plain, chat("answer")) == judged(plain, chat("answer", RUBRIC))


def test_a_reply_has_the_model_and_the_tokens(plain: RunningJudge) -> None:
    reply = asked(plain, chat("x" * 400, RUBRIC))
    assert reply.json()["model"] == "judge-1"
    assert reply.json()["choices"][0]["finish_reason"] == "stop"
    completion = len(said(reply)) // 4
    assert reply.json()["usage"] == {
        "prompt_tokens": 100,
        "completion_tokens": completion,
        "total_tokens": 100 + completion,
    }


def test_another_judge_agrees_as_often_as_it_is_told() -> None:
    bodies = [chat(f"answer {number}", RUBRIC) for number in range(400)]
    scores = {}
    for name, agreement in (("A", 0.0), ("B", 1.0), ("C", 0.0), ("D", 0.7)):
        with judge_server(judge=name, agreement=agreement) as judge, httpx.Client() as client:
            replies = (client.post(f"{judge.url}/chat/completions", json=body) for body in bodies)
            scores[name] = [json.loads(said(reply))["score"] for reply in replies]
    same = {name: sum(map(float.__eq__, scores["A"], theirs)) / 400 for name, theirs in scores.items()}
    assert same["B"] == 1.0
    # Two judges who do not know of each other agree by chance: 16 + 1 + 1 of 36.
    assert 0.4 < same["C"] < 0.6
    assert 0.78 < same["D"] < 0.92


def test_a_latency_is_kept_by_many_at_once(tmp_path: Path) -> None:
    with judge_server(latency_ms=300, log=tmp_path / "log") as judge, ThreadPoolExecutor(16) as pool:
        list(pool.map(partial(asked, judge), [chat(f"answer {number}") for number in range(16)]))
        arrivals = logged(judge, all_answered(16))
    waits = [(one.answered_at or 0) - one.at for one in arrivals]
    assert min(waits) >= 0.299
    # One after the other they would take 4.8 s.
    assert max(one.answered_at or 0 for one in arrivals) - min(one.at for one in arrivals) < 2.4


def test_jitter_makes_the_latency_longer_by_chance(tmp_path: Path) -> None:
    with judge_server(latency_ms=20, jitter_ms=200, log=tmp_path / "log") as judge:
        for number in range(10):
            asked(judge, chat(f"answer {number}"))
        waits = [(one.answered_at or 0) - one.at for one in logged(judge, all_answered(10))]
    assert min(waits) >= 0.019
    assert max(waits) - min(waits) > 0.05


def test_the_log_says_who_asked_what_and_never_the_key(tmp_path: Path) -> None:
    log = tmp_path / "log"
    body = chat("answer", RUBRIC)
    with judge_server(log=log, latency_ms=200) as judge, ThreadPoolExecutor(1) as pool:
        before = time.time()
        reply = pool.submit(asked, judge, body, headers={"Authorization": f"Bearer {KEY}"})
        (waiting,) = logged(judge, lambda arrivals: len(arrivals) == 1)
        reply.result()
        asked(judge, body)
        first, second = logged(judge, all_answered(2))
    messages = json.dumps(body["messages"], sort_keys=True).encode()
    assert (waiting.status, waiting.answered_at) == (None, None)
    assert first.messages == second.messages == hashlib.sha256(messages).hexdigest()
    assert (first.number, first.model, first.status, first.in_flight) == (1, "judge-1", 200, 1)
    assert (first.authorized, second.authorized) == (True, False)
    assert before <= first.at <= (first.answered_at or 0) <= second.at
    assert first.tokens == reply.result().json()["usage"]["total_tokens"]
    assert KEY not in log.read_text()


def arrival(at: float, until: float | None = None, *, server: int = 1, **told: Any) -> Arrival:
    told = {"number": 1, "model": "m", "authorized": True, "messages": "a", "in_flight": 1, **told}
    return Arrival(server=server, at=at, answered_at=until, **{"prompt_tokens": 10, **told})


def test_the_log_counts_requests_at_the_same_time() -> None:
    assert in_flight_maximum([]) == 0
    assert in_flight_maximum([arrival(0, 1), arrival(1, 2), arrival(2, 3)]) == 1
    assert in_flight_maximum([arrival(0, 5), arrival(1, 2), arrival(3, 4)]) == 2
    # A request that was never answered ends with its server, not with the next one.
    killed = [arrival(0), arrival(1, 2), arrival(3, 4, server=2), arrival(3.5, 5, server=2)]
    assert in_flight_maximum(killed) == 2


def test_the_log_counts_requests_and_tokens_in_any_window() -> None:
    arrivals = [arrival(at, at) for at in (0, 30, 59, 60, 61, 200)]
    assert most_in_window(arrivals) == 4
    assert most_in_window(arrivals, seconds=2) == 2
    assert most_in_window(arrivals, seconds=2.5) == 3
    assert tokens_most_in_window(arrivals) == 40
    assert tokens_most_in_window([*arrivals, arrival(201, 201, completion_tokens=90)]) == 110
    assert most_in_window([]) == 0


def test_the_log_counts_repeats_and_a_line_being_written_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with judge_server(log=log) as judge:
        for text in ("one", "two", "one"):
            asked(judge, chat(text))
        assert judge.stats()["requests"] == 3
        assert judge.stats()["distinct"] == 2
    assert sorted(repeats(read_log(log)).values()) == [1, 2]
    with log.open("a") as file:
        file.write('{"server": 1, "num')
    assert len(read_log(log)) == 3


FAULTS: dict[str, Callable[[httpx.Response], bool]] = {
    "rate_limited_seconds": lambda got: got.status_code == 429 and got.headers["retry-after"] == "2",
    "rate_limited_date": lambda got: (
        got.status_code == 429
        and 1 < email.utils.parsedate_to_datetime(got.headers["retry-after"]).timestamp() - time.time() <= 3
    ),
    "status_500": lambda got: got.status_code == 500,
    "status_503": lambda got: got.status_code == 503,
    "status_408": lambda got: got.status_code == 408,
    "status_409": lambda got: got.status_code == 409,
    "truncated": lambda got: (
        got.json()["choices"][0]["finish_reason"] == "length" and not said(got).endswith("}")
    ),
    "refused": lambda got: bool(got.json()["choices"][0]["message"]["refusal"]),
    "empty": lambda got: said(got) == "",
    "not_json": lambda got: "{" not in said(got) and len(said(got)) > 10,
    "off_schema": lambda got: list(json.loads(said(got))) == ["explanation", "score", "confidence_in_words"],
    "out_of_range": lambda got: json.loads(said(got))["score"] > 1,
    "content_type": lambda got: got.status_code == 200 and got.headers["content-type"] == "text/html",
    "huge": lambda got: len(got.content) > 10 * 1024 * 1024,
}
BROKEN: dict[str, type[Exception]] = {
    "closed": httpx.RemoteProtocolError,
    "reset": httpx.TransportError,
    "stalled": httpx.ReadTimeout,
}


def test_every_passing_fault_is_tested_here() -> None:
    assert {*FAULTS, *BROKEN, "dripped"} == set(PASSING)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_shows_in_the_reply_and_passes(fault: str, tmp_path: Path) -> None:
    with judge_server(
        faults=1.0, faults_at_most=1, fault_kinds=(fault,), wait_seconds=2.0, log=tmp_path / "log"
    ) as judge:
        assert FAULTS[fault](asked(judge, chat("answer", RUBRIC)))
        assert judged(judge, chat("answer", RUBRIC)).keys() == RUBRIC.keys()
        assert [one.fault for one in logged(judge, all_answered(2))] == [fault, ""]
        assert judge.stats()["faults"] == {fault: 1}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_connection_is_logged_without_a_reply_and_passes(fault: str, tmp_path: Path) -> None:
    with judge_server(faults=1.0, faults_at_most=1, fault_kinds=(fault,), log=tmp_path / "log") as judge:
        with pytest.raises(BROKEN[fault]):
            asked(judge, chat("answer"), timeout=0.5)
        assert judged(judge, chat("answer")).keys() == RUBRIC.keys()
        first, second = logged(judge, all_answered(2))
    assert (first.fault, second.fault, second.status) == (fault, "", 200)
    assert first.status == (499 if fault == "stalled" else 0)


def test_a_dripping_reply_takes_its_time_and_is_whole() -> None:
    with judge_server(faults=1.0, fault_kinds=("dripped",), stall_seconds=1.0) as judge:
        started = time.monotonic()
        with httpx.stream("POST", f"{judge.url}/chat/completions", json=chat("answer"), timeout=5) as reply:
            pieces = list(reply.iter_raw())
    assert time.monotonic() - started >= 0.9
    assert len(pieces) > 10
    assert json.loads(b"".join(pieces))["choices"][0]["finish_reason"] == "stop"


def test_a_client_that_leaves_is_not_in_flight_any_more(tmp_path: Path) -> None:
    with judge_server(latency_ms=30_000, log=tmp_path / "log") as judge:
        with pytest.raises(httpx.ReadTimeout):
            asked(judge, chat("answer"), timeout=0.3)
        (left,) = logged(judge, all_answered(1))
        assert judge.stats()["in_flight"] == 0
    assert (left.status, left.completion_tokens) == (499, 0)


def rounds(judge: RunningJudge, requests: int, times: int) -> None:
    """Ask each request so often, one after the other; what comes back does not matter here."""
    for number in range(requests):
        for _ in range(times):
            with suppress(httpx.TransportError):
                asked(judge, chat(f"answer {number}"), timeout=5)


def faults_by_request(arrivals: list[Arrival]) -> dict[str, list[str]]:
    met: dict[str, list[str]] = {}
    for one in arrivals:
        met.setdefault(one.messages, []).append(one.fault)
    return met


QUICK = tuple(kind for kind in PASSING if kind not in {"huge", "stalled", "dripped"})


def test_mixed_faults_come_as_often_as_told_pass_and_can_be_repeated(tmp_path: Path) -> None:
    met = []
    for name in ("first", "again"):
        log = tmp_path / name
        with judge_server(faults=0.5, seed=7, fault_kinds=QUICK, log=log) as judge:
            rounds(judge, requests=60, times=4)
        met.append(faults_by_request(read_log(log)))
    assert met[0] == met[1]
    firsts = Counter(faults[0] for faults in met[0].values())
    assert 20 <= 60 - firsts[""] <= 40
    assert len(firsts) > 10
    # Two in a row at most: of three calls one is answered well.
    assert all("" in faults[:3] and "" in faults[1:] for faults in met[0].values())
    assert any(faults[0] and faults[1] for faults in met[0].values())


def test_a_permanent_fault_meets_the_same_request_for_ever(tmp_path: Path) -> None:
    with judge_server(permanent=0.2, seed=7, log=tmp_path / "log") as judge:
        rounds(judge, requests=100, times=3)
    met = [set(faults) for faults in faults_by_request(read_log(tmp_path / "log")).values()]
    assert all(len(faults) == 1 for faults in met)
    kinds = Counter(fault for faults in met for fault in faults)
    assert 10 <= 100 - kinds.pop("") <= 30
    assert kinds.keys() == {"permanent_refused", "permanent_off_schema"}


def test_asking_again_with_a_remark_counts_as_the_same_request(tmp_path: Path) -> None:
    first = chat("answer", RUBRIC)
    again = {"role": "assistant", "content": "?"}, {"role": "user", "content": "That was off the schema."}
    second = {**first, "messages": [*first["messages"], *again]}
    with judge_server(faults=1.0, faults_at_most=2, fault_kinds=("empty",), log=tmp_path / "log") as judge:
        replies = [asked(judge, body) for body in (first, second, second)]
        arrivals = logged(judge, all_answered(3))
    assert [one.fault for one in arrivals] == ["empty", "empty", ""]
    assert json.loads(said(replies[2])).keys() == RUBRIC.keys()
    assert len(repeats(arrivals)) == 2


def test_a_schema_keyword_or_a_parameter_can_be_unknown() -> None:
    strict = chat("answer", {"score": {"type": "object", "additionalProperties": False}})
    with judge_server(reject_keyword=("additionalProperties",), reject_parameter=("max_tokens",)) as judge:
        refused, parameter = asked(judge, strict), asked(judge, chat("answer", max_tokens=5))
        assert list(judged(judge, chat("additionalProperties", RUBRIC))) == list(RUBRIC)
    assert (refused.status_code, parameter.status_code) == (400, 400)
    assert "additionalProperties" in refused.json()["error"]["message"]
    assert "max_tokens" in parameter.json()["error"]["message"]


def test_a_form_of_reply_can_be_unknown() -> None:
    with judge_server(reject_keyword=("json_schema",)) as judge:
        assert asked(judge, chat("answer", RUBRIC)).status_code == 400
        assert judged(judge, chat("answer", response_format={"type": "json_object"})).keys() == RUBRIC.keys()


def test_from_a_call_on_the_key_is_refused_for_everyone() -> None:
    with judge_server(dead_after=3) as judge:
        statuses = [asked(judge, chat(f"answer {number}")).status_code for number in range(4)]
    assert statuses == [200, 200, 401, 401]


def test_while_a_file_exists_the_server_is_down(tmp_path: Path) -> None:
    down = tmp_path / "down"
    with judge_server(dead_until_file=down) as judge:
        statuses = [asked(judge, chat("answer")).status_code]
        down.touch()
        statuses.append(asked(judge, chat("answer")).status_code)
        down.unlink()
        statuses.append(asked(judge, chat("answer")).status_code)
    assert statuses == [200, 503, 200]


def test_requests_beyond_the_limit_wait_for_the_window(tmp_path: Path) -> None:
    with judge_server(rpm=3, window_seconds=2.0, log=tmp_path / "log") as judge:
        replies = [asked(judge, chat(f"answer {number}")) for number in range(4)]
        assert [one.status_code for one in replies] == [200, 200, 200, 429]
        assert replies[3].headers["retry-after"] in {"1", "2"}
        time.sleep(2.1)
        assert asked(judge, chat("answer 3")).status_code == 200
        assert judge.stats()["violations"] == {"rpm": 1}
        arrivals = logged(judge, all_answered(5))
    assert [one.violation for one in arrivals] == ["", "", "", "rpm", ""]
    assert most_in_window(arrivals, seconds=2.0) == 4


def test_tokens_beyond_the_limit_wait_for_the_window() -> None:
    with judge_server(tpm=250) as judge:
        replies = [asked(judge, chat(letter * 400)) for letter in "abc"]
        assert [one.status_code for one in replies] == [200, 200, 429]
        assert 50 <= int(replies[2].headers["retry-after"]) <= 60
        assert judge.stats()["violations"] == {"tpm": 1}


def test_too_many_at_the_same_time_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with judge_server(max_in_flight=2, latency_ms=1000, log=log) as judge, ThreadPoolExecutor(5) as pool:
        replies = pool.map(partial(asked, judge), [chat(f"answer {number}") for number in range(5)])
        assert sorted(one.status_code for one in replies) == [200, 200, 429, 429, 429]
        assert judge.stats()["in_flight_maximum"] == 5
        arrivals = logged(judge, all_answered(5))
    assert in_flight_maximum(arrivals) == max(one.in_flight for one in arrivals) == 5
    assert Counter(one.violation for one in arrivals) == {"max_in_flight": 3, "": 2}


def test_health_and_counts_can_be_asked_for(tmp_path: Path) -> None:
    with judge_server() as judge:
        root = judge.url.removesuffix("/v1")
        assert httpx.get(f"{root}/health", verify=NO_CERTIFICATES).json() == {"status": "ok"}
        asked(judge, chat("answer"))
        assert httpx.get(f"{root}/stats", verify=NO_CERTIFICATES).json() == {
            "requests": 1,
            "distinct": 1,
            "in_flight": 0,
            "in_flight_maximum": 1,
            "without_authorization": 1,
            "statuses": {"200": 1},
            "faults": {},
            "violations": {},
        }


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
from hashed_judge.running import judge_server
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
