"""Everything that can go wrong between sending a chat request and holding a usable reply.

    LLMError                    (never raised itself)
    ├── NoReply                 nothing, or only part of a reply, came back
    │   ├── ConnectionFailed    connection_failed   nobody answered at that address
    │   ├── ConnectionLost      connection_lost     the connection broke before the reply was complete
    │   └── TimedOut            timed_out           the reply did not arrive in the time allowed
    ├── ErrorStatus             the endpoint answered with an error; may say when to come back
    │   ├── RateLimited         rate_limited        429
    │   ├── ServerFailed        server_failed       5xx, and the passing states 408, 409 and 425
    │   ├── AccessDenied        access_denied       401, 402, 403, 404: wrong key, no credit, no such model
    │   └── RequestRejected     request_rejected    any other status that is not 200
    └── UnusableReply           the endpoint answered 200, but
        ├── ReplyTooLarge       reply_too_large     it is longer than any reply we can use
        ├── ReplyMalformed      reply_malformed     it is not a chat completion
        ├── ReplyTruncated      reply_truncated     finish_reason is "length" or missing
        ├── ReplyRefused        reply_refused       the model, or the provider's filter, declined
        ├── ReplyEmpty          reply_empty         there is no text in it
        └── ReplyOffSchema      reply_off_schema    the text is not the JSON that was asked for

`reason` is the short code that is stored. Messages name the endpoint and never contain the key or a header.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Received:
    """What an attempt brought back, whether or not it could be used. All of it can be stored as text."""

    status: int | None = None
    raw: str = ""
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class LLMError(Exception):
    """Base of the tree above."""

    reason: ClassVar[str]

    def __init__(self, message: str, received: Received | None = None) -> None:
        super().__init__(message)
        self.received = received or Received()


class NoReply(LLMError):
    """Nothing, or only part of a reply, came back."""


class ConnectionFailed(NoReply):
    """Nobody answered at the endpoint's address."""

    reason = "connection_failed"


class ConnectionLost(NoReply):
    """The connection broke before the reply was complete; the work may have been done and charged."""

    reason = "connection_lost"


class TimedOut(NoReply):
    """The reply did not arrive in the time allowed."""

    reason = "timed_out"


class ErrorStatus(LLMError):
    """The endpoint answered with an error status; `retry_after` is the wait it asked for, in seconds."""

    def __init__(
        self, message: str, received: Received | None = None, *, retry_after: float | None = None
    ) -> None:
        super().__init__(message, received)
        self.retry_after = retry_after


class RateLimited(ErrorStatus):
    """Too many requests or tokens (429)."""

    reason = "rate_limited"


class ServerFailed(ErrorStatus):
    """A passing failure on the endpoint's side (5xx, 408, 409, 425)."""

    reason = "server_failed"


class AccessDenied(ErrorStatus):
    """The key, the account or the model is wrong (401, 402, 403, 404): every request would fail."""

    reason = "access_denied"


class RequestRejected(ErrorStatus):
    """The endpoint does not accept this request."""

    reason = "request_rejected"


class UnusableReply(LLMError):
    """The endpoint answered 200, but the reply cannot be used."""


class ReplyTooLarge(UnusableReply):
    """The reply is longer than any reply we can use; reading stopped there."""

    reason = "reply_too_large"


class ReplyMalformed(UnusableReply):
    """The body is not a chat completion."""

    reason = "reply_malformed"


class ReplyTruncated(UnusableReply):
    """The text ends early: finish_reason is "length" or missing."""

    reason = "reply_truncated"


class ReplyRefused(UnusableReply):
    """The model, or the provider's content filter, declined to answer."""

    reason = "reply_refused"


class ReplyEmpty(UnusableReply):
    """The reply holds no text."""

    reason = "reply_empty"


class ReplyOffSchema(UnusableReply):
    """The text is not the JSON that was asked for."""

    reason = "reply_off_schema"
