"""What widespread servers make of a reply: each shape is read, or told in one sentence with its way out."""

import json
import time
from typing import Any

import pytest

from judging.judges.schemas import RubricJudgment
from llm import errors
from llm.replies import unwrapped
from llm.requests import SchemaUse
from tests.support.small_server import (
    ASK,
    KEY,
    VERDICT,
    Serve,
    asked,
    asked_once,
    client,
    ok,
    outcomes,
    round_of,
    saying,
)

pytestmark = pytest.mark.slow

LONG = "Let me see. " * 40
PAGE = "<html><head><title>Sign in to the network</title></head></html>"


def body(content: Any = VERDICT, *, message: dict[str, Any] | None = None, **choice: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **(message or {})}
    return {"model": "judge-1", "choices": [{"index": 0, "message": said, "finish_reason": "stop", **choice}]}


def without(name: str) -> dict[str, Any]:
    reply = body()
    del reply["choices"][0][name]
    return reply


READ = {
    "a fence": body(f"```json\n{VERDICT}\n```"),
    "an unmarked fence": body(f"```\n{VERDICT}\n```\n"),
    "a fence in capitals": body(f"\n```JSON\n{VERDICT}\n```"),
    "a fence on one line": body(f"```json {VERDICT}```"),
    "a fence of another name": body(f"``` javascript\n{VERDICT}\n```"),
    "a fence whose end is a stop word": body(f"```json\n{VERDICT}\n"),
    "a fence in a frame behind a thought": body(
        f"<think>Hm.</think>\n<answer>\n```json\n{VERDICT}\n```\n</answer>"
    ),
    "a box of tokens": body(f"<|begin_of_box|>{VERDICT}<|end_of_box|><|user|>"),
    "another family's turn": body(f"<|START_RESPONSE|>{VERDICT}<|END_RESPONSE|><|END_OF_TURN_TOKEN|>"),
    "a fence of tildes": body(f"~~~json\n{VERDICT}\n~~~"),
    "a longer fence": body(f"````json5\n{VERDICT}\n````"),
    "a thought in other tags": body(f"<seed:think>Hm.</seed:think>{VERDICT}"),
    "a channel that says what it holds": body(
        f"<|channel|>final <|constrain|>json<|message|>{VERDICT}<|return|>"
    ),
    "the beginning of a turn before it": body(f"<|im_start|>assistant\n{VERDICT}"),
    "texts as parts": body([VERDICT]),
    "a thought before it": body(f"<think>\nIs {{it}} met?\n</think>\n\n{VERDICT}"),
    "a thought that the template began": body(f"Is it met? Yes.\n</think>\n{VERDICT}"),
    "another family's thought": body(f"[THINK]Is it?[/THINK]{VERDICT}"),
    "channels": body(f"<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>{VERDICT}<|return|>"),
    "a thought and a fence": body(f"<think>Hm.</think>\n```json\n{VERDICT}\n```"),
    "the end of a turn behind it": body(f"{VERDICT}<|im_end|>"),
    "a byte order mark": body(f"\ufeff{VERDICT}"),
    "parts": body([{"type": "text", "text": VERDICT[:9]}, {"type": "text", "text": VERDICT[9:]}]),
    "parts with a thought": body(
        [{"type": "thinking", "thinking": [{"text": "Hm."}]}, {"type": "text", "text": VERDICT}]
    ),
    "reasoning beside it": body(message={"reasoning_content": LONG}),
    "no finish reason": without("finish_reason"),
    "an empty finish reason": body(finish_reason=None),
    "another family's finish reason": body(finish_reason="end_turn"),
    "whole, with the limit right behind it": body(VERDICT + "\n" * 50, finish_reason="length"),
    "a usage below nothing": {**body(), "usage": {"prompt_tokens": -1, "completion_tokens": "many"}},
    "a usage that is none": {**body(), "usage": []},
    "no refusal": body(message={"refusal": None, "tool_calls": None}),
    "an empty error": {**body(), "error": None},
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_verdict_is_read_in_whatever_shape_it_comes_with_one_request(serve: Serve, name: str) -> None:
    with client(serve(saying(ok(json.dumps(READ[name]).encode()))).base_url) as chat:
        score, attempts = asked(chat)
    assert (score, outcomes(attempts)) == (0.5, ["ok"])


@pytest.mark.parametrize("kind", ["text/plain; charset=utf-8", "application/octet-stream", "text/json"])
def test_a_reply_that_says_only_that_it_is_some_text_is_read(serve: Serve, kind: str) -> None:
    with client(serve(saying(ok(kind=kind))).base_url) as chat:
        assert asked(chat)[0] == 0.5


# The reply, its outcome, how often it is asked for, and what the sentence says.
TOLD: dict[str, tuple[Any, str, int, tuple[str, ...]]] = {
    "reasoning alone": (
        body(None, message={"reasoning_content": VERDICT}), "reply_only_reasoning", 1,
        (f"wrote {len(VERDICT)} characters of reasoning only", "Switch thinking off", '{"explanation"'),
    ),
    "reasoning alone, as it is called elsewhere": (
        body("", message={"reasoning": LONG}), "reply_only_reasoning", 1, ("480 characters", "Let me see."),
    ),
    "reasoning in parts": (
        body(None, message={"reasoning_details": [{"type": "reasoning.text", "text": "Hm, hm."}]}),
        "reply_only_reasoning", 1, ("7 characters", "Hm, hm."),
    ),
    "a thought that never ends": (body(f"<think>{LONG}"), "reply_only_reasoning", 1, ("Let me see.",)),
    "the limit spent": (
        body("", message={"reasoning_content": LONG}, finish_reason="length"), "token_limit_spent", 1,
        ("used its whole token limit for thinking", "--max-output-tokens", "lower the reasoning effort"),
    ),
    "the limit spent out of sight": (
        {
            **body("", finish_reason="length"),
            "usage": {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 9}},
        },
        "token_limit_spent", 1, ("--max-output-tokens",),
    ),
    "cut off": (
        body(VERDICT[:30], finish_reason="max_tokens"), "reply_truncated", 2,
        ("is cut off", "--max-output-tokens"),
    ),
    "cut off, and nobody says so": (
        body(VERDICT[:30], finish_reason=None), "reply_truncated", 2,
        ("gives no finish_reason", '{"explanation"'),
    ),
    "an error in the choice": (
        body("", finish_reason="error", error={"message": "upstream overloaded", "code": 502}),
        "server_failed", 3, ("an error inside of its reply (502)", "upstream overloaded"),
    ),
    "an error in the choice, without a message": (
        {"choices": [{"error": {"message": "no capacity", "code": 429}, "finish_reason": "error"}]},
        "rate_limited", 3, ("no capacity",),
    ),
    "an error in the body": (
        {"error": {"message": "Provider returned error", "code": "429"}}, "rate_limited", 3,
        ("Provider returned error",),
    ),
    "an error in words": ({"error": "model is loading"}, "reply_malformed", 3, ("model is loading",)),
    "an error that calls itself so": (
        {"object": "error", "message": "no such model", "code": 404}, "access_denied", 1, ("no such model",),
    ),
    "an error in a list": ([{"error": {"code": 401, "message": "no key"}}], "access_denied", 1, ("no key",)),
    "an error by its type": (
        {"type": "error", "error": {"type": "authentication_error", "message": "no such key"}},
        "access_denied", 1, ("no such key",),
    ),
    "a wrong path with status 200": (
        {"error": "Unexpected endpoint or method. (POST /v1/v1/chat/completions)"}, "other_interface", 1,
        ("base URL", "Unexpected endpoint"),
    ),
    "a server that ran out of room": (
        body("", finish_reason="insufficient_system_resource"), "server_failed", 3, ("try again later",),
    ),
    "nothing at all": (body(""), "reply_empty", 3, ("is empty", "another model or server", "It said:")),
    "a function": (
        body(None, message={"function_call": {"name": "grade", "arguments": VERDICT}}), "reply_tool_call", 2,
        ("called the tool grade",),
    ),
    "TGI's own": ([{"generated_text": VERDICT}], "other_interface", 1, ("TGI's own interface",)),
    "another form": (
        body('{"score": "1"}'), "reply_off_schema", 2, ("keeps to the form", 'It said: {"score": "1"}'),
    ),
    "a question too long, in the body": (
        {"error": {"message": "This model's maximum context length is 4096 tokens.", "code": 400}},
        "prompt_too_long", 1, ("longer than the model takes", "longer context", "4096"),
    ),
    "a filter in the body": (
        {"error": {"message": "content management policy", "code": 400}}, "reply_refused", 1, ("filter",),
    ),
    "a tool": (
        body(None, message={"tool_calls": [{"function": {"name": "json_tool_call", "arguments": VERDICT}}]}),
        "reply_tool_call", 2, ("called the tool json_tool_call", "answers in text"),
    ),
    "a refusal": (body(None, message={"refusal": "I will not."}), "reply_refused", 1, ("I will not.",)),
    "a refusal in parts": (
        body([{"type": "refusal", "refusal": "Not this."}]), "reply_refused", 1, ("Not this.",),
    ),
    "another filter's end": (
        body("", finish_reason="guardrail_intervened"), "reply_refused", 1, ("declined",),
    ),
    "a context that ran out": (
        body(VERDICT[:30], finish_reason="model_context_window_exceeded"), "reply_truncated", 2,
        ("is cut off",),
    ),
    "a connection that broke behind the server": (
        body("", finish_reason="network_error"), "server_failed", 3, ("try again later",),
    ),
    "a frame with two verdicts": (
        body(f"<answer>{VERDICT}</answer> or <answer>{VERDICT}</answer>"), "reply_off_schema", 2, ("JSON",),
    ),
    "a filter's end": (body("", finish_reason="SAFETY"), "reply_refused", 1, ("declined",)),
    "no choice, by a filter": (
        {"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, "reply_refused", 1, ("filter",),
    ),
    "no choice": ({"choices": None, "usage": {}}, "reply_empty", 3, ("without a choice",)),
    "a stream": (
        {"object": "chat.completion.chunk", "choices": [{"delta": {"content": VERDICT}}]},
        "other_interface", 1, ("a stream", "base URL"),
    ),
    "text completions": (
        {"choices": [{"text": VERDICT, "finish_reason": "stop"}]}, "other_interface", 1, ("text completion",),
    ),
    "Anthropic's own": (
        {"type": "message", "content": [{"type": "text", "text": VERDICT}], "stop_reason": "end_turn"},
        "other_interface", 1, ("Anthropic's own interface", "/v1"),
    ),
    "Ollama's own": ({"message": {"content": VERDICT}, "done": True}, "other_interface", 1, ("Ollama's",)),
    "Gemini's own": ({"candidates": [{"content": {}}]}, "other_interface", 1, ("Gemini's own",)),
    "the Responses interface": ({"object": "response", "output": []}, "other_interface", 1, ("Responses",)),
    "content that is no text": (body(json.loads(VERDICT)), "other_interface", 1, ("is no text",)),
    "prose": (
        body(f"Here you are: {VERDICT}"), "reply_off_schema", 2,
        ("answers in JSON alone", "It said: Here you are:"),
    ),
    "a fence with prose around it": (
        body(f"Sure:\n```json\n{VERDICT}\n```"), "reply_off_schema", 2, ("It said: Sure: ```json",),
    ),
    "a thought that quotes a verdict and goes on": (
        body(f"It says </think>{VERDICT} but no.</think>{VERDICT}"), "reply_off_schema", 2,
        ("trailing characters",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_what_cannot_be_read_is_told_with_its_way_out_and_asked_no_more_often_than_can_help(
    serve: Serve, name: str
) -> None:
    reply, outcome, requests, said = TOLD[name]
    server = serve(saying(ok(json.dumps(reply).encode())))
    with client(server.base_url) as chat:
        error, _ = round_of(chat)
    sentence = str(error)
    assert isinstance(error, errors.LLMError)
    assert (error.reason, len(server.bodies)) == (outcome, requests)
    assert [words for words in said if words not in sentence] == []
    assert len(sentence) < 700


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "text/event-stream"])
def test_a_stream_is_known_by_its_beginning_too(serve: Serve, kind: str) -> None:
    stream = f"data: {json.dumps({'choices': [{'delta': {'content': 'x'}}]})}\n\ndata: [DONE]\n\n"
    with client(serve(saying(ok(stream.encode(), kind=kind))).base_url) as chat:
        error, attempts = asked(chat)
    assert (error, outcomes(attempts)) == (errors.OtherInterface, ["other_interface"])


def test_a_fence_is_read_at_once_and_shows_that_no_schema_holds(serve: Serve) -> None:
    server = serve(saying(ok(json.dumps(READ["a fence"]).encode())))
    with client(server.base_url) as chat:
        score, attempt = asked_once(chat)
    assert (score, attempt.schema_use) == (0.5, SchemaUse.UNHELD)


def test_prose_is_asked_about_in_words_which_shows_that_the_model_slipped(serve: Serve) -> None:
    prose = ok(json.dumps(body(f"Here: {VERDICT}")).encode())
    server = serve(saying(prose, ok(), ok()))
    with client(server.base_url) as chat:
        _, attempts = asked(chat)
        _, held = asked_once(chat)
    # Slip, mended, held.
    assert ["response_format" in one for one in server.bodies] == [True, False, True]
    assert "valid against this JSON schema" in server.bodies[1]["messages"][0]["content"]
    assert [attempt.schema_use for attempt in (*attempts, held)] == [
        SchemaUse.UNKNOWN, SchemaUse.SLIPPED, SchemaUse.HELD,
    ]  # fmt: skip


def test_a_page_of_a_proxy_is_told_with_its_beginning(serve: Serve) -> None:
    page = f"{PAGE}{KEY}".encode()
    server = serve(saying(ok(page, kind="text/html")))
    with client(server.base_url) as chat, pytest.raises(errors.ReplyWrongType) as caught:
        chat.complete(ASK, response_schema=RubricJudgment)
    assert "text/html instead of JSON" in str(caught.value)
    assert "Sign in to the network" in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("text", ["```{}" + " " * 40_000 + "x", "```json" + " " * 40_000])
def test_a_long_reply_that_is_no_fence_is_looked_through_once(text: str) -> None:
    began = time.process_time()
    assert unwrapped(text) == text.strip()
    assert time.process_time() - began < 1
