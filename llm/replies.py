"""From the body of a reply to its text and the JSON that was asked for, or to the error that says why not.

The whole text is read, as one JSON value. Nothing around it is tolerated but what `llm.reply_shapes` takes
off its very ends, so that no verdict which the model only quotes can be picked up; nor is a key that is
given twice, of which a parser would silently keep one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from llm import errors
from llm.reply_shapes import (
    DECLINED,
    FAILED,
    FILTERED,
    MODEL_DOWN,
    NAMES_SCHEMA,
    NO_ACCESS,
    NO_CREDIT,
    NO_SUCH_PATH,
    STOPPED_SHORT,
    TOO_LONG,
    ChatReply,
    Choice,
    Usage,
    error_in,
    other_interface,
    spoken,
    unwrapped,
)
from llm.retry_after import retry_after

Schema = TypeVar("Schema", bound=BaseModel)

# The one compression that is read, by its two names.
GZIP = frozenset({"gzip", "x-gzip"})
# Some servers name no type of their own; a body that is no JSON is found out anyway.
UNNAMED = frozenset({"", "text/json", "text/plain", "application/octet-stream"})
SHOWN_CHARACTERS = 200
SEARCHED_CHARACTERS = 10_000
SHOWN_NAME = 100
# What follows is the endpoint's; it may quote the request.
SAID = " It said: "
_LATER = "it failed for now; try again later."
_BY_STATUS: Mapping[int, tuple[type[errors.ErrorStatus], str]] = {
    **dict.fromkeys(
        (401, 402, 403, 404),
        (errors.AccessDenied, "check the key, the account, the address and the model's name."),
    ),
    **dict.fromkeys(
        (301, 302, 303, 307, 308),
        (errors.RequestRejected, "it sends elsewhere, which is not followed; give the address it leads to."),
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


@dataclass(frozen=True)
class ReplyText:
    """The text of a reply, with what was received around it; `is_complete` where the endpoint says so."""

    text: str
    finish_reason: str
    is_complete: bool
    received: errors.Received


def error_status(
    received: errors.Received, headers: Mapping[str, str], *, endpoint: str, now: datetime, with_schema: bool
) -> errors.LLMError:
    """The error for a status other than 200; `with_schema` when the request asked for one."""
    asked = retry_after(headers, received.raw[:SEARCHED_CHARACTERS], now=now)
    said = f"{endpoint} answered with status {received.status}"
    return _error_of(
        received.status or 0, received.raw, received, said=said, asked=asked, with_schema=with_schema
    )


def _told_error(
    received: errors.Received, endpoint: str, said: Mapping[str, JsonValue] | None = None
) -> errors.LLMError | None:
    """The error that a reply with status 200 says it is, in `said` or in its body, by the code in it."""
    value: object = _value(received.raw) if said is None else said
    value = value[0] if isinstance(value, list) and value else value
    found = error_in(value) if isinstance(value, dict) else None
    if found is None:
        return None
    code, words = found
    if NO_SUCH_PATH.search(words):
        return _other_interface(received, endpoint, "an error about its address")
    sentence = f"{endpoint} answered with an error inside of its reply"
    if code is None and not (TOO_LONG.search(words) or FILTERED.search(words) or said):
        return errors.ReplyMalformed(f"{sentence}.{SAID}{_shown(words)}", received)
    asked = retry_after({}, words, now=datetime.now(UTC))
    code = code if code is not None and 400 <= code < 600 else 500
    return _error_of(code, words, received, said=f"{sentence} ({code})", asked=asked, with_schema=False)


def _error_of(
    status: int, words: str, received: errors.Received, *, said: str, asked: float | None, with_schema: bool
) -> errors.LLMError:
    """The error for a status, as far as an endpoint's words do not tell something else."""
    searched, told = words[:SEARCHED_CHARACTERS], f"{SAID}{_shown(words)}"
    if status in {400, 403, 422} and FILTERED.search(searched):
        return errors.ReplyRefused(f"{said}: the provider's filter declined the request.{told}", received)
    kind, advice = _kind_of(status, searched, with_schema=with_schema, is_passing=asked is not None)
    return kind(f"{said}: {advice}{told}", received, retry_after=asked)


