"""When a session ends, and how late a request is. All times are aware UTC; the caller reads the clock."""

from datetime import datetime, timedelta
from enum import StrEnum


class Lateness(StrEnum):
    """Where a request stands relative to the stored deadline."""

    ON_TIME = "on_time"
    WITHIN_TOLERANCE = "within_tolerance"
    LATE = "late"


def deadline(*, started_at: datetime, budget: timedelta, closes_at: datetime | None) -> datetime:
    """Return the moment to store at start: start + budget, or the study's closing time if that is earlier.

    A study that closed before `started_at` gives a moment already past: whoever starts sessions
    refuses a closed study first.
    """
    budgeted = started_at + budget
    return budgeted if closes_at is None else min(budgeted, closes_at)


def lateness(*, now: datetime, deadline_at: datetime, tolerance: timedelta) -> Lateness:
    """Classify a request received at `now`; both the deadline and the end of the tolerance are inclusive."""
    if now <= deadline_at:
        return Lateness.ON_TIME
    return Lateness.WITHIN_TOLERANCE if now <= deadline_at + tolerance else Lateness.LATE


def seconds_left(*, now: datetime, deadline_at: datetime) -> int:
    """Whole seconds to the deadline, never negative; rounded down so that no second is promised twice.

    The tolerance is not part of it: it is for answers on the wire, not time to write.
    """
    return max(0, int((deadline_at - now).total_seconds()))


def has_expired(*, now: datetime, deadline_at: datetime, tolerance: timedelta) -> bool:
    """Whether the sweep may end the session: only once no save could be accepted any more.

    The logical time of the expiry is `deadline_at`, whenever the sweep comes by.
    """
    return lateness(now=now, deadline_at=deadline_at, tolerance=tolerance) is Lateness.LATE
