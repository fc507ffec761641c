"""A reply off the schema, schemas that are refused, and the gate before every request."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from llm import errors
from llm.attempts import Attempt
from llm.client import GateClosed
from llm.providers import Provider
from llm.retrying import RetryPolicy
from tests.support.chat_client import ASK, FAULTS, GOOD, Moons, answering, client, completion

Handler = Callable[[httpx.Request], httpx.Response]


def recorded(*replies: Handler) -> tuple[Handler, list[dict[str, Any]]]:
    """Answers with each of `replies` in turn and keeps what was asked."""
    left, bodies = iter(replies), list[dict[str, Any]]()

    def handler(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return next(left)(request)

    return handler, bodies


OFF = answering(completion('{"reasoning": "many"}'))
NO_SCHEMA = FAULTS[errors.SchemaRejected]


def test_a_reply_off_the_schema_is_shown_to_the_model_once_with_what_is_wrong() -> None:
    handler, bodies = recorded(OFF, answering(completion(GOOD)))
    attempts: list[Attempt] = []
    got = client(handler).complete(ASK, response_schema=Moons, on_attempt=attempts.append)
    assert got.parsed.count == 2
    assert bodies[1] == {
        **bodies[0],
        "messages": [
            *bodies[0]["messages"],
            {"role": "assistant", "content": '{"reasoning": "many"}'},
            {
                "role": "user",
                "content": "This reply cannot be used: count: Field required. Reply again with only the JSON "
                "object that was asked for, and nothing before or after it.",
            },
        ],
    }
    assert [(one.outcome, one.asked_again) for one in attempts] == [("reply_off_schema", False), ("ok", True)]
    assert len({one.request_sha256 for one in attempts}) == 1


@pytest.mark.parametrize("first", [OFF, FAULTS[errors.ReplyOutOfRange]])
@pytest.mark.parametrize("second", [OFF, FAULTS[errors.ReplyOutOfRange]])
def test_there_is_one_re_ask_whatever_is_wrong_with_its_reply(first: Handler, second: Handler) -> None:
    handler, bodies = recorded(first, second)
    with pytest.raises(errors.ReplyInvalid):
        client(handler, retry=RetryPolicy(tries=9)).complete(ASK, response_schema=Moons)
    assert len(bodies) == 2


def test_a_re_ask_that_meets_another_fault_goes_on_by_that_faults_rule() -> None:
    handler, bodies = recorded(OFF, answering("oops", status=500), answering(completion(GOOD)))
    patient = RetryPolicy(sleep=lambda seconds: None)
    assert client(handler, retry=patient).complete(ASK, response_schema=Moons).parsed.count == 2
    assert bodies[1] == bodies[2] != bodies[0]


def test_a_long_reply_is_not_shown_whole() -> None:
    handler, bodies = recorded(answering(completion("x" * 9000)), answering(completion(GOOD)))
    client(handler).complete(ASK, response_schema=Moons)
    assert bodies[1]["messages"][1]["content"] == "x" * 4000


def test_a_refused_schema_is_left_out_at_once_and_from_then_on() -> None:
    handler, bodies = recorded(NO_SCHEMA, answering(completion(GOOD)), answering(completion(GOOD)))
    told: list[str] = []
    attempts: list[Attempt] = []
    chat = client(handler, on_plain_json=lambda: told.append("plain"))
    for _ in range(2):
        assert chat.complete(ASK, response_schema=Moons, on_attempt=attempts.append).parsed.count == 2
    assert ["response_format" in body for body in bodies] == [True, False, False]
    assert bodies[1] == bodies[2]
    assert [(one.outcome, one.plain_json) for one in attempts] == [
        ("schema_rejected", False), ("ok", True), ("ok", True),
    ]  # fmt: skip
    assert len({one.request_sha256 for one in attempts}) == 1
    assert (told, chat.plain_json) == (["plain"], True)


def test_a_client_made_in_plain_mode_starts_there_and_tells_nobody() -> None:
    handler, bodies = recorded(answering(completion(GOOD)))
    chat = client(handler, plain_json=True, on_plain_json=lambda: pytest.fail("was known"))
    assert chat.complete(ASK, response_schema=Moons).parsed.count == 2
    assert "response_format" not in bodies[0]


def test_plain_mode_is_not_remembered_when_it_does_not_help() -> None:
    handler, bodies = recorded(NO_SCHEMA, NO_SCHEMA)
    chat = client(handler, on_plain_json=lambda: pytest.fail("did not help"))
    with pytest.raises(errors.RequestRejected):
        chat.complete(ASK, response_schema=Moons)
    assert (len(bodies), chat.plain_json) == (2, False)


def test_without_a_schema_nothing_can_be_left_out() -> None:
    with pytest.raises(errors.RequestRejected):
        client(NO_SCHEMA).complete(ASK)


@pytest.mark.parametrize(
    "text", [GOOD, f"```\n{GOOD}\n```", f"```json\n{GOOD}\n```", f" \n```json \r\n{GOOD}\r\n```\n"]
)
def test_in_plain_mode_the_whole_reply_may_stand_in_one_fence(text: str) -> None:
    chat = client(answering(completion(text)), plain_json=True)
    assert chat.complete(ASK, response_schema=Moons).parsed.count == 2


@pytest.mark.parametrize(
    "text",
    [
        f"Here it is:\n```json\n{GOOD}\n```",
        f"```json\n{GOOD}\n```\nDone.",
        f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",
        f"```json\n```json\n{GOOD}\n```\n```",
    ],
)
def test_no_other_fence_is_looked_into(text: str) -> None:
    chat = client(answering(completion(text)), plain_json=True)
    with pytest.raises(errors.ReplyOffSchema):
        chat.complete(ASK, response_schema=Moons)


class CountingGate:
    """Lets `limit` requests through and keeps what it was told."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.tokens: list[int] = []

    def enter(self, *, tokens: int) -> None:
        if len(self.tokens) == self.limit:
            raise GateClosed("no more")
        self.tokens.append(tokens)


def test_every_request_passes_the_gate_with_its_size() -> None:
    handler, bodies = recorded(answering("", status=500), OFF, answering(completion(GOOD)))
    gate = CountingGate(9)
    patient = RetryPolicy(sleep=lambda seconds: None)
    chat = client(handler, gate=gate, retry=patient, max_output_tokens=50)
    chat.complete(ASK, response_schema=Moons)
    prompt = chat.request(ASK, Moons).prompt_tokens_estimate
    assert len(bodies) == 3
    assert gate.tokens[:2] == [prompt + 50] * 2
    assert gate.tokens[2] > prompt + 50 + 20


def test_without_a_limit_the_gate_is_told_of_a_usual_reply() -> None:
    gate = CountingGate(1)
    chat = client(answering(completion()), gate=gate)
    chat.complete(ASK)
    assert gate.tokens == [chat.request(ASK).prompt_tokens_estimate + 1000]


def test_a_closed_gate_ends_the_call_untouched_and_nothing_is_sent() -> None:
    handler, bodies = recorded(answering("", status=500))
    attempts: list[Attempt] = []
    patient = RetryPolicy(sleep=lambda seconds: None)
    with pytest.raises(GateClosed, match="no more"):
        client(handler, gate=CountingGate(1), retry=patient).complete(ASK, on_attempt=attempts.append)
    assert [one.outcome for one in attempts] == ["server_failed"]
    assert len(bodies) == 1
    assert not issubclass(GateClosed, errors.LLMError)


def test_waiting_at_the_gate_is_no_part_of_an_attempt() -> None:
    clock = [0.0]

    class SlowGate:
        def enter(self, *, tokens: int) -> None:
            clock[0] += 1000.0

    got = client(answering(completion()), gate=SlowGate(), timer=lambda: clock[0], timeout=60.0).complete(ASK)
    assert got.attempt.latency_ms == 0.0


def test_a_description_has_what_decides_a_reply_and_no_key() -> None:
    chat = client(
        answering(completion()), provider=Provider.VLLM, reasoning_effort="low", max_output_tokens=9,
        parameters={"temperature": 0},
    )  # fmt: skip
    assert chat.describe() == {
        "model": "moon-counter", "base_url": "http://judge.example/v1", "provider": "vllm",
        "parameters": {"temperature": 0}, "reasoning_effort": "low", "max_output_tokens": 9,
    }  # fmt: skip
