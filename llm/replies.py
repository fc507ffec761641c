"""From the body of a reply to its text and the JSON that was asked for, or to the error that says why not.

The whole text is read, as one JSON value. Nothing around it is tolerated, so that no verdict which the model
only quotes can be picked up; nor is a key that is given twice, of which a parser would silently keep one.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, TypeVar

from pydantic import BaseModel, FailFast, Field, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from llm import errors
from llm.retrying import retry_after_seconds

Schema = TypeVar("Schema", bound=BaseModel)

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
_BY_STATUS: Mapping[int, tuple[type[errors.ErrorStatus], str]] = {
    **dict.fromkeys(
        (401, 402, 403, 404),
        (errors.AccessDenied, "check the key, the account, the address and the model's name."),
    ),
    408: (errors.EndpointTimedOut, "it gave up waiting; try again later."),
    409: (errors.EndpointConflict, "it is busy with something else; try again later."),
    425: (errors.AskedTooEarly, "it is not ready yet; try again later."),
    429: (errors.RateLimited, "too many requests; use fewer at a time or try again later."),
}
NAMED_PROBLEMS = 5
MAX_PROBLEMS = 1000
_NAME_CHARACTERS = 60
_OUT_OF_RANGE = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})
# The fence many models put around JSON when no schema holds them. JSON has no line that starts with ```.
_FENCE = re.compile(r"\s*```json[ \t]*\r?\n(?P<inside>.*?)\r?\n[ \t]*```\s*", re.DOTALL)
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
    received: errors.Received


def error_status(
    received: errors.Received, headers: Mapping[str, str], *, endpoint: str, now: datetime, with_schema: bool
) -> errors.ErrorStatus:
    """The error for a status other than 200; `with_schema` when the request asked for one."""
    kind, advice = _kind_of(received, with_schema=with_schema)
    asked = retry_after_seconds(headers.get("retry-after"), date=headers.get("date"), now=now)
    message = f"{endpoint} answered with status {received.status}: {advice}{SAID}{_shown(received.raw)}"
    return kind(message, received, retry_after=asked)


def _kind_of(received: errors.Received, *, with_schema: bool) -> tuple[type[errors.ErrorStatus], str]:
    status = received.status or 0
    if status >= 500:
        return errors.ServerFailed, _LATER
    if status in {400, 422} and with_schema and _NAMES_SCHEMA.search(received.raw):
        return errors.SchemaRejected, "it does not accept the schema of the reply."
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return (
        errors.RequestRejected,
        "it does not accept this request; check the model's name and the parameters.",
    )


def require_json(received: errors.Received, headers: Mapping[str, str], *, endpoint: str) -> None:
    """A reply that names no type is given a try; one that names another is not, whatever its text looks like.

    Nor is one that is compressed in a way that was not undone.

    Raises:
        ReplyWrongType
    """
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", *GZIP}:
        named = storable(encoding)[:SHOWN_NAME]
        raise errors.ReplyWrongType(
            f"{endpoint} sent a reply compressed as {named}, which nobody asked for.", received
        )
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"", "application/json"} or kind.endswith("+json"):
        return
    problem = (
        f"{endpoint} answered with {storable(kind)[:SHOWN_NAME]} instead of JSON.{SAID}{_shown(received.raw)}"
    )
    raise errors.ReplyWrongType(problem, received)


def reply_text(received: errors.Received, *, endpoint: str) -> ReplyText:
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
        raise errors.ReplyMalformed(problem, received) from None
    usage = reply.usage or _Usage()
    received = replace(
        received,
        model=storable(reply.model)[:200] if reply.model else None,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )
    if not reply.choices:
        raise errors.ReplyEmpty(f"{endpoint} answered without a choice.", received)
    choice = reply.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise errors.ReplyRefused(f"The model at {endpoint} declined to answer.", received)
    if choice.finish_reason is None or choice.finish_reason == "length":
        raise errors.ReplyTruncated(f"The reply of {endpoint} is cut off.", received)
    text = choice.message.content or ""
    if not text.strip():
        raise errors.ReplyEmpty(f"The reply of {endpoint} is empty.", received)
    return ReplyText(text=storable(text), finish_reason=storable(choice.finish_reason), received=received)


def _shown(raw: str) -> str:
    """The beginning of a reply on one line, without what could act on a terminal or a page."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in raw[:10_000]).split())
    return (flat[:SHOWN_CHARACTERS] + " …" if len(flat) > SHOWN_CHARACTERS else flat) or "(nothing)"


def parse(reply: ReplyText, schema: type[Schema], *, endpoint: str, plain: bool = False) -> Schema:
    """Validate the whole text as JSON. In plain mode the whole text may stand in one fence marked as JSON.

    Raises:
        ReplyOffSchema, ReplyOutOfRange: naming the fields that are wrong.
    """
    text = _unfenced(reply.text) if plain else reply.text
    kind: type[errors.ReplyInvalid] = errors.ReplyOffSchema
    try:
        parsed = schema.model_validate_json(text)
        problem = _given_twice(text)
        if not problem:
            return parsed
    except ValidationError as error:
        # Each problem takes about a kilobyte to list, and a hostile reply has as many as it has fields.
        few = error.error_count() <= MAX_PROBLEMS
        problems = error.errors(include_input=False, include_url=False) if few else []
        problem = (
            "; ".join(_in_words(one) for one in problems[:NAMED_PROBLEMS]) or "hardly any field is right"
        )
        if few and all(one["type"] in _OUT_OF_RANGE for one in problems):
            kind = errors.ReplyOutOfRange
    problem = storable(problem)
    message = f"The reply of {endpoint} is not a {schema.__name__}: {problem}"
    raise kind(message, reply.received, text=reply.text, problem=problem)


def _unfenced(text: str) -> str:
    fenced = _FENCE.fullmatch(text)
    return fenced["inside"] if fenced else text


def _given_twice(text: str) -> str:
    """The problem with the keys of valid JSON, or ""."""
    twice: list[str] = []

    def note(pairs: list[tuple[str, JsonValue]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)

    json.loads(text, object_pairs_hook=note)
    return f"{twice[0][:_NAME_CHARACTERS]}: given twice" if twice else ""


def _in_words(problem: ErrorDetails) -> str:
    place = ".".join(str(part)[:_NAME_CHARACTERS] for part in problem["loc"][:NAMED_PROBLEMS])
    return f"{place or 'reply'}: {problem['msg']}"


def storable(text: str) -> str:
    """Replace what a database cannot hold: NUL characters and halves of surrogate pairs."""
    text = text.replace("\0", "\ufffd")
    # Halves of surrogate pairs are not ASCII, and nearly every reply is; asking costs nothing.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
