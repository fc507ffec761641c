"""The client of a judge against a provider's server: every fault."""

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply

from judging.judges.schemas import ExactJudgment, RubricJudgment
from llm import errors
from llm.providers import Provider
from llm.requests import Attempt
from tests.support.small_server import ASK, VERDICT, asked, client, outcomes

pytestmark = pytest.mark.slow


# What a provider's server says, by llmock
def test_judgments_of_both_forms_come_back_structured(llmock: LLMock) -> None:
    attempts: list[Attempt] = []
    with client(llmock.base_url()) as chat:
        for schema in (RubricJudgment, ExactJudgment):
            got = chat.complete(ASK, response_schema=schema)
            attempts.append(got.attempt)
            assert isinstance(got.parsed, schema)
    assert outcomes(attempts) == ["ok", "ok"]
    assert all((call.prompt_tokens or 0) > 0 and call.latency_ms > 0 for call in attempts)
    llmock.assert_resilient(strict=True)


@pytest.mark.parametrize("provider", Provider)
def test_every_dialect_is_understood(llmock: LLMock, provider: Provider) -> None:
    effort = "" if provider is Provider.GENERIC else "low"
    with client(llmock.base_url(), provider=provider, reasoning_effort=effort, max_output_tokens=500) as chat:
        assert chat.complete(ASK, response_schema=RubricJudgment).finish_reason == "stop"


@pytest.mark.parametrize("seconds", [0.5, 3600.0])
def test_the_wait_that_a_rate_limit_asks_for_is_told_at_once(llmock: LLMock, seconds: float) -> None:
    llmock.rate_limit(times=None, retry_after=seconds)
    with client(llmock.base_url()) as chat, pytest.raises(errors.RateLimited) as caught:
        chat.complete(ASK)
    assert caught.value.retry_after == seconds
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
        (404, errors.AccessDenied), (400, errors.RequestRejected), (413, errors.PromptTooLong),
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
