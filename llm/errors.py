"""Everything that can go wrong between sending a chat request and holding a usable reply.

    LLMError                     (never raised itself)
    ├── NoReply                  nothing, or only part of a reply, came back
    │   ├── AddressRefused       address_refused      it leads where this site lets no request go
    │   ├── ConnectionFailed     connection_failed    nobody answered at that address
    │   ├── ConnectionLost       connection_lost      the connection broke before the reply was complete
    │   ├── TimedOut             timed_out            no reply began in the time allowed
    │   └── ReplyTooSlow         reply_too_slow       a reply began, but was not complete in the time allowed
    ├── ErrorStatus              the endpoint answered with an error; may say when to come back
    │   ├── RateLimited          rate_limited         429
    │   ├── ServerFailed         server_failed        5xx
    │   ├── EndpointTimedOut     endpoint_timed_out   408: the endpoint gave up waiting
    │   ├── EndpointConflict     endpoint_conflict    409: it is busy with something that excludes this
    │   ├── AskedTooEarly        asked_too_early      425: it is not ready yet, e.g. loads the model
    │   ├── AccessDenied         access_denied        401, 402, 403, 404: wrong key, no credit, no such model
    │   ├── PromptTooLong        prompt_too_long      question and answer are longer than the model takes
    │   ├── SchemaRejected       schema_rejected      400 or 422 that names the schema it was given
    │   └── RequestRejected      request_rejected     any other status that is not 200
    │                            (an error inside of a reply with status 200 is told as its own status)
    └── UnusableReply            the endpoint answered 200, but
        ├── OtherInterface       other_interface      it is of another interface than chat completions
        ├── ReplyTooLarge        reply_too_large      it is longer than any reply we can use
        ├── ReplyWrongType       reply_wrong_type     its content type is not JSON
        ├── ReplyMalformed       reply_malformed      it is not a chat completion
        ├── ReplyTruncated       reply_truncated      finish_reason is "length", or missing and it is no JSON
        ├── TokenLimitSpent      token_limit_spent    the limit was used up for reasoning, before any text
        ├── ReplyRefused         reply_refused        the model, or the provider's filter, declined
        ├── ReplyEmpty           reply_empty          there is no text in it
        ├── ReplyOnlyReasoning   reply_only_reasoning there is reasoning in it and no text
        ├── ReplyToolCall        reply_tool_call      it calls a tool, of which none was offered
        └── ReplyInvalid         the text is no answer to what was asked; the model can be told so
            ├── ReplyOffSchema   reply_off_schema     it is not the JSON that was asked for
            └── ReplyOutOfRange  reply_out_of_range   it is, but a number lies outside of its bounds

What is done about each stands in `FAULT_RULES`, a row per reason code; in words: docs/judging-faults.md.
Messages name the endpoint and never contain the key or a header.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from llm.requests import Attempt


@dataclass(frozen=True)
class Received:
    """What an attempt brought back, whether or not it could be used. All of it can be stored as text."""

    status: int | None = None
    raw: str = ""
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def snake_case(name: str) -> str:
    """`RateLimited` as `rate_limited`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class LLMError(Exception):
    """Base of the tree above. `reason` is the short code that is stored; it follows from the class's name.

    `attempt` is the record of the request, which the client adds.
    """

    reason: ClassVar[str]
    attempt: "Attempt"

    def __init_subclass__(cls) -> None:
        cls.reason = snake_case(cls.__name__)

    def __init__(self, message: str, received: Received | None = None) -> None:
        super().__init__(message)
        self.received = received or Received()


class NoReply(LLMError):
    """Nothing, or only part of a reply, came back."""


class AddressRefused(NoReply):
    """The endpoint's address is one that `llm.egress` lets no request go to; nothing was sent."""


class ConnectionFailed(NoReply):
    """Nobody answered at the endpoint's address."""


class ConnectionLost(NoReply):
    """The connection broke before the reply was complete; the work may have been done and charged."""


class TimedOut(NoReply):
    """No reply began in the time allowed."""


class ReplyTooSlow(NoReply):
    """A reply began, but was not complete in the time allowed."""


class ErrorStatus(LLMError):
    """The endpoint answered with an error status; `retry_after` is the wait it asked for, in seconds."""

    def __init__(
        self, message: str, received: Received | None = None, *, retry_after: float | None = None
    ) -> None:
        super().__init__(message, received)
        self.retry_after = retry_after


class RateLimited(ErrorStatus):
    """Too many requests or tokens (429)."""


class ServerFailed(ErrorStatus):
    """A failure on the endpoint's side (5xx)."""


class EndpointTimedOut(ErrorStatus):
    """The endpoint gave up waiting, for the request or for the model (408)."""


class EndpointConflict(ErrorStatus):
    """The endpoint is busy with something that excludes this request (409)."""


class AskedTooEarly(ErrorStatus):
    """The endpoint is not ready yet (425)."""


class AccessDenied(ErrorStatus):
    """The key, the account or the model is wrong (401, 402, 403, 404): every request would fail."""


class PromptTooLong(ErrorStatus):
    """The question and the answer are longer than the model takes: the answer's doing, not the endpoint's."""


