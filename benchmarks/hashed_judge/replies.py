"""Chat completions and errors, in the words of a provider."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any

from benchmarks.hashed_judge.asks import Ask, fields_in_words
from benchmarks.hashed_judge.http import reply
from benchmarks.hashed_judge.verdicts import Opinion, Schema, verdict

HUGE_BYTES = 10 * 1024 * 1024
_text = json.JSONEncoder().encode

_OUT_OF_RANGE = {"score": 1.7, "confidence": -0.4, "grade": "PERHAPS"}


@dataclass(slots=True)
class Reply:
    """The bytes of a reply and what the log says about it."""

    status: int
    raw: bytes
    completion_tokens: int = 0


def completion(ask: Ask, content: str, *, number: int, finish: str = "stop", refusal: str = "") -> Reply:
    """A chat completion that says `content`."""
    tokens = len(content) // 4
    body = (
        f'{{"id": "chatcmpl-{number}", "object": "chat.completion", "created": 0, '
        f'"model": {_text(ask.model)}, "choices": [{{"index": 0, '
        f'"message": {{"role": "assistant", "content": {_text(content)}, '
        f'"refusal": {_text(refusal) if refusal else "null"}}}, "finish_reason": "{finish}"}}], '
        f'"usage": {{"prompt_tokens": {ask.prompt_tokens}, "completion_tokens": {tokens}, '
        f'"total_tokens": {ask.prompt_tokens + tokens}}}}}'
    )
    return Reply(200, reply(200, body.encode()), tokens)


def content_for(ask: Ask, opinion: Opinion) -> str:
    """The judgment in the form that was asked for."""
    return _text(verdict(ask.digest, fields_of(ask), opinion))


def fields_of(ask: Ask) -> dict[str, Schema]:
    """The fields of the judgment: the schema's, or those that the messages name."""
    return dict(fields_in_words(ask.messages) if ask.fields is None else ask.fields)


def off_schema(content: str) -> str:
    """The judgment with its last field under another name."""
    *kept, (last, value) = (json.loads(content) or {"score": 1.0}).items()
    return _text({**dict(kept), f"{last}_in_words": str(value)})


def out_of_range(content: str) -> str:
    """The judgment with values that no scale has."""
    return _text({name: _beyond(name, value) for name, value in json.loads(content).items()})


def _beyond(name: str, value: Any) -> Any:
    return next((wrong for stem, wrong in _OUT_OF_RANGE.items() if name.startswith(stem)), value)


def error(status: int, sentence: str, *, kind: str = "server_error", headers: str = "") -> Reply:
    """An error with a provider's body."""
    said = {"error": {"message": sentence, "type": kind, "param": None, "code": None}}
    return Reply(status, reply(status, _text(said).encode(), headers=headers))


def rate_limited(wait: str) -> Reply:
    """429; `wait` is the value of Retry-After."""
    return error(429, "Too many requests.", kind="rate_limit_exceeded", headers=f"Retry-After: {wait}\r\n")


def retry_date(now: float, wait_seconds: float) -> str:
    """The first whole second at which the wait is over, as a date."""
    return formatdate(-int(-(now + wait_seconds) // 1), usegmt=True)


def rejected_keyword(keyword: str) -> Reply:
    """400 as providers give it that know only part of JSON Schema."""
    return error(
        400,
        f"Invalid schema for response_format: unknown keyword '{keyword}' is not supported.",
        kind="invalid_request_error",
    )


def rejected_parameter(name: str) -> Reply:
    """400 for a field of the request that this model does not take."""
    return error(
        400,
        f"Unsupported parameter: '{name}' is not supported with this model.",
        kind="invalid_request_error",
    )


def faulty(ask: Ask, fault: str, content: str, *, number: int) -> Reply:
    """A reply with status 200 that cannot be used, and the whole one for every other name."""
    if fault == "content_type":
        return Reply(200, reply(200, b"<html><h1>Back soon</h1></html>", kind="text/html"))
    if fault in _ENDS:
        finish, refusal = _ENDS[fault]
        said = content[: len(content) // 2] if finish == "length" else ""
        return completion(ask, said, number=number, finish=finish, refusal=refusal)
    return completion(ask, _SPOILT.get(fault, str)(content), number=number)


_ENDS = {
    "truncated": ("length", ""),
    "refused": ("stop", "I cannot help with this request."),
    "permanent_refused": ("stop", "I cannot help with this request."),
}
_SPOILT: dict[str, Callable[[str], str]] = {
    "empty": lambda content: "",
    "not_json": lambda content: "The response seems to meet it, I would say.",
    "off_schema": off_schema,
    "permanent_off_schema": off_schema,
    "out_of_range": out_of_range,
    "huge": lambda content: content + " " * HUGE_BYTES,
}
