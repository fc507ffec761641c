"""A chat request as it is meant: what is asked, of which model, and the hash that names it.

How it is written for one endpoint is a matter of `llm.encoding`, and no part of the hash: the same question
to the same model has the same hash whatever the endpoint's dialect, and in plain mode too.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

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
        messages_json = messages_text(messages)
        # The order of a schema's fields counts: models fill them in as they stand there.
        schema = "null" if response_schema is None else schema_text(response_schema)
        meant = f'{{"settings": {self._settings}, "messages": {messages_json}, "schema": {schema}}}'
        return ChatRequest(
            model=self.model,
            messages_json=messages_json,
            response_schema=response_schema,
            sha256=hashlib.sha256(meant.encode("ascii")).hexdigest(),
            prompt_tokens_estimate=tokens_estimate(
                *(message.content for message in messages), "" if response_schema is None else schema
            ),
        )


def messages_text(messages: Sequence[Message]) -> str:
    """Messages as JSON in ASCII; a message's content stands last, see `llm.encoding`."""
    return json.dumps([{"role": message.role, "content": message.content} for message in messages])


def tokens_estimate(*texts: str) -> int:
    """Tokens in `texts` together, by the rule of thumb of `ChatRequest`."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return -(-size // BYTES_PER_TOKEN)
