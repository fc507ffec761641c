"""One chat request: what is sent, what comes back, and the error for every way it can fail."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, Field, ValidationError

from llm import errors
from llm.attempts import Attempt
from llm.client import ChatClient
from llm.egress import AddressForbidden
from llm.gates import GateClosed
from llm.network import MAX_REPLY_BYTES
from llm.providers import Provider
from llm.requests import Message
from llm.retrying import RetryPolicy

KEY = "sk-very-secret-0123456789"
ONCE = RetryPolicy(tries=1)
ASK = [Message("user", "How many moons has Mars?")]

Handler = Callable[[httpx.Request], httpx.Response]


GOOD = '{"reasoning": "Phobos, Deimos", "count": 2}'


class Moons(BaseModel):
    reasoning: str
    count: int = Field(ge=0, le=500)


class Closed(BaseModel, extra="forbid"):
    """A schema that takes no other field."""


def completion(content: str | None = "two", **changes: Any) -> dict[str, Any]:
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    choice.update(changes)
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"id": "1", "model": "moon-counter-2", "choices": [choice], "usage": usage}


def client(handler: Handler, *, retry: RetryPolicy = ONCE, **settings: Any) -> ChatClient:
    return ChatClient(
        base_url="http://judge.example/v1/",
        model="moon-counter",
        api_key=KEY,
        retry=retry,
        transport=httpx.MockTransport(handler),
        **settings,
    )


def answering(reply: dict[str, Any] | str | bytes, *, status: int = 200, **named: str) -> Handler:
    headers = {name.replace("_", "-"): value for name, value in named.items()}

    def handler(request: httpx.Request) -> httpx.Response:
        if isinstance(reply, dict):
            return httpx.Response(status, json=reply, headers=headers)
        return httpx.Response(status, content=reply, headers=headers)

    return handler


def failing(error: type[httpx.TransportError]) -> Handler:
    def handler(request: httpx.Request) -> httpx.Response:
        raise error("[Errno 111] Connection refused")

    return handler


def test_a_reply_comes_back_with_its_model_tokens_and_latency() -> None:
    ticks = iter([100.0, 100.0, 100.1, 100.25])
    got = client(answering(completion()), timer=lambda: next(ticks)).complete(ASK)
    assert (got.text, got.parsed, got.finish_reason) == ("two", None, "stop")
    assert (got.attempt.model, got.attempt.prompt_tokens, got.attempt.completion_tokens) == (
        "moon-counter-2",
        12,
        3,
    )
    assert got.attempt.latency_ms == 250.0
    assert json.loads(got.attempt.raw_reply) == completion()


def test_a_request_holds_the_key_only_in_its_header() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json=completion())

    client(handler, parameters={"temperature": 0}).complete(ASK)
    assert str(seen[0].url) == "http://judge.example/v1/chat/completions"
    assert seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(seen[0].content) == {
        "model": "moon-counter",
        "messages": [{"role": "user", "content": "How many moons has Mars?"}],
        "temperature": 0,
    }


def test_structured_output_is_asked_for_and_validated() -> None:
    seen: list[dict[str, Any]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(json.loads(request.content))
        return httpx.Response(200, json=completion('{"reasoning": "Phobos, Deimos", "count": 2}'))

    got = client(handler).complete(ASK, response_schema=Moons)
    assert got.parsed == Moons(reasoning="Phobos, Deimos", count=2)
    assert seen[0]["response_format"]["type"] == "json_schema"
    assert seen[0]["response_format"]["json_schema"]["name"] == "moons"


def breaking(error: type[httpx.TransportError]) -> Handler:
    """The head of a reply and the start of its body arrive, and then something happens."""

    def handler(request: httpx.Request) -> httpx.Response:
        def body() -> Iterator[bytes]:
            yield b'{"choices"'
            raise error("")

        return httpx.Response(200, content=body(), headers={"content-type": "application/json"})

    return handler


def forbidden(request: httpx.Request) -> httpx.Response:
    raise AddressForbidden("judge.example")


FAULTS: dict[type[errors.LLMError], Handler] = {
    errors.AddressRefused: forbidden,
    errors.ConnectionFailed: failing(httpx.ConnectError),
    errors.ConnectionLost: failing(httpx.RemoteProtocolError),
    errors.TimedOut: failing(httpx.ReadTimeout),
    errors.ReplyTooSlow: breaking(httpx.ReadTimeout),
    errors.RateLimited: answering("slow down", status=429),
    errors.ServerFailed: answering("oops", status=500),
    errors.EndpointTimedOut: answering("", status=408),
    errors.EndpointConflict: answering("", status=409),
    errors.AskedTooEarly: answering("", status=425),
    errors.AccessDenied: answering("who are you", status=401),
    errors.SchemaRejected: answering('Unknown name "additionalProperties" at response_schema', status=400),
    errors.RequestRejected: answering("no such parameter", status=400),
    errors.ReplyTooLarge: answering(b" " * (MAX_REPLY_BYTES + 1)),
    errors.ReplyWrongType: answering(completion(GOOD), content_type="text/html; charset=utf-8"),
    errors.ReplyMalformed: answering("<html>Welcome to the hotel network</html>"),
    errors.ReplyTruncated: answering(completion('{"reasoning": "Pho', finish_reason="length")),
    errors.ReplyRefused: answering(completion(message={"content": None, "refusal": "I will not."})),
    errors.ReplyEmpty: answering(completion(" \n ")),
    errors.ReplyOffSchema: answering(completion('{"reasoning": "many"}')),
    errors.ReplyOutOfRange: answering(completion('{"reasoning": "many", "count": 501}')),
}

# What a call sends in all when every reply is the fault and only one try is allowed.
SENT_AT_ONCE: dict[type[errors.LLMError], int] = {errors.ReplyOffSchema: 2, errors.ReplyOutOfRange: 2}


def leaves(error: type[errors.LLMError]) -> Iterator[type[errors.LLMError]]:
    children = error.__subclasses__()
    yield from (leaf for child in children for leaf in leaves(child)) if children else (error,)


def test_every_error_of_the_tree_has_a_fault_here_and_a_reason_of_its_own() -> None:
    tree = list(leaves(errors.LLMError))
    assert set(FAULTS) == set(tree)
    assert len({error.reason for error in tree}) == len(tree)
    assert all(error.reason in (errors.__doc__ or "") for error in tree)


@pytest.mark.parametrize("expected", FAULTS, ids=lambda error: error.reason)
def test_a_fault_raises_its_error_is_reported_and_shows_no_key(expected: type[errors.LLMError]) -> None:
    attempts: list[Attempt] = []
    plain_error = errors.RequestRejected if expected is errors.SchemaRejected else expected
    with pytest.raises(plain_error) as caught:
        client(FAULTS[expected]).complete(ASK, response_schema=Moons, on_attempt=attempts.append)
    if expected is errors.SchemaRejected:
        assert [attempt.outcome for attempt in attempts] == ["schema_rejected", "request_rejected"]
    else:
        assert [attempt.outcome for attempt in attempts] == [expected.reason] * SENT_AT_ONCE.get(expected, 1)
    assert "judge.example" in str(caught.value)
    assert KEY not in str(caught.value) + repr(caught.value) + repr(attempts)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (503, errors.ServerFailed),
        (529, errors.ServerFailed),
        (402, errors.AccessDenied),
        (403, errors.AccessDenied),
        (404, errors.AccessDenied),
        (422, errors.RequestRejected),
        (302, errors.RequestRejected),
        (204, errors.RequestRejected),
    ],
)
def test_a_status_belongs_to_one_error(status: int, expected: type[errors.LLMError]) -> None:
    with pytest.raises(expected) as caught:
        client(answering("", status=status, location="http://elsewhere.example/")).complete(ASK)
    assert caught.value.received.status == status


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (completion("two", finish_reason=None), errors.ReplyTruncated),
        (completion("", finish_reason="length"), errors.ReplyTruncated),
        (completion("two", finish_reason="content_filter"), errors.ReplyRefused),
        (completion(None, finish_reason="tool_calls"), errors.ReplyEmpty),
        ({"choices": []}, errors.ReplyEmpty),
        ({"error": {"message": "overloaded"}}, errors.ReplyMalformed),
        ("[" * 100_000, errors.ReplyMalformed),
        (b"\xff\xfe\x00", errors.ReplyMalformed),
        (completion('Sure! {"reasoning": "x", "count": 2}'), errors.ReplyOffSchema),
        (completion('{"reasoning": "x", "count": 2} {"count": 3}'), errors.ReplyOffSchema),
        (completion('[{"reasoning": "x", "count": 2}]'), errors.ReplyOffSchema),
        (completion('{"reasoning": "x", "count": 2, "count": 500}'), errors.ReplyOffSchema),
        (completion('{"reasoning": "x", "count": 2, "co\\u0075nt": 500}'), errors.ReplyOffSchema),
        (completion('{"reasoning": "x", "count": NaN}'), errors.ReplyOffSchema),
        (completion(f"```json\n{GOOD}\n```"), errors.ReplyOffSchema),
        (completion('{"reasoning": 1, "count": 501}'), errors.ReplyOffSchema),
    ],
)
def test_a_reply_that_only_looks_usable_is_refused(
    reply: dict[str, Any] | str | bytes, expected: type[errors.LLMError]
) -> None:
    with pytest.raises(expected):
        client(answering(reply)).complete(ASK, response_schema=Moons)


def test_many_things_that_are_no_choice_are_one_mistake() -> None:
    with pytest.raises(errors.ReplyMalformed) as caught:
        client(answering('{"choices": [' + "[]," * 100_000 + "[]]}")).complete(ASK)
    refused = caught.value.__context__
    assert isinstance(refused, ValidationError)
    assert refused.error_count() == 1


def test_many_fields_that_nobody_asked_for_are_not_listed_one_by_one() -> None:
    fields = ", ".join(f'"field {number}": 0' for number in range(2000))
    with pytest.raises(errors.ReplyOffSchema, match=r"is not a Closed: hardly any field is right$"):
        client(answering(completion(f"{{{fields}}}"))).complete(ASK, response_schema=Closed)


def test_a_failed_attempt_keeps_the_reply_and_the_tokens_it_cost() -> None:
    attempts: list[Attempt] = []
    cut = completion('{"reasoning": "Pho', finish_reason="length")
    with pytest.raises(errors.ReplyTruncated):
        client(answering(cut)).complete(ASK, response_schema=Moons, on_attempt=attempts.append)
    assert json.loads(attempts[0].raw_reply) == cut
    assert (attempts[0].prompt_tokens, attempts[0].completion_tokens) == (12, 3)


def test_a_key_that_the_endpoint_echoes_is_masked() -> None:
    attempts: list[Attempt] = []
    with pytest.raises(errors.AccessDenied, match=r"Incorrect API key \[key\]"):
        client(answering(f"Incorrect API key {KEY}", status=401)).complete(ASK, on_attempt=attempts.append)
    assert attempts[0].raw_reply == "Incorrect API key [key]"


def test_what_a_database_cannot_hold_is_replaced_in_a_reply() -> None:
    got = client(answering(completion("a\0b"))).complete(ASK)
    assert got.text == "a\ufffdb"
    with pytest.raises(errors.ReplyMalformed) as caught:
        client(answering(b"a\0b\xff")).complete(ASK)
    assert caught.value.received.raw == "a\ufffdb\ufffd"


def test_reading_stops_when_a_reply_is_too_large() -> None:
    served = 0

    def endless() -> Iterator[bytes]:
        nonlocal served
        while True:
            served += 100_000
            yield b" " * 100_000

    with pytest.raises(errors.ReplyTooLarge):
        client(lambda request: httpx.Response(200, content=endless())).complete(ASK)
    assert served == MAX_REPLY_BYTES + 100_000


def test_a_reply_that_drips_in_slowly_times_out_as_a_whole() -> None:
    seconds = iter(range(0, 100_000, 10))

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "

    with pytest.raises(errors.ReplyTooSlow, match=r"did not finish its reply within 60 s"):
        client(
            lambda request: httpx.Response(200, content=drip()),
            timeout=60.0,
            timer=lambda: float(next(seconds)),
        ).complete(ASK)


def test_every_attempt_is_reported_and_the_last_one_counts() -> None:
    replies = iter([answering("oops", status=500), answering(completion("")), answering(completion("two"))])
    attempts: list[Attempt] = []
    patient = RetryPolicy(sleep=lambda seconds: None)
    got = client(lambda request: next(replies)(request), retry=patient).complete(
        ASK, on_attempt=attempts.append
    )
    assert got.text == "two"
    assert [attempt.outcome for attempt in attempts] == ["server_failed", "reply_empty", "ok"]
    assert len({attempt.request_sha256 for attempt in attempts}) == 1


def test_the_key_shows_in_no_repr() -> None:
    chat = client(answering(completion()))
    assert repr(chat) == "ChatClient('moon-counter' at http://judge.example/v1)"
    assert KEY not in repr(vars(chat))


def test_a_parameter_cannot_replace_what_the_client_sets() -> None:
    with pytest.raises(ValueError, match=r"^Leave messages, model out of the parameters"):
        client(answering(completion()), parameters={"model": "x", "messages": []})


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


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f" \n```json \r\n{GOOD}\r\n```\n"])
def test_in_plain_mode_the_whole_reply_may_stand_in_one_fence(text: str) -> None:
    chat = client(answering(completion(text)), plain_json=True)
    assert chat.complete(ASK, response_schema=Moons).parsed.count == 2


@pytest.mark.parametrize(
    "text",
    [
        f"Here it is:\n```json\n{GOOD}\n```",
        f"```json\n{GOOD}\n```\nDone.",
        f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"```json\n```json\n{GOOD}\n```\n```",
        f"```json {GOOD} ```",
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