def _kind_of(
    status: int, words: str, *, with_schema: bool, is_passing: bool
) -> tuple[type[errors.ErrorStatus], str]:
    if status in {400, 413, 422, 500} and TOO_LONG.search(words):
        return (
            errors.PromptTooLong,
            "the question and the answer are longer than the model takes; use a model or a server setting "
            "with a longer context.",
        )
    # Where a moment is named at which to come back, it is a limit for a time.
    if status in {400, 429} and NO_CREDIT.search(words) and not is_passing:
        return errors.AccessDenied, "check the account: its quota or credit is used up."
    if status == 400 and NO_ACCESS.search(words):
        return _BY_STATUS[404]
    if status >= 500 or (status in {400, 424} and MODEL_DOWN.search(words)):
        return errors.ServerFailed, _LATER
    if status in {400, 422} and with_schema and NAMES_SCHEMA.search(words):
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
        ReplyWrongType, OtherInterface
    """
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", *GZIP}:
        named = storable(encoding)[:SHOWN_NAME]
        raise errors.ReplyWrongType(
            f"{endpoint} sent a reply compressed as {named}, which nobody asked for.", received
        )
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in UNNAMED or kind == "application/json" or kind.endswith("+json"):
        return
    if kind in {"text/event-stream", "application/x-ndjson"} and (
        error := _other_interface(received, endpoint, "a stream")
    ):
        raise error
    problem = (
        f"{endpoint} answered with {storable(kind)[:SHOWN_NAME]} instead of JSON.{SAID}{_shown(received.raw)}"
    )
    raise errors.ReplyWrongType(problem, received)


def reply_text(received: errors.Received, *, endpoint: str) -> ReplyText:
    """The text of a reply with status 200, in any of the shapes of `llm.reply_shapes`.

    Raises:
        ErrorStatus: the reply is an error after all.
        UnusableReply: the body is no chat completion, was cut off, was declined or holds no text.
    """
    try:
        reply = ChatReply.model_validate_json(received.raw)
    except ValidationError:
        raise (
            _told_error(received, endpoint)
            or _other_interface(received, endpoint)
            or errors.ReplyMalformed(
                f"{endpoint} answered with something other than a chat completion."
                f"{SAID}{_shown(received.raw)}",
                received,
            )
        ) from None
    usage = reply.usage or Usage()
    received = replace(
        received,
        model=storable(reply.model)[:200] if reply.model else None,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )
    if not reply.choices:
        raise _told_error(received, endpoint) or _nothing_chosen(received, endpoint)
    choice = reply.choices[0]
    if choice.error or choice.ends in FAILED:
        said: dict[str, JsonValue] = {"error": choice.error or f"finish_reason {choice.finish_reason}"}
        if error := _told_error(received, endpoint, said):
            raise error
    if choice.message.declines or choice.ends in DECLINED:
        beginning = _shown(choice.message.declines or received.raw)
        raise errors.ReplyRefused(f"The model at {endpoint} declined to answer.{SAID}{beginning}", received)
    if not spoken(choice.message.text).strip():
        other = _other_interface(received, endpoint)
        raise other or _without_text(choice, usage, received, endpoint)
    return ReplyText(
        text=storable(choice.message.text),
        finish_reason=storable(choice.finish_reason or ""),
        is_complete=bool(choice.ends) and choice.ends not in STOPPED_SHORT,
        received=received,
    )


def _other_interface(
    received: errors.Received, endpoint: str, what: str = ""
) -> errors.OtherInterface | None:
    begins_as_stream = received.raw.lstrip().startswith(("data:", "event:", ": "))
    what = what or ("a stream" if begins_as_stream else other_interface(_value(received.raw)))
    if not what:
        return None
    return errors.OtherInterface(
        f"{endpoint} answered with {what} instead of a chat completion; give the base URL of its "
        f"OpenAI-compatible chat interface, often ending in /v1.{SAID}{_shown(received.raw)}",
        received,
    )


def _value(text: str) -> JsonValue:
    """The JSON that a text is, None where it is none."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _nothing_chosen(received: errors.Received, endpoint: str) -> errors.UnusableReply:
    if FILTERED.search(received.raw[:SEARCHED_CHARACTERS]):
        return errors.ReplyRefused(
            f"The provider's filter at {endpoint} declined the request.{SAID}{_shown(received.raw)}", received
        )
    return errors.ReplyEmpty(f"{endpoint} answered without a choice.{SAID}{_shown(received.raw)}", received)


