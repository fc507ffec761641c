"""Which error it is that an endpoint tells: by its status, by the words of its reply, by its interface."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pydantic import JsonValue

from llm import errors

SHOWN_CHARACTERS = 200
SEARCHED_CHARACTERS = 10_000
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

# How Anthropic-compatible servers name their errors.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}

# What servers say where a request is longer than the model's context.
TOO_LONG = re.compile(
    r"context[_ ]?(?:length|window|size|limit)|context shift is disabled|must have less than \d+ tokens"
    r"|maximum context|exceeds? the (?:available|model'?s?) context"
    r"|(?:input|prompt|request|message)s? (?:(?:is|are) )?too (?:long|large)|(?:entity|payload) too large"
    r"|too many (?:input )?tokens|input token count|exceed_context_size|reduce the length"
    r"|too large for (?:the )?model|max_new_tokens. must be|tokens to keep from the initial prompt"
    r"|maximum (?:prompt|sequence|input) length|longer than the (?:model|maximum)"
    r"|exceeds? max(?:imum)? length|exceeded model token limit|range of input length|input tokens exceed",
    re.IGNORECASE,
)
# Where a provider's filter stopped the request before the model saw it.
FILTERED = re.compile(
    r"content[_ ]filter|content management policy|responsibleaipolicy|data_inspection_failed|moderation"
    r"|was flagged|content_?policy_?violation|usage polic|block_?reason|prohibited_content",
    re.IGNORECASE,
)
# What no waiting mends, though the status is that of a limit or of a request.
NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|budget_exceeded|budget has been exceeded"
    r"|credit balance is too low",
    re.IGNORECASE,
)
NO_ACCESS = re.compile(
    r"api key not valid|(?:invalid|incorrect) api key|model_not_found|invalid model name"
    r"|model \S+ (?:was )?not found|model \S+ does not exist",
    re.IGNORECASE,
)
# The model is gone for now, whatever the status.
MODEL_DOWN = re.compile(
    r"model (?:has )?(?:been )?(?:crashed|unloaded)|failed during generation", re.IGNORECASE
)
NO_SUCH_PATH = re.compile(r"unexpected endpoint", re.IGNORECASE)
# How endpoints name what they do not accept in a schema, or that they take none at all.
NAMES_SCHEMA = re.compile(
    r"schema|response[_ ]?format|json_validate_failed|additionalproperties|structured|guided|grammar",
    re.IGNORECASE,
)

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_PART = rf"{_NUMBER}\s?(?:(?:hours?|minutes?|seconds?|ms|h|m|s)\b|[hm](?=[0-9]))"
_WAIT = rf"(?:(?:{_PART})\s?){{1,3}}|{_NUMBER}"
_PARTS_OF_WAIT = re.compile(rf"({_NUMBER})\s?([a-z]+)")
_SAID_WAIT = re.compile(
    rf"(?:try again in|retry (?:after|in)|retry_?delay\W{{1,5}}|retry_after\W{{1,5}})\s*(?P<wait>{_WAIT})",
    re.IGNORECASE,
)


def error_status(
    received: errors.Received, headers: Mapping[str, str], *, endpoint: str, now: datetime, with_schema: bool
) -> errors.LLMError:
    """The error for a status other than 200; `with_schema` when the request asked for one."""
    asked = retry_after(headers, received.raw[:SEARCHED_CHARACTERS], now=now)
    said = f"{endpoint} answered with status {received.status}"
    return _error_of(
        received.status or 0, received.raw, received, said=said, asked=asked, with_schema=with_schema
    )


def told_error(
    received: errors.Received, endpoint: str, said: Mapping[str, JsonValue] | None = None
) -> errors.LLMError | None:
    """The error that a reply with status 200 says it is, in `said` or in its body, by the code in it."""
    value = _object(received.raw) if said is None else said
    error = value.get("error")
    if not error and value.get("object") == "error":
        error = {name: value.get(name) for name in ("code", "message", "type")}
    if not error:
        return None
    code, words = None, str(error)
    if isinstance(error, dict):
        named = error.get("code") or error.get("status") or _STATUS_OF_TYPE.get(str(error.get("type")))
        if isinstance(named, int) or (isinstance(named, str) and named.isdecimal()):
            code = int(named)
        words = str(error.get("message") or json.dumps(error))
    if NO_SUCH_PATH.search(words):
        return other_interface(received, endpoint, "an error about its address")
    sentence = f"{endpoint} answered with an error inside of its reply"
    if code is None and not (TOO_LONG.search(words) or FILTERED.search(words) or said):
        return errors.ReplyMalformed(f"{sentence}.{SAID}{shown(words)}", received)
    asked = retry_after({}, words, now=datetime.now(UTC))
    code = code if code is not None and 400 <= code < 600 else 500
    return _error_of(code, words, received, said=f"{sentence} ({code})", asked=asked, with_schema=False)


def _error_of(
    status: int, words: str, received: errors.Received, *, said: str, asked: float | None, with_schema: bool
) -> errors.LLMError:
    """The error for a status, as far as an endpoint's words do not tell something else."""
    searched, told = words[:SEARCHED_CHARACTERS], f"{SAID}{shown(words)}"
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