class SchemaRejected(ErrorStatus):
    """The endpoint does not accept the schema, or a keyword in it; it may well accept the request without."""


class RequestRejected(ErrorStatus):
    """The endpoint does not accept this request."""


class UnusableReply(LLMError):
    """The endpoint answered 200, but the reply cannot be used."""


class OtherInterface(UnusableReply):
    """The reply is whole, and of another interface than chat completions, or a stream."""


class ReplyTooLarge(UnusableReply):
    """The reply is longer than any reply we can use; reading stopped there."""


class ReplyWrongType(UnusableReply):
    """The reply says that it is something other than JSON, such as a web page."""


class ReplyMalformed(UnusableReply):
    """The body is not a chat completion."""


class ReplyTruncated(UnusableReply):
    """The text ends early: finish_reason is "length", or missing where the text is no whole JSON."""


class TokenLimitSpent(UnusableReply):
    """The model used up its whole limit of tokens for reasoning and wrote no text."""


class ReplyRefused(UnusableReply):
    """The model, or the provider's content filter, declined to answer."""


class ReplyEmpty(UnusableReply):
    """The reply holds no text."""


class ReplyOnlyReasoning(UnusableReply):
    """The reply holds reasoning and no text."""


class ReplyToolCall(UnusableReply):
    """The reply calls a tool instead of saying something; none was offered."""


class ReplyInvalid(UnusableReply):
    """The text is no answer to what was asked: `text` is the reply's, `problem` what is wrong with it.

    `is_prose`: it does not even begin as JSON does, so no schema held the model to it.
    """

    def __init__(
        self,
        message: str,
        received: Received | None = None,
        *,
        text: str,
        problem: str,
        is_prose: bool = False,
    ) -> None:
        super().__init__(message, received)
        self.text = text
        self.problem = problem
        self.is_prose = is_prose


class ReplyOffSchema(ReplyInvalid):
    """The text is not the JSON that was asked for."""


class ReplyOutOfRange(ReplyInvalid):
    """The JSON has the right shape, but a number lies outside of its bounds."""


class RetryAction(StrEnum):
    """How the asking goes on after a fault."""

    NEVER = "never"
    """Not at all: the same request would meet the same fault."""
    WAIT = "wait"
    """The same request once more, after a wait."""
    PLAIN = "plain"
    """At once, without the schema, which is described in words instead; not counted as a try."""
    REASK = "reask"
    """At once and one time only, with the reply and what is wrong with it; not counted as a try."""


@dataclass(frozen=True)
class FaultRule:
    """What follows from one fault.

    `tries`: after so many requests of a round none follows one that ends with this fault.
    `counts_against_endpoint`: the endpoint is at fault, not the answer or the model's way with it; many in a
    row mean that the judge is down. `fails_all`: every other request would fail too. `worth_another_round`:
    the same request may well succeed later.
    """

    again: RetryAction
    tries: int
    counts_against_endpoint: bool
    fails_all: bool
    worth_another_round: bool


def _passing(tries: int = 3, *, endpoint: bool = True, fails_all: bool = False) -> FaultRule:
    return FaultRule(RetryAction.WAIT if tries > 1 else RetryAction.NEVER, tries, endpoint, fails_all, True)


def _lasting(again: RetryAction = RetryAction.NEVER, *, endpoint: bool = False) -> FaultRule:
    return FaultRule(again, 1, endpoint, False, False)


_BY_ERROR: dict[type[LLMError], FaultRule] = {
    # Worth another round because whoever runs the site may come to allow it.
    AddressRefused: _passing(1, fails_all=True),
    ConnectionFailed: _passing(fails_all=True),
    ConnectionLost: _passing(),
    # The work may have been done and charged, and each try takes the whole time allowed.
    TimedOut: _passing(2),
    ReplyTooSlow: _passing(2),
    RateLimited: _passing(),
    ServerFailed: _passing(),
    EndpointTimedOut: _passing(),
    EndpointConflict: _passing(),
    AskedTooEarly: _passing(),
    # Worth another round because somebody mends the key, the credit or the name in between.
    AccessDenied: _passing(1, fails_all=True),
    # The same question and answer are as long the next time.
    PromptTooLong: _lasting(),
    SchemaRejected: _lasting(RetryAction.PLAIN, endpoint=True),
    RequestRejected: _lasting(endpoint=True),
    OtherInterface: _lasting(endpoint=True),
    ReplyTooLarge: _passing(1),
    ReplyWrongType: _passing(),
    ReplyMalformed: _passing(),
    # Paid for each time, and often cut at the same place.
    ReplyTruncated: _passing(2, endpoint=False),
    # What a setting brings about, it brings about each time, and each time is paid for.
    TokenLimitSpent: _lasting(),
    ReplyRefused: _lasting(),
    ReplyEmpty: _passing(endpoint=False),
    ReplyOnlyReasoning: _lasting(),
    # A server may have made the schema into a tool; without it the model says what it would have called.
    ReplyToolCall: _lasting(RetryAction.PLAIN),
    ReplyOffSchema: _lasting(RetryAction.REASK),
    ReplyOutOfRange: _lasting(RetryAction.REASK),
}

FAULT_RULES: Mapping[str, FaultRule] = {error.reason: rule for error, rule in _BY_ERROR.items()}
