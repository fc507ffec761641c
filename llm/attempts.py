"""What is known about a request after it was made."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID, uuid4

from llm.errors import Received
from llm.request_state import RequestState

Parsed = TypeVar("Parsed")

OK = "ok"


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


def ignore_attempt(attempt: Attempt) -> None:
    """Do nothing; for callers who store no attempts."""


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
