"""What becomes of a request by the faults that it meets in a row, as docs/judging-faults.md promises it.

Nothing of the code under test is used here. A request meets at most two passing faults in a row, so only a
refusal or a second reply that is no verdict leaves its row unscored: all other faults pass within the tries.
"""

from collections.abc import Sequence

REFUSALS = {"refused", "permanent_refused"}
INVALID = {
    "not_json": "reply_off_schema",
    "off_schema": "reply_off_schema",
    "permanent_off_schema": "reply_off_schema",
    "out_of_range": "reply_out_of_range",
}
# The reason code under which each request is on record, by the name of what the server did to it.
ON_RECORD = {
    **INVALID,
    **dict.fromkeys(REFUSALS, "reply_refused"),
    "": "ok",
    "rejected": "schema_rejected",
    "rate_limited_seconds": "rate_limited",
    "rate_limited_date": "rate_limited",
    "status_500": "server_failed",
    "status_503": "server_failed",
    "status_408": "endpoint_timed_out",
    "status_409": "endpoint_conflict",
    "closed": "connection_lost",
    "reset": "connection_lost",
    "truncated": "reply_truncated",
    "empty": "reply_empty",
    "content_type": "reply_wrong_type",
    "stalled": "too_late",
    "dripped": "too_late",
    "huge": "reply_too_large",
}
# Whether a dripping reply began in time is a matter of milliseconds.
TOO_LATE = {"timed_out", "reply_too_slow"}


def met(faults: Sequence[str]) -> Sequence[str]:
    """Those of the faults that a row's requests get to meet: none comes after a refusal."""
    for number, fault in enumerate(faults, start=1):
        if fault in REFUSALS:
            return faults[:number]
    return faults


def reason(faults: Sequence[str]) -> str:
    """Why the row stays unscored; nothing where it is scored."""
    *_, last = ["", *met(faults)]
    if last in REFUSALS:
        return "reply_refused"
    if len(faults) == 2 and all(fault in INVALID for fault in faults):
        return INVALID[last]
    return ""


def requests(faults: Sequence[str]) -> int:
    """How many requests the row takes: one for each fault, and the one that brings the verdict."""
    return len(met(faults)) + (reason(faults) == "")


def asked_again(faults: Sequence[str]) -> int:
    """How many of them show the model its reply and what is wrong with it.

    Once for a reply that is no verdict; where that request fails for a moment, it is what is tried again. But
    a reply of 10 MB ends the call, and the next round begins afresh.
    """
    if not any(fault in INVALID for fault in met(faults)):
        return 0
    again = len(faults) == 2 and faults[0] in INVALID and faults[1] not in {*INVALID, *REFUSALS, "huge"}
    return 2 if again else 1