def _without_text(
    choice: Choice, usage: Usage, received: errors.Received, endpoint: str
) -> errors.UnusableReply:
    """Why there is no text, with the way out."""
    message, thought = choice.message, choice.message.thought
    details = usage.completion_tokens_details or {}
    if choice.ends in STOPPED_SHORT:
        if thought or details.get("reasoning_tokens"):
            return errors.TokenLimitSpent(
                f"The model at {endpoint} used its whole token limit for thinking; raise the limit of a "
                f"reply (--max-output-tokens) or lower the reasoning effort.{SAID}{_shown(thought)}",
                received,
            )
        return errors.ReplyTruncated(
            f"The reply of {endpoint} is cut off before any text; raise the limit of a reply "
            f"(--max-output-tokens).{SAID}{_shown(received.raw)}",
            received,
        )
    if message.called:
        return errors.ReplyToolCall(
            f"The model at {endpoint} called the tool {_shown(message.called)} instead of answering; "
            f"none was offered. Use a server or a model that answers in text.{SAID}{_shown(received.raw)}",
            received,
        )
    if thought:
        return errors.ReplyOnlyReasoning(
            f"The reply of {endpoint} has no text; the model wrote {len(thought):,} characters of reasoning "
            "only. Switch thinking off (reasoning effort none) or use another version of the server."
            f"{SAID}{_shown(thought)}",
            received,
        )
    return errors.ReplyEmpty(
        f"The reply of {endpoint} is empty; try again later, or use another model or server."
        f"{SAID}{_shown(received.raw)}",
        received,
    )


def _shown(raw: str) -> str:
    """The beginning of a reply on one line, without what could act on a terminal or a page."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in raw[:10_000]).split())
    return (flat[:SHOWN_CHARACTERS] + " …" if len(flat) > SHOWN_CHARACTERS else flat) or "(nothing)"


def parse(reply: ReplyText, schema: type[Schema], *, endpoint: str, plain: bool = False) -> Schema:
    """Validate what is spoken, out of one fence around all of it, as JSON.

    Raises:
        ReplyTruncated: it is no JSON, and the reply does not say that it is complete.
        ReplyOffSchema, ReplyOutOfRange: naming the fields that are wrong.
    """
    text = unwrapped(reply.text)
    kind: type[errors.ReplyInvalid] = errors.ReplyOffSchema
    is_json = few = True
    try:
        parsed = schema.model_validate_json(text)
        problem = _given_twice(text)
        if not problem:
            return parsed
    except ValidationError as error:
        # Each problem takes about a kilobyte to list, and a hostile reply has as many as it has fields.
        few = error.error_count() <= MAX_PROBLEMS
        problems = error.errors(include_input=False, include_url=False) if few else []
        is_json = not any(one["type"] == "json_invalid" for one in problems)
        problem = (
            "; ".join(_in_words(one) for one in problems[:NAMED_PROBLEMS]) or "hardly any field is right"
        )
        if few and all(one["type"] in _OUT_OF_RANGE for one in problems):
            kind = errors.ReplyOutOfRange
    if not is_json and not reply.is_complete:
        way_out = (
            "; raise the limit of a reply (--max-output-tokens)"
            if reply.finish_reason
            else ": its endpoint gives no finish_reason, and the text is no whole JSON"
        )
        message = f"The reply of {endpoint} is cut off{way_out}.{SAID}{_shown(text)}"
        raise errors.ReplyTruncated(message, reply.received)
    is_prose = not is_json and not text.lstrip().startswith("{")
    problem = storable(problem)
    message = f"The reply of {endpoint} is not a {schema.__name__}: {problem}"
    if is_prose:
        held = "" if plain else "; the endpoint does not hold to the JSON schema"
        message += f"{held}. Use a model or a server that answers in JSON alone."
    elif few:
        message += ". Use a model or a server that keeps to the form."
    message += f"{SAID}{_shown(reply.text)}" if few else ""
    raise kind(message, reply.received, text=reply.text, problem=problem, is_prose=is_prose)


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
