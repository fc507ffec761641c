"""The client and the language-model judge against a real OpenAI-compatible server on loopback."""

import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply

from llm.attempts import Attempt
from llm.client import ChatClient
from llm.errors import RateLimited
from llm.requests import Message
from llm.retrying import RetryPolicy
from scoring.judge.answers import sample_score
from scoring.judge.interface import AnswerVerdict, CriterionTask, Judge, JudgeTask
from scoring.judge.llm_judge import LLMJudge
from scoring.judge.reasons import UnscoredReason
from scoring.judge.schemas import RubricJudgment
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS

pytestmark = pytest.mark.slow

KEY = "sk-very-secret-0123456789"
ASK = [Message("user", "Is it met?")]
ROOT = Path(__file__).resolve().parents[2]
RUBRIC = JudgeTask(
    "p1", "Which planet?", None, (CriterionTask(0, "Mars."), CriterionTask(1, "Moons.")), "Mars"
)
EXACT = JudgeTask("p2", "Which planet?", "Mars", (), "It is Mars.")


# A server that promises 100 bytes, sends 10 and hangs up.
BREAKER = """
import socket, sys
server = socket.socket(fileno=int(sys.argv[1]))
while True:
    connection, _ = server.accept()
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\n" + b'{"choices"')
    connection.close()
"""


@contextmanager
def client(base_url: str, *, first_wait: float = 0.05, timeout: float = 10.0) -> Iterator[ChatClient]:
    retry = RetryPolicy(first_wait=first_wait, rng=random.Random(1))
    with ChatClient(base_url=base_url, model="judge-1", api_key=KEY, timeout=timeout, retry=retry) as chat:
        yield chat


def verdict_of(judge: Judge, task: JudgeTask) -> AnswerVerdict:
    """The verdict on the answer, asked for position by position."""
    return sample_score(tuple(judge.verdict(task, position) for position in task.positions))


def judged(base_url: str, task: JudgeTask, *, timeout: float = 10.0) -> AnswerVerdict:
    with client(base_url, timeout=timeout) as chat:
        return verdict_of(LLMJudge(client=chat, texts=DEFAULT_JUDGE_TEXTS), task)


def outcomes(verdict: AnswerVerdict) -> list[str]:
    return [call.outcome for one in verdict.criteria for call in one.calls]


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_judgments_of_both_forms_come_back_structured(llmock: LLMock) -> None:
    rubric, exact = judged(llmock.base_url(), RUBRIC), judged(llmock.base_url(), EXACT)
    assert (rubric.score, exact.score) == (1.0, 1.0)
    assert outcomes(rubric) == ["ok", "ok"]
    calls = [call for one in rubric.criteria for call in one.calls]
    assert all((call.prompt_tokens or 0) > 100 and call.latency_ms > 0 for call in calls)
    llmock.assert_resilient(strict=True)


def test_the_wait_that_a_rate_limit_asks_for_is_kept(llmock: LLMock) -> None:
    llmock.rate_limit(times=1, retry_after=0.5)
    started = time.monotonic()
    verdict = judged(llmock.base_url(), EXACT)
    assert time.monotonic() - started >= 0.5
    assert (verdict.score, outcomes(verdict)) == (1.0, ["rate_limited", "ok"])
    llmock.assert_resilient(strict=True)


def test_a_rate_limit_for_an_hour_ends_the_call_at_once(llmock: LLMock) -> None:
    llmock.rate_limit(times=None, retry_after=3600)
    attempts: list[Attempt] = []
    with client(llmock.base_url()) as chat, pytest.raises(RateLimited) as caught:
        chat.complete(ASK, response_schema=RubricJudgment, on_attempt=attempts.append)
    assert caught.value.retry_after == 3600.0
    assert len(attempts) == len(llmock.requests) == 1


def test_a_server_that_recovers_costs_only_time(llmock: LLMock) -> None:
    llmock.fail(500).fail(503)
    verdict = judged(llmock.base_url(), EXACT)
    assert (verdict.score, outcomes(verdict)) == (1.0, ["server_failed", "server_failed", "ok"])
    llmock.assert_resilient(strict=True)


