"""One chat request: what is sent, what comes back, and the error for every way it can fail."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from llm import errors
from llm.http import MAX_REPLY_BYTES
from tests.support.chat_client import ASK, FAULTS, KEY, Moons, answering, client, completion


class Closed(BaseModel, extra="forbid"):
    """A schema that takes no other field."""


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
    with pytest.raises(expected) as caught:
        client(FAULTS[expected]).complete(ASK, response_schema=Moons)
    error = caught.value
    assert error.attempt.outcome == expected.reason
    assert "judge.example" in str(error)
    assert KEY not in str(error) + repr(error) + repr(error.attempt)


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
    cut = completion('{"reasoning": "Pho', finish_reason="length")
    with pytest.raises(errors.ReplyTruncated) as caught:
        client(answering(cut)).complete(ASK, response_schema=Moons)
    attempt = caught.value.attempt
    assert json.loads(attempt.raw_reply) == cut
    assert (attempt.prompt_tokens, attempt.completion_tokens, attempt.tokens) == (12, 3, 15)


def test_a_key_that_the_endpoint_echoes_is_masked() -> None:
    with pytest.raises(errors.AccessDenied, match=r"Incorrect API key \[key\]") as caught:
        client(answering(f"Incorrect API key {KEY}", status=401)).complete(ASK)
    assert caught.value.attempt.raw_reply == "Incorrect API key [key]"


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


@pytest.mark.parametrize("expected", FAULTS, ids=lambda error: error.reason)
def test_a_call_is_one_request_whatever_comes_of_it(expected: type[errors.LLMError]) -> None:
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return FAULTS[expected](request)

    with pytest.raises(expected):
        client(handler).complete(ASK, response_schema=Moons)
    assert len(sent) == 1


def test_the_key_shows_in_no_repr() -> None:
    chat = client(answering(completion()))
    assert repr(chat) == "ChatClient('moon-counter' at http://judge.example/v1)"
    assert KEY not in repr(vars(chat))


def test_a_parameter_cannot_replace_what_the_client_sets() -> None:
    with pytest.raises(ValueError, match=r"^Leave messages, model out of the parameters"):
        client(answering(completion()), parameters={"model": "x", "messages": []})