def nothing_chosen(received: errors.Received, endpoint: str) -> errors.UnusableReply:
    """The error of a reply without a choice."""
    if FILTERED.search(received.raw[:SEARCHED_CHARACTERS]):
        return errors.ReplyRefused(
            f"The provider's filter at {endpoint} declined the request.{SAID}{shown(received.raw)}", received
        )
    return errors.ReplyEmpty(f"{endpoint} answered without a choice.{SAID}{shown(received.raw)}", received)


def other_interface(received: errors.Received, endpoint: str, what: str = "") -> errors.OtherInterface | None:
    """The error of a reply that is `what`, or what it shows itself to be; None where neither is known."""
    if not what and received.raw.lstrip().startswith(("data:", "event:", ": ")):
        what = "a stream"
    if not what:
        value = _object(received.raw)
        choices = value.get("choices")
        objects = [part for part in choices if isinstance(part, dict)] if isinstance(choices, list) else []
        first = objects[0] if objects else {}
        message = first.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        known = {
            "a message whose content is no text": isinstance(content, dict),
            "a stream": "delta" in first,
            "a text completion": "text" in first,
            "a reply of Gemini's own interface": "candidates" in value,
            "a reply of Anthropic's own interface": value.get("type") == "message" and "content" in value,
            "a reply of the Responses interface": value.get("object") == "response" or "output" in value,
            "a reply of TGI's own interface": "generated_text" in value,
            "a reply of Ollama's own interface": "done" in value,
        }
        what = next((name for name, is_it in known.items() if is_it), "")
    if not what:
        return None
    return errors.OtherInterface(
        f"{endpoint} answered with {what} instead of a chat completion; give the base URL of its "
        f"OpenAI-compatible chat interface, often ending in /v1.{SAID}{shown(received.raw)}",
        received,
    )


def _object(text: str) -> Mapping[str, JsonValue]:
    """The JSON object that a text is, or the first of a list of them; empty where it is none."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else {}


def shown(raw: str) -> str:
    """The beginning of a reply on one line, without what could act on a terminal or a page."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in raw[:10_000]).split())
    return (flat[:SHOWN_CHARACTERS] + " …" if len(flat) > SHOWN_CHARACTERS else flat) or "(nothing)"


def retry_after(headers: Mapping[str, str], words: str, *, now: datetime) -> float | None:
    """Seconds that an endpoint asks to wait: in a header, else in words such as "try again in 1m2.5s"."""
    ms = headers.get("retry-after-ms", "")
    if re.fullmatch(rf"\s*{_NUMBER}\s*", ms):
        return float(ms) / 1000
    asked = retry_after_seconds(headers.get("retry-after"), date=headers.get("date"), now=now)
    if asked is None and (said := _SAID_WAIT.search(words)):
        asked = _duration(said["wait"])
    return asked


def _duration(text: str) -> float | None:
    """`17`, `17s`, `1m2.5s`, `250ms` in seconds."""
    if re.fullmatch(_NUMBER, text):
        return float(text)
    found = _PARTS_OF_WAIT.findall(text)
    return sum(
        float(number) * _SECONDS[unit[:2] if unit.startswith("ms") else unit[:1]] for number, unit in found
    )


def retry_after_seconds(value: str | None, *, date: str | None, now: datetime) -> float | None:
    """Seconds asked for by a Retry-After header: a number, a duration or an HTTP date (RFC 9110, 10.2.3).

    A date is measured against the reply's own Date header where there is one, so that a clock that differs
    from the endpoint's does no harm, else against `now` (aware UTC). None when absent or unreadable.
    """
    if value is None:
        return None
    if re.fullmatch(_WAIT, value.strip()):
        return _duration(value.strip())
    when = _http_date(value)
    if when is None:
        return None
    return max(0.0, (when - (_http_date(date) or now)).total_seconds())


def _http_date(value: str | None) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(value or "")
    except (ValueError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
