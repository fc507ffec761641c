"""What is done about each fault: a row per reason code of `llm.errors`; in words: docs/judging-faults.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from llm import errors
from llm.errors import LLMError


class RetryAction(StrEnum):
    """How a call goes on after a fault."""

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

    `tries` is the most requests a call makes before it ends with this fault. `counts_against_endpoint`: the
    endpoint is at fault, not the answer or the model's way with it; many in a row mean that the judge is
    down. `fails_all`: every other request would fail too. `worth_another_round`: the same request may well
    succeed later.
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
    errors.AddressRefused: _passing(1, fails_all=True),
    errors.ConnectionFailed: _passing(fails_all=True),
    errors.ConnectionLost: _passing(),
    # The work may have been done and charged, and each try takes the whole time allowed.
    errors.TimedOut: _passing(2),
    errors.ReplyTooSlow: _passing(2),
    errors.RateLimited: _passing(),
    errors.ServerFailed: _passing(),
    errors.EndpointTimedOut: _passing(),
    errors.EndpointConflict: _passing(),
    errors.AskedTooEarly: _passing(),
    # Worth another round because somebody mends the key, the credit or the name in between.
    errors.AccessDenied: _passing(1, fails_all=True),
    # The same question and answer are as long the next time.
    errors.PromptTooLong: _lasting(),
    errors.SchemaRejected: _lasting(RetryAction.PLAIN, endpoint=True),
    errors.RequestRejected: _lasting(endpoint=True),
    errors.OtherInterface: _lasting(endpoint=True),
    errors.ReplyTooLarge: _passing(1),
    errors.ReplyWrongType: _passing(),
    errors.ReplyMalformed: _passing(),
    # Paid for each time, and often cut at the same place.
    errors.ReplyTruncated: _passing(2, endpoint=False),
    # What a setting brings about, it brings about each time, and each time is paid for.
    errors.TokenLimitSpent: _lasting(),
    errors.ReplyRefused: _lasting(),
    errors.ReplyEmpty: _passing(endpoint=False),
    errors.ReplyOnlyReasoning: _lasting(),
    # A server may have made the schema into a tool; without it the model says what it would have called.
    errors.ReplyToolCall: _lasting(RetryAction.PLAIN),
    errors.ReplyOffSchema: _lasting(RetryAction.REASK),
    errors.ReplyOutOfRange: _lasting(RetryAction.REASK),
}

FAULT_RULES: Mapping[str, FaultRule] = {error.reason: rule for error, rule in _BY_ERROR.items()}
