"""Faults and limits of the judge server, over real connections."""

import email.utils
import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import pytest

from benchmarks.hashed_judge.faults import PASSING
from benchmarks.hashed_judge.log import Arrival, in_flight_maximum, most_in_window, read_log, repeats
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from tests.judging.judge_server.judge_requests import (
    NO_CERTIFICATES,
    RUBRIC,
    all_answered,
    asked,
    chat,
    judged,
    logged,
    said,
)

pytestmark = pytest.mark.slow
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
