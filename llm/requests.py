"""A chat request as it is meant: what is asked, of which model, and the hash that names it.

How it is written for one endpoint is a matter of `llm.encoding`, and no part of the hash: the same question
to the same model has the same hash whatever the endpoint's dialect, and in plain mode too.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import BaseModel, JsonValue

from llm.schema import schema_text

BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Marked:
    """What is new in each sending of one request: a mark, and the same messages without it, which name it."""

    mark: str
    without: Sequence[Message]


@dataclass(frozen=True)
class ChatRequest:
    """One request and its sha256 (hex). The address, the key and the endpoint's dialect are no part of it.

    Nor is `mark`, which tells sendings of one request apart; `messages_json` has it.

    `prompt_tokens_estimate` is a rule of thumb for limits and budgets: one token for every four bytes of
    UTF-8 of the messages and the schema, rounded up. English text has about that many; other scripts have
    more bytes per character and get more. What a call cost is in its reply.
    """

    model: str
    messages_json: str = field(repr=False)
    response_schema: type[BaseModel] | None
    sha256: str
    prompt_tokens_estimate: int
    mark: str = ""


@dataclass(frozen=True)
class RequestFrame:
    """Requests that differ by one text, each named at the cost of what differs; see `RequestMaker.frame`."""

    _parts: tuple[bytes, ...]
    _size: int

    @cached_property
    def _begun(self) -> "hashlib._Hash":
        return hashlib.sha256(self._parts[0])

    def named(self, text: "FramedText") -> tuple[bytes, int]:
        """The sha256 (its bytes) and the token estimate of the request with this text."""
        digest = self._begun.copy()
        for part in self._parts[1:]:
            digest.update(text.json + part)
        size = self._size + text.size * (len(self._parts) - 1)
        return digest.digest(), -(-size // BYTES_PER_TOKEN)


class FramedText(NamedTuple):
    """A text as it stands in a request, and its bytes of UTF-8."""

    json: bytes
    size: int

    @classmethod
    def of(cls, text: str) -> "FramedText":
        return cls(json.dumps(text)[1:-1].encode("ascii"), _size(text))


@dataclass(frozen=True)
class RequestMaker:
    """Makes the requests of one model with one set of settings. Equal arguments give equal hashes everywhere.

    Raises:
        ValueError: a parameter is no JSON, such as NaN.
    """

    model: str
    parameters: Mapping[str, JsonValue]
    reasoning_effort: str = ""
    max_output_tokens: int | None = None
    _settings: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        settings = {
            "model": self.model,
            "parameters": dict(self.parameters),
            "reasoning_effort": self.reasoning_effort,
            "max_output_tokens": self.max_output_tokens,
        }
        object.__setattr__(self, "_settings", json.dumps(settings, sort_keys=True, allow_nan=False))

    def request(
        self,
        messages: Sequence[Message],
        response_schema: type[BaseModel] | None = None,
        marked: Marked | None = None,
    ) -> ChatRequest:
        if marked:
            named = self.request(marked.without, response_schema)
            return replace(named, messages_json=messages_text(messages), mark=marked.mark)
        return ChatRequest(
            model=self.model,
            messages_json=messages_text(messages),
            response_schema=response_schema,
            sha256=hashlib.sha256(self._meant(messages, response_schema)).hexdigest(),
            prompt_tokens_estimate=tokens_estimate(*_contents(messages, response_schema)),
        )

    def frame(
        self, messages: Sequence[Message], response_schema: type[BaseModel] | None, gap: str
    ) -> RequestFrame:
        """The requests of which `messages` is one, with the text `gap`, of letters and digits, in the place
        of the texts that they differ by.
        """
        parts = tuple(self._meant(messages, response_schema).split(gap.encode("ascii")))
        size = sum(map(_size, _contents(messages, response_schema)))
        return RequestFrame(parts, size - len(gap) * (len(parts) - 1))

    def _meant(self, messages: Sequence[Message], response_schema: type[BaseModel] | None) -> bytes:
        """What is hashed."""
        # The order of a schema's fields counts: models fill them in as they stand there.
        schema = "null" if response_schema is None else schema_text(response_schema)
        asked = messages_text(messages)
        return f'{{"settings": {self._settings}, "messages": {asked}, "schema": {schema}}}'.encode("ascii")


def messages_text(messages: Sequence[Message]) -> str:
    """Messages as JSON in ASCII; a message's content stands last, see `llm.encoding`."""
    return json.dumps([{"role": message.role, "content": message.content} for message in messages])


def tokens_estimate(*texts: str) -> int:
    """Tokens in `texts` together, by the rule of thumb of `ChatRequest`."""
    return -(-sum(map(_size, texts)) // BYTES_PER_TOKEN)


def _contents(messages: Sequence[Message], response_schema: type[BaseModel] | None) -> list[str]:
    schema = [] if response_schema is None else [schema_text(response_schema)]
    return [message.content for message in messages] + schema


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
