"""What is known about a request after it was made."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from llm.errors import Received
from llm.requests import ChatRequest

Parsed = TypeVar("Parsed")

OK = "ok"


@dataclass(frozen=True)
class Attempt:
    """One request as it happened; `outcome` is "ok" or the error's reason code. The key is nowhere in it."""

    request_sha256: str
    model: str
    outcome: str
    raw_reply: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: float


@dataclass(frozen=True)
class Completion(Generic[Parsed]):
    """A complete reply. `parsed` is the validated JSON when a schema was asked for, else None."""

    text: str
    parsed: Parsed
    finish_reason: str
    attempt: Attempt


def ignore_attempt(attempt: Attempt) -> None:
    """Do nothing; for callers who store no attempts."""


def attempt_at(request: ChatRequest, received: Received, outcome: str, latency_ms: float) -> Attempt:
    """The record of one request; the model is the one the endpoint names, else the one asked for."""
    return Attempt(
        request_sha256=request.sha256,
        model=received.model or request.model,
        outcome=outcome,
        raw_reply=received.raw,
        prompt_tokens=received.prompt_tokens,
        completion_tokens=received.completion_tokens,
        latency_ms=latency_ms,
    )
