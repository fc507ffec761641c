"""A chat request, read from its body."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.hashed_judge.verdicts import STEMS, Schema

# The fence around an answer has another mark in every call; the verdict is on what it holds.
_FENCE_MARK = re.compile(r"(?<=response_under_test_)[0-9a-f]{16}")
_sorted_json = json.JSONEncoder(sort_keys=True).encode
_NAMED = re.compile(rf"[\"'`]((?:{'|'.join(STEMS)})(?:_\w+)?)[\"'`]")
FIRST_FIELDS = ("explanation", "explanation_0", "explanation_1")
RUBRIC_FIELDS: dict[str, Schema] = {"explanation": {}, "score": {}, "confidence": {}}


class AskInvalid(Exception):
    """The body is no chat request; the message says why."""


@dataclass(slots=True)
class Ask:
    """One request. `fields` are those its schema asks for, `None` where it leaves the form to the judge."""

    model: str
    messages: Sequence[Mapping[str, Any]]
    digest: bytes
    fields: Mapping[str, Schema] | None
    response_format: Mapping[str, Any]
    parameters: frozenset[str]
    prompt_tokens: int


def messages_digest(messages: Sequence[Mapping[str, Any]]) -> bytes:
    """The sha256 that names messages in the log and decides the verdict, whatever the mark of a fence."""
    return hashlib.sha256(_FENCE_MARK.sub("", _sorted_json(messages)).encode()).digest()


def read_ask(body: bytes) -> Ask:
    """The request in `body`.

    Raises:
        AskInvalid: it cannot be answered.
    """
    try:
        request = json.loads(body)
        model, messages = request["model"], request["messages"]
        characters = sum(map(_characters, messages))
        form = request.get("response_format") or {}
        fields = form["json_schema"]["schema"]["properties"] if form.get("type") == "json_schema" else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AskInvalid(f"This is no chat request: {type(error).__name__} {error}.") from None
    if not isinstance(model, str) or not messages:
        raise AskInvalid("A chat request needs a model's name and at least one message.")
    if request.get("stream"):
        raise AskInvalid("This server does not stream.")
    digest = messages_digest(messages)
    return Ask(model, messages, digest, fields, form, frozenset(request), max(1, characters // 4))


def _characters(message: Mapping[str, Any]) -> int:
    content = message.get("content") or ""
    if isinstance(content, str):
        return len(content)
    return sum(len(part.get("text", "")) for part in content)


def fields_in_words(messages: Sequence[Mapping[str, Any]]) -> Mapping[str, Schema]:
    """The fields that a request without a schema asks for in its messages.

    A schema written out in them counts, the last one first; then the field names in quotes, from the last
    explanation on, since an answer quoted before may name fields too; else those of a criterion.
    """
    text = "\n".join(str(message.get("content")) for message in messages)
    for start in reversed([found.start() for found in re.finditer(r"\{", text)]):
        if isinstance(fields := _properties(text, start), dict) and fields:
            return fields
    names = _NAMED.findall(text)
    firsts = [place for place, name in enumerate(names) if name in FIRST_FIELDS]
    return {name: {} for name in names[firsts[-1] if firsts else 0 :]} or RUBRIC_FIELDS


def _properties(text: str, start: int) -> object:
    try:
        written, _ = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None
    return written.get("properties") if isinstance(written, dict) else None


def names_keyword(form: object, keyword: str) -> bool:
    """Whether a response format uses `keyword`, as a key at any depth or as its type."""
    if isinstance(form, Mapping):
        return (
            keyword in form
            or form.get("type") == keyword
            or any(names_keyword(inner, keyword) for inner in form.values())
        )
    return isinstance(form, list) and any(names_keyword(inner, keyword) for inner in form)
