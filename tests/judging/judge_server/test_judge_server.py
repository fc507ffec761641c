"""The judge server that tests and benchmarks use: its verdicts, its latency and its log."""

import hashlib
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.hashed_judge.log import (
    Arrival,
    in_flight_maximum,
    most_in_window,
    read_log,
    repeats,
    tokens_most_in_window,
)
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from tests.judging.judge_server.judge_requests import RUBRIC, all_answered, asked, chat, judged, logged, said

pytestmark = pytest.mark.slow
KEY = "sk-very-secret-0123456789"
GRADE: dict[str, Any] = {"type": "string", "enum": ["CORRECT", "INCORRECT"]}


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
