"""A chat request: what is asked, of which model, and the hash that names it; as it is sent; as it went.

How it is written for one endpoint is a matter of the `Encoder`, and no part of the hash: the same question to
the same model has the same hash whatever the endpoint's dialect, and in plain mode too.

Messages are sent as they are, with two exceptions that leave a request's hash alone. In plain mode, for an
endpoint that does not accept the schema, the last message ends with one more line that describes the reply.
It is no message of its own, because some chat templates take none of the role "system", or no two of "user"
in a row. And a re-ask adds the reply that could not be used, and what was wrong with it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from pydantic import BaseModel, JsonValue

from llm.providers import PROFILES, Provider, effort_fields, response_format, schema_in_words, schema_text

BYTES_PER_TOKEN = 4
OK = "ok"
REASK_CHARACTERS = 4000
ALWAYS_OURS = frozenset(
    {"model", "messages", "response_format", "stream", "n", "max_tokens", "max_completion_tokens"}
)


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
    """Messages as JSON in ASCII; a message's content stands last, see `Encoder.body`."""
    return json.dumps([{"role": message.role, "content": message.content} for message in messages])


def tokens_estimate(*texts: str) -> int:
    """Tokens in `texts` together, by the rule of thumb of `ChatRequest`."""
    return -(-sum(map(_size, texts)) // BYTES_PER_TOKEN)


def _contents(messages: Sequence[Message], response_schema: type[BaseModel] | None) -> list[str]:
    schema = [] if response_schema is None else [schema_text(response_schema)]
    return [message.content for message in messages] + schema


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Reask:
    """A reply that could not be used, shown to the model with what is wrong with it, one time.

    `is_prose`: it does not even begin as JSON does, so no schema held the model to it; the form is described
    in words then, perhaps for the first time.
    """

    reply: str
    problem: str
    is_prose: bool = False

    @property
    def messages(self) -> tuple[Message, ...]:
        complaint = (
            f"This reply cannot be used: {self.problem}. "
            "Reply again with only the JSON object that was asked for, and nothing before or after it."
        )
        return Message("assistant", self.reply[:REASK_CHARACTERS]), Message("user", complaint)


@dataclass(frozen=True)
class Sending:
    """One way of sending a request: `plain` leaves the schema out and describes it in words."""

    plain: bool = False
    reask: Reask | None = None

    @property
    def in_words(self) -> bool:
        return self.plain or self.on_trial

    @property
    def on_trial(self) -> bool:
        """The schema is left out because the model did not hold to it, not the endpoint."""
        return self.reask is not None and self.reask.is_prose and not self.plain

    @property
    def added(self) -> tuple[Message, ...]:
        """What is said after the request's own messages."""
        return self.reask.messages if self.reask else ()

    def prompt_tokens(self, request: ChatRequest) -> int:
        """The estimate for the prompt: the request's messages, and what a re-ask adds."""
        added = tokens_estimate(*(message.content for message in self.added)) if self.reask else 0
        return request.prompt_tokens_estimate + added


FIRST = Sending()


class Encoder:
    """Writes the requests of `maker` for one kind of endpoint.

    Raises:
        EffortUnsupported: the endpoint cannot be told this reasoning effort.
        ValueError: `parameters` names a field that is set otherwise.
    """

    def __init__(self, provider: Provider, maker: RequestMaker) -> None:
        self._provider = provider
        self._profile = PROFILES[provider]
        effort = effort_fields(provider, maker.reasoning_effort)
        if taken := (ALWAYS_OURS | effort.keys()) & maker.parameters.keys():
            raise ValueError(f"Leave {', '.join(sorted(taken))} out of the parameters; the client sets them.")
        most = maker.max_output_tokens
        limit = {} if most is None else {self._profile.limit_field: most}
        self._head = f'{{"model": {json.dumps(maker.model)}, "messages": '
        self._settings = {**limit, **effort, **dict(sorted(maker.parameters.items()))}
        self._tail = lru_cache(64)(self._tail_of)

    def body(self, request: ChatRequest, *, plain: bool, added: tuple[Message, ...] = ()) -> bytes:
        """The bytes of `request`; `added` is what is said after it."""
        messages = request.messages_json
        if plain and request.response_schema is not None:
            # One more line at the end of the last message, whose content ends the text.
            if not messages.endswith('"}]'):
                raise ValueError("There is no message to add a line to.")
            line = json.dumps(f"\n\n{schema_in_words(request.response_schema)}")[1:-1]
            messages = f'{messages[:-3]}{line}"}}]'
        if added:
            messages = f"{messages[:-1]}, {messages_text(added)[1:]}"
        return (self._head + messages + self._tail(request.response_schema, plain)).encode("ascii")

    def _tail_of(self, schema: type[BaseModel] | None, plain: bool) -> str:
        asked: JsonValue = None
        if schema is not None:
            asked = self._profile.plain_format if plain else response_format(schema, self._provider)
        fields = {} if asked is None else {"response_format": asked}
        # Not sorted: models fill in the fields of a schema in the order in which it names them.
        rest = json.dumps({**fields, **self._settings}, allow_nan=False)
        return "}" if rest == "{}" else f", {rest[1:]}"


class SchemaUse(StrEnum):
    """What a reply shows of the endpoint's way with JSON schemas."""

    UNKNOWN = ""
    HELD = "held"
    """The schema was sent, and the reply keeps to it."""
    UNHELD = "unheld"
    """The schema was sent, and the reply stands in a fence: nothing held the model to it."""
    SLIPPED = "slipped"
    """The reply to the schema was prose; asked again in words, the model kept to the form."""
    IN_WORDS = "in_words"
    """Without the schema, described in words, a reply came back."""


@dataclass(frozen=True)
class Attempt:
    """One request as it happened; `outcome` is "ok" or the error's reason code. The key is nowhere in it.

    `request_sha256` names the request that was meant, also where it was written otherwise: without the schema
    (`plain_json`), or once more with a reply that could not be used (`asked_again`). `prompt_estimate` is the
    size that was expected of it, in tokens, for where the endpoint does not tell. `mark` is what was new in
    this sending of the request.
    """

    request_sha256: str
    model: str
    outcome: str
    raw_reply: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: float
    plain_json: bool = False
    asked_again: bool = False
    prompt_estimate: int = 0
    mark: str = ""
    schema_use: SchemaUse = SchemaUse.UNKNOWN

    @property
    def tokens(self) -> int | None:
        """Of the prompt and the reply together; None where the endpoint does not say."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens
