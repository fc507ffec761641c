"""What is known about each request to an endpoint once it is over."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from llm.requests import ChatRequest, Message, tokens_estimate

Parsed = TypeVar("Parsed")

OK = "ok"
SHOWN_CHARACTERS = 4000


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
        return Message("assistant", self.reply[:SHOWN_CHARACTERS]), Message("user", complaint)


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


@dataclass(frozen=True)
class Completion(Generic[Parsed]):
    """A complete reply. `parsed` is the validated JSON when a schema was asked for, else None."""

    text: str
    parsed: Parsed
    finish_reason: str
    attempt: Attempt
