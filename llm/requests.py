"""A chat request as the exact bytes that are sent, and the hash that names them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, JsonValue

from llm.schema import response_format

OWN_FIELDS = frozenset({"model", "messages", "response_format", "stream", "n"})


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """The body of one request and its sha256 (hex). The address and the key are no part of it."""

    model: str
    body: bytes
    sha256: str


def chat_request(
    *,
    model: str,
    messages: Sequence[Message],
    response_schema: type[BaseModel] | None,
    parameters: Mapping[str, JsonValue],
) -> ChatRequest:
    """Build a request; equal arguments give equal bytes in every process."""
    fields: dict[str, object] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
    }
    if response_schema is not None:
        fields["response_format"] = response_format(response_schema)
    # Keys are not sorted: models fill in the fields of a schema in the order in which it names them.
    body = json.dumps({**fields, **dict(sorted(parameters.items()))}, allow_nan=False).encode("ascii")
    return ChatRequest(model=model, body=body, sha256=hashlib.sha256(body).hexdigest())
