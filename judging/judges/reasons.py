"""Why an answer or a criterion has no score. Unscored is never zero: it is counted and judged again."""

from enum import StrEnum

from llm.errors import FAULT_RULES, FaultRule, RetryAction

_NOT_ASKED = FaultRule(RetryAction.NEVER, 0, False, False, False)


class UnscoredReason(StrEnum):
    """The value is what is stored: the reason codes of `llm.errors`; docs/judging-faults.md explains them."""

    ADDRESS_REFUSED = "address_refused"
    CONNECTION_FAILED = "connection_failed"
    CONNECTION_LOST = "connection_lost"
    TIMED_OUT = "timed_out"
    REPLY_TOO_SLOW = "reply_too_slow"
    RATE_LIMITED = "rate_limited"
    SERVER_FAILED = "server_failed"
    ENDPOINT_TIMED_OUT = "endpoint_timed_out"
    ENDPOINT_CONFLICT = "endpoint_conflict"
    ASKED_TOO_EARLY = "asked_too_early"
    ACCESS_DENIED = "access_denied"
    PROMPT_TOO_LONG = "prompt_too_long"
    SCHEMA_REJECTED = "schema_rejected"
    REQUEST_REJECTED = "request_rejected"
    OTHER_INTERFACE = "other_interface"
    REPLY_TOO_LARGE = "reply_too_large"
    REPLY_WRONG_TYPE = "reply_wrong_type"
    REPLY_MALFORMED = "reply_malformed"
    REPLY_TRUNCATED = "reply_truncated"
    TOKEN_LIMIT_SPENT = "token_limit_spent"  # noqa: S105  # tokens of a model
    REPLY_REFUSED = "reply_refused"
    REPLY_EMPTY = "reply_empty"
    REPLY_ONLY_REASONING = "reply_only_reasoning"
    REPLY_TOOL_CALL = "reply_tool_call"
    REPLY_OFF_SCHEMA = "reply_off_schema"
    REPLY_OUT_OF_RANGE = "reply_out_of_range"
    NO_LONGER_COUNTS = "no_longer_counts"
    """Not the judge's doing: the answer was changed, withdrawn or excluded after the plan was made."""

    @property
    def rule(self) -> FaultRule:
        """What follows from it: see `llm.errors`. From what was not asked nothing does."""
        return FAULT_RULES.get(self.value, _NOT_ASKED)
