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
    def sentence(self) -> str:
        """For people: what happened."""
        return _SENTENCES[self]

    @property
    def fails_all(self) -> bool:
        """True when every other request to this judge would fail too, so that asking on is pointless."""
        return self in {UnscoredReason.CONNECTION_FAILED, UnscoredReason.ACCESS_DENIED}


_SENTENCES = {
    UnscoredReason.CONNECTION_FAILED: "The judge could not be reached.",
    UnscoredReason.CONNECTION_LOST: "The connection to the judge broke before its reply was complete.",
    UnscoredReason.TIMED_OUT: "The judge did not reply in the time allowed.",
    UnscoredReason.RATE_LIMITED: "The judge's limit on requests was reached.",
    UnscoredReason.SERVER_FAILED: "The judge's server failed.",
    UnscoredReason.ACCESS_DENIED: "The judge refused access; its key, account, address or model is wrong.",
    UnscoredReason.REQUEST_REJECTED: "The judge's server does not accept the request.",
    UnscoredReason.REPLY_TOO_LARGE: "The judge's reply was longer than any judgment can be.",
    UnscoredReason.REPLY_MALFORMED: "The judge's server replied with something that is no chat completion.",
    UnscoredReason.REPLY_TRUNCATED: "The judge's reply was cut off.",
    UnscoredReason.REPLY_REFUSED: "The judge declined to judge this answer.",
    UnscoredReason.REPLY_EMPTY: "The judge's reply was empty.",
    UnscoredReason.REPLY_OFF_SCHEMA: "The judge's reply was not a judgment of the form asked for.",
}
