"""A call while it is made, what it sends next included, and what is known about each request after it."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID, uuid4

from llm.errors import LLMError, Received, ReplyInvalid
from llm.fault_rules import FAULT_RULES, RetryAction
from llm.requests import ChatRequest, Message, tokens_estimate

Parsed = TypeVar("Parsed")

OK = "ok"
SHOWN_CHARACTERS = 4000


@dataclass
class RequestState:
    """The state of one call; it belongs to one thread.

    `on_trial`: the schema is left out in this call because the model did not hold to it, not the endpoint.
    """

    request: ChatRequest
    plain: bool
    reask: tuple[Message, ...] = ()
    on_trial: bool = False

    def adapt(self, error: LLMError) -> bool:
        """Change what is sent as the fault's rule says, at most once each way; False when nothing changed."""
        again = FAULT_RULES[error.reason].again
        if again is RetryAction.PLAIN and not self.plain:
            self.plain = True
        elif again is RetryAction.REASK and isinstance(error, ReplyInvalid) and not self.reask:
            complaint = (
                f"This reply cannot be used: {error.problem}. "
                "Reply again with only the JSON object that was asked for, and nothing before or after it."
            )
            reply = Message("assistant", error.text[:SHOWN_CHARACTERS])
            self.reask = (reply, Message("user", complaint))
            # No schema held the model to JSON. The form is described in words, perhaps for the first time.
            self.on_trial = error.is_prose and not self.plain
            self.plain = self.plain or error.is_prose
        else:
            return False
        return True

    def tokens(self, reply_tokens: int) -> int:
        """The estimate for everything of one request: the messages, what a re-ask adds, and the reply."""
        added = tokens_estimate(*(message.content for message in self.reask)) if self.reask else 0
        return self.request.prompt_tokens_estimate + added + reply_tokens


@dataclass(frozen=True)
class Attempt:
    """One request as it happened; `outcome` is "ok" or the error's reason code. The key is nowhere in it.

    `request_sha256` names the request that was meant, also where it was written otherwise: without the schema
    (`plain_json`), or once more with a reply that could not be used (`asked_again`). `prompt_estimate` is the
    size that was expected of it, in tokens, for where the endpoint does not tell. `mark` is what was new in
    this sending of the request. `uid` lets it be put on record once, however often that is tried.
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
    uid: UUID = field(default_factory=uuid4, compare=False)


@dataclass(frozen=True)
class Completion(Generic[Parsed]):
    """A complete reply. `parsed` is the validated JSON when a schema was asked for, else None."""

    text: str
    parsed: Parsed
    finish_reason: str
    attempt: Attempt


def attempt_at(state: RequestState, received: Received, outcome: str, latency_ms: float) -> Attempt:
    """The record of one request; the model is the one the endpoint names, else the one asked for."""
    return Attempt(
        request_sha256=state.request.sha256,
        model=received.model or state.request.model,
        outcome=outcome,
        raw_reply=received.raw,
        prompt_tokens=received.prompt_tokens,
        completion_tokens=received.completion_tokens,
        latency_ms=latency_ms,
        plain_json=state.plain,
        asked_again=bool(state.reask),
        prompt_estimate=state.tokens(0),
        mark=state.request.mark,
    )