def test_a_server_that_stays_down_leaves_the_answer_unscored_and_a_second_pass_asks_again(
    llmock: LLMock,
) -> None:
    llmock.outage()
    verdict = judged(llmock.base_url(), EXACT)
    assert (verdict.score, verdict.reason) == (None, UnscoredReason.SERVER_FAILED)
    assert len(llmock.requests) == 3
    llmock.reset()
    assert judged(llmock.base_url(), EXACT).score == 1.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply('{"explanation": "so", "gra', finish_reason="length", times=3), "reply_truncated"),
        (Reply('{"explanation": "so", "gra', times=3), "reply_off_schema"),
        (Reply('{"explanation": "so", "grade": "PERFECT", "confidence": 1}', times=3), "reply_off_schema"),
        (Reply(" ", times=3), "reply_empty"),
        (Reply("I cannot judge this.", finish_reason="content_filter"), "reply_refused"),
    ],
)
def test_a_reply_that_is_no_judgment_leaves_the_answer_unscored(
    llmock: LLMock, reply: Reply, reason: str
) -> None:
    llmock.add(reply)
    verdict = judged(llmock.base_url(), EXACT)
    assert (verdict.score, verdict.reason) == (None, reason)
    assert outcomes(verdict) == [reason] * (reply.times or 0)


def test_a_wrong_key_is_not_tried_again(llmock: LLMock) -> None:
    llmock.fail(401, times=None)
    verdict = judged(llmock.base_url(), EXACT)
    assert verdict.reason == UnscoredReason.ACCESS_DENIED
    assert len(llmock.requests) == 1


def test_a_reply_that_takes_too_long_leaves_the_answer_unscored(llmock: LLMock) -> None:
    llmock.delay(1, times=None)
    verdict = judged(llmock.base_url(), EXACT, timeout=0.2)
    assert (verdict.score, verdict.reason) == (None, UnscoredReason.TIMED_OUT)


def test_an_endpoint_that_is_down_leaves_the_answer_unscored_with_a_sentence_and_no_key() -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    verdict = judged(address, EXACT)
    assert (verdict.score, verdict.reason) == (None, UnscoredReason.CONNECTION_FAILED)
    assert outcomes(verdict) == ["connection_failed"] * 3
    assert f"{address} cannot be reached" in verdict.criteria[0].explanation
    assert KEY not in repr(verdict)


def test_a_connection_that_breaks_in_the_middle_of_a_reply_is_tried_again() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", BREAKER, str(server.fileno())], pass_fds=[server.fileno()]
        )
        try:
            verdict = judged(f"http://127.0.0.1:{server.getsockname()[1]}/v1", EXACT)
        finally:
            process.kill()
            process.wait()
    assert (verdict.reason, outcomes(verdict)) == (UnscoredReason.CONNECTION_LOST, ["connection_lost"] * 3)


@pytest.fixture
def judge_server() -> Iterator[str]:
    port = free_port()
    script = ROOT / "benchmarks" / "judge_server.py"
    process = subprocess.Popen(
        [sys.executable, str(script), "--port", str(port)], stdout=subprocess.DEVNULL, cwd=ROOT
    )
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait_for(port: int) -> None:
    for _ in range(200):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the judge server did not start within 20 s")


def test_threads_may_share_a_judge(judge_server: str) -> None:
    answers = [
        JudgeTask(f"p{number}", "?", None, RUBRIC.criteria, f"answer {number}") for number in range(40)
    ]
    with client(judge_server) as chat, ThreadPoolExecutor(8) as pool:
        judge = LLMJudge(client=chat, texts=DEFAULT_JUDGE_TEXTS)
        together = list(pool.map(partial(verdict_of, judge), answers))
        alone = [verdict_of(judge, task) for task in answers]
    assert [one.score for one in together] == [one.score for one in alone]
    assert all(outcomes(one) == ["ok", "ok"] for one in together)


def test_the_judge_server_judges_both_forms_the_same_way_each_time(judge_server: str) -> None:
    answers = [JudgeTask("p", "?", None, RUBRIC.criteria, f"answer {number}") for number in range(6)]
    first, again = ([judged(judge_server, task).score for task in answers] for _ in range(2))
    assert first == again
    assert len(set(first)) > 1
    assert all(score is not None and 0 <= score <= 1 for score in first)
    assert judged(judge_server, EXACT).score is not None
