"""From the body of a reply to its text, or to the error that says why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field, ValidationError

from llm.errors import (
    AccessDenied,
    ErrorStatus,
    RateLimited,
    Received,
    ReplyEmpty,
    ReplyMalformed,
    ReplyOffSchema,
    ReplyRefused,
    ReplyTruncated,
    RequestRejected,
    ServerFailed,
)
from llm.retrying import retry_after_seconds
from llm.texts import storable

Schema = TypeVar("Schema", bound=BaseModel)

SHOWN_CHARACTERS = 300
_PASSING = frozenset({408, 409, 425})
_DENIED = frozenset({401, 402, 403, 404})
_TokenCount = Annotated[int, Field(ge=0, lt=2**31)]


class _Usage(BaseModel):
    prompt_tokens: _TokenCount | None = None
    completion_tokens: _TokenCount | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    """The fields of a chat completion that are used; endpoints add others freely."""

    model: str | None = None
    choices: list[_Choice]
    usage: _Usage | None = None


@dataclass(frozen=True)
class ReplyText:
    """The text of a complete reply, with what was received around it."""

    text: str
    finish_reason: str
    received: Received


def error_status(
    received: Received, headers: Mapping[str, str], *, endpoint: str, now: datetime
) -> ErrorStatus:
    """The error for a status other than 200."""
    status = received.status or 0
    kind, advice = _kind_of(status)
    asked = retry_after_seconds(headers.get("retry-after"), date=headers.get("date"), now=now)
    message = f"{endpoint} answered with status {status}: {advice} It said: {_shown(received.raw)}"
    return kind(message, received, retry_after=asked)


def _kind_of(status: int) -> tuple[type[ErrorStatus], str]:
    if status == 429:
        return RateLimited, "too many requests; use fewer at a time or try again later."
    if status >= 500 or status in _PASSING:
        return ServerFailed, "it failed for now; try again later."
    if status in _DENIED:
        return AccessDenied, "check the key, the account, the address and the model's name."
    return RequestRejected, "it does not accept this request; check the model's name and the parameters."


def reply_text(received: Received, *, endpoint: str) -> ReplyText:
    """The text of a reply with status 200.

    Raises:
        UnusableReply: the body is no chat completion, was cut off, was declined or is empty.
    """
    try:
        reply = _Reply.model_validate_json(received.raw)
    except ValidationError:
        problem = f"{endpoint} answered with something other than a chat completion: {_shown(received.raw)}"
        raise ReplyMalformed(problem, received) from None
    received = _with_usage(received, reply)
    if not reply.choices:
        raise ReplyEmpty(f"{endpoint} answered without a choice.", received)
    choice = reply.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise ReplyRefused(f"The model at {endpoint} declined to answer.", received)
    if choice.finish_reason is None or choice.finish_reason == "length":
        raise ReplyTruncated(f"The reply of {endpoint} is cut off.", received)
    text = choice.message.content or ""
    if not text.strip():
        raise ReplyEmpty(f"The reply of {endpoint} is empty.", received)
    return ReplyText(text=storable(text), finish_reason=storable(choice.finish_reason), received=received)


def _with_usage(received: Received, reply: _Reply) -> Received:
    usage = reply.usage or _Usage()
    model = storable(reply.model)[:200] if reply.model else None
    return replace(
        received,
        model=model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )


def parse(reply: ReplyText, schema: type[Schema], *, endpoint: str) -> Schema:
    """Validate the whole text as JSON; nothing around it is tolerated, so no quoted verdict can be picked up.

    Raises:
        ReplyOffSchema: naming the fields that are wrong.
    """
    try:
        return schema.model_validate_json(reply.text)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'reply'}: {problem['msg']}"
            for problem in error.errors(include_input=False, include_url=False)[:5]
        )
        message = storable(f"The reply of {endpoint} is not a {schema.__name__}: {wrong}")
        raise ReplyOffSchema(message, reply.received) from None


def _shown(raw: str) -> str:
    flat = " ".join(raw.split())
    return (flat[:SHOWN_CHARACTERS] + " …" if len(flat) > SHOWN_CHARACTERS else flat) or "(nothing)"
