"""The ways in which one request can be sent, and what a reply shows of the endpoint's way with schemas."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from llm import errors
from llm.client import ChatClient
from llm.providers import Provider
from llm.requests import FIRST, Reask, SchemaUse, Sending
from tests.support.chat_client import ASK, FAULTS, GOOD, Moons, answering, client, completion

Handler = Callable[[httpx.Request], httpx.Response]


def recorded(*replies: Handler) -> tuple[Handler, list[dict[str, Any]]]:
    """Answers with each of `replies` in turn and keeps what was asked."""
    left, bodies = iter(replies), list[dict[str, Any]]()

    def handler(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return next(left)(request)

    return handler, bodies


def refused(chat: ChatClient, sending: Sending = FIRST) -> errors.LLMError:
    with pytest.raises(errors.LLMError) as caught:
        chat.complete(ASK, response_schema=Moons, sending=sending)
    return caught.value


def reask_of(error: errors.LLMError) -> Reask:
    assert isinstance(error, errors.ReplyInvalid)
    return Reask(error.text, error.problem, error.is_prose)


OFF = answering(completion('{"reasoning": "many"}'))
NO_SCHEMA = FAULTS[errors.SchemaRejected]
FENCED = answering(completion(f"```json\n{GOOD}\n```"))
PLAIN = Sending(plain=True)
REASK = Sending(reask=Reask("so far", "no"))
ON_TRIAL = Sending(reask=Reask("so far", "no", is_prose=True))


def test_a_reply_off_the_schema_is_shown_to_the_model_with_what_is_wrong() -> None:
    handler, bodies = recorded(OFF, answering(completion(GOOD)))
    chat = client(handler)
    error = refused(chat)
    got = chat.complete(ASK, response_schema=Moons, sending=Sending(reask=reask_of(error)))
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
    attempts = [error.attempt, got.attempt]
    assert [(one.outcome, one.asked_again) for one in attempts] == [("reply_off_schema", False), ("ok", True)]
    assert len({one.request_sha256 for one in attempts}) == 1


def test_a_long_reply_is_not_shown_whole() -> None:
    handler, bodies = recorded(answering(completion("x" * 9000)), answering(completion(GOOD)))
    chat = client(handler)
    chat.complete(ASK, response_schema=Moons, sending=Sending(reask=reask_of(refused(chat))))
    assert bodies[1]["messages"][1]["content"] == "x" * 4000


def test_without_the_schema_the_request_has_the_same_name() -> None:
    handler, bodies = recorded(NO_SCHEMA, answering(completion(GOOD)))
    chat = client(handler)
    error = refused(chat)
    got = chat.complete(ASK, response_schema=Moons, sending=PLAIN)
    assert got.parsed.count == 2
    assert ["response_format" in body for body in bodies] == [True, False]
    attempts = [error.attempt, got.attempt]
    assert [(one.outcome, one.plain_json) for one in attempts] == [("schema_rejected", False), ("ok", True)]
    assert len({one.request_sha256 for one in attempts}) == 1


@pytest.mark.parametrize("sending", [PLAIN, ON_TRIAL])
def test_a_schema_that_was_left_out_cannot_be_what_is_rejected(sending: Sending) -> None:
    assert type(refused(client(NO_SCHEMA), sending)) is errors.RequestRejected


def test_without_a_schema_nothing_can_be_left_out() -> None:
    with pytest.raises(errors.RequestRejected):
        client(NO_SCHEMA).complete(ASK)


@pytest.mark.parametrize(
    ("reply", "sending", "use"),
    [
        (answering(completion(GOOD)), FIRST, SchemaUse.HELD),
        (answering(completion(GOOD)), REASK, SchemaUse.HELD),
        (answering(completion(GOOD)), ON_TRIAL, SchemaUse.SLIPPED),
        (answering(completion(GOOD)), PLAIN, SchemaUse.IN_WORDS),
        (FENCED, FIRST, SchemaUse.UNHELD),
        (FENCED, PLAIN, SchemaUse.IN_WORDS),
        (OFF, FIRST, SchemaUse.UNKNOWN),
        # The request was taken: it was the schema that was refused before.
        (OFF, PLAIN, SchemaUse.IN_WORDS),
        (NO_SCHEMA, FIRST, SchemaUse.UNKNOWN),
        (NO_SCHEMA, PLAIN, SchemaUse.UNKNOWN),
        (answering("oops", status=500), PLAIN, SchemaUse.UNKNOWN),
    ],
)
def test_a_reply_shows_whether_schemas_are_taken_and_models_held_to_them(
    reply: Handler, sending: Sending, use: SchemaUse
) -> None:
    try:
        attempt = client(reply).complete(ASK, response_schema=Moons, sending=sending).attempt
    except errors.LLMError as error:
        attempt = error.attempt
    assert attempt.schema_use is use


def test_a_request_without_a_schema_shows_nothing_of_them() -> None:
    assert client(answering(completion())).complete(ASK).attempt.schema_use is SchemaUse.UNKNOWN


@pytest.mark.parametrize(
    "text", [GOOD, f"```\n{GOOD}\n```", f"```json\n{GOOD}\n```", f" \n```json \r\n{GOOD}\r\n```\n"]
)
def test_in_plain_mode_the_whole_reply_may_stand_in_one_fence(text: str) -> None:
    chat = client(answering(completion(text)))
    assert chat.complete(ASK, response_schema=Moons, sending=PLAIN).parsed.count == 2


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
    assert type(refused(client(answering(completion(text))), PLAIN)) is errors.ReplyOffSchema


def test_the_size_that_is_expected_of_a_request_grows_with_what_a_re_ask_shows() -> None:
    chat = client(answering(completion(GOOD)))
    first, again = (
        chat.complete(ASK, response_schema=Moons, sending=sending).attempt for sending in (FIRST, REASK)
    )
    assert first.prompt_estimate == chat.request(ASK, Moons).prompt_tokens_estimate
    assert again.prompt_estimate > first.prompt_estimate + 20


def test_a_description_has_what_decides_a_reply_and_no_key() -> None:
    chat = client(
        answering(completion()), provider=Provider.VLLM, reasoning_effort="low", max_output_tokens=9,
        parameters={"temperature": 0},
    )  # fmt: skip
    assert chat.describe() == {
        "model": "moon-counter", "base_url": "http://judge.example/v1", "provider": "vllm",
        "parameters": {"temperature": 0}, "reasoning_effort": "low", "max_output_tokens": 9,
    }  # fmt: skip
