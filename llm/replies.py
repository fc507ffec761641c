"""From the body of a reply to its text, or to the error that says why there is none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, FailFast, Field, ValidationError

from llm.errors import (
    AccessDenied,
    AskedTooEarly,
    EndpointConflict,
    EndpointTimedOut,
    ErrorStatus,
    RateLimited,
    Received,
    ReplyEmpty,
    ReplyMalformed,
    ReplyRefused,
    ReplyTruncated,
    ReplyWrongType,
    RequestRejected,
    SchemaRejected,
    ServerFailed,
)
from llm.retrying import retry_after_seconds
from llm.texts import storable

# The one compression that is read, by its two names.
GZIP = frozenset({"gzip", "x-gzip"})
SHOWN_CHARACTERS = 200
SHOWN_NAME = 100
# What follows is the endpoint's; it may quote the request.
SAID = " It said: "
# How endpoints name what they do not accept in a schema, or that they take none at all.
_NAMES_SCHEMA = re.compile(
    r"schema|response[_ ]?format|additionalproperties|structured|guided|grammar", re.IGNORECASE
)
_LATER = "it failed for now; try again later."
_BY_STATUS: Mapping[int, tuple[type[ErrorStatus], str]] = {
    **dict.fromkeys(
        (401, 402, 403, 404),
        (AccessDenied, "check the key, the account, the address and the model's name."),
    ),
    408: (EndpointTimedOut, "it gave up waiting; try again later."),
    409: (EndpointConflict, "it is busy with something else; try again later."),
    425: (AskedTooEarly, "it is not ready yet; try again later."),
    429: (RateLimited, "too many requests; use fewer at a time or try again later."),
}
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
    # A list of a million things that are no choice is one mistake, not a million.
    choices: Annotated[list[_Choice], FailFast()]
    usage: _Usage | None = None


@dataclass(frozen=True)
class ReplyText:
    """The text of a complete reply, with what was received around it."""

    text: str
    finish_reason: str
    received: Received


def error_status(
    received: Received, headers: Mapping[str, str], *, endpoint: str, now: datetime, with_schema: bool
) -> ErrorStatus:
    """The error for a status other than 200; `with_schema` when the request asked for one."""
    kind, advice = _kind_of(received, with_schema=with_schema)
    asked = retry_after_seconds(headers.get("retry-after"), date=headers.get("date"), now=now)
    message = f"{endpoint} answered with status {received.status}: {advice}{SAID}{_shown(received.raw)}"
    return kind(message, received, retry_after=asked)


def _kind_of(received: Received, *, with_schema: bool) -> tuple[type[ErrorStatus], str]:
    status = received.status or 0
    if status >= 500:
        return ServerFailed, _LATER
    if status in {400, 422} and with_schema and _NAMES_SCHEMA.search(received.raw):
        return SchemaRejected, "it does not accept the schema of the reply."
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return RequestRejected, "it does not accept this request; check the model's name and the parameters."


def require_json(received: Received, headers: Mapping[str, str], *, endpoint: str) -> None:
    """A reply that names no type is given a try; one that names another is not, whatever its text looks like.

    Nor is one that is compressed in a way that was not undone.

    Raises:
        ReplyWrongType
    """
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", *GZIP}:
        named = storable(encoding)[:SHOWN_NAME]
        raise ReplyWrongType(
            f"{endpoint} sent a reply compressed as {named}, which nobody asked for.", received
        )
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"", "application/json"} or kind.endswith("+json"):
        return
    problem = (
        f"{endpoint} answered with {storable(kind)[:SHOWN_NAME]} instead of JSON.{SAID}{_shown(received.raw)}"
    )
    raise ReplyWrongType(problem, received)


def reply_text(received: Received, *, endpoint: str) -> ReplyText:
    """The text of a reply with status 200.

    Raises:
        UnusableReply: the body is no chat completion, was cut off, was declined or is empty.
    """
    try:
        reply = _Reply.model_validate_json(received.raw)
    except ValidationError:
        problem = (
            f"{endpoint} answered with something other than a chat completion.{SAID}{_shown(received.raw)}"
        )
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


def _shown(raw: str) -> str:
    """The beginning of a reply on one line, without what could act on a terminal or a page."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in raw[:10_000]).split())
    return (flat[:SHOWN_CHARACTERS] + " …" if len(flat) > SHOWN_CHARACTERS else flat) or "(nothing)"
