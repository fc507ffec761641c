"""Why an answer or a criterion has no score. Unscored is never zero: it is counted and judged again."""

from enum import StrEnum


class UnscoredReason(StrEnum):
    """The value is what is stored: the reason codes of `llm.errors`."""

    CONNECTION_FAILED = "connection_failed"
    CONNECTION_LOST = "connection_lost"
    TIMED_OUT = "timed_out"
    RATE_LIMITED = "rate_limited"
    SERVER_FAILED = "server_failed"
    ACCESS_DENIED = "access_denied"
    REQUEST_REJECTED = "request_rejected"
    REPLY_TOO_LARGE = "reply_too_large"
    REPLY_MALFORMED = "reply_malformed"
    REPLY_TRUNCATED = "reply_truncated"
    REPLY_REFUSED = "reply_refused"
    REPLY_EMPTY = "reply_empty"
    REPLY_OFF_SCHEMA = "reply_off_schema"

    @property
    def fails_all(self) -> bool:
        """True when every other request to this judge would fail too, so that asking on is pointless."""
        return self in {UnscoredReason.CONNECTION_FAILED, UnscoredReason.ACCESS_DENIED}
