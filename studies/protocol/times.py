"""Times as files and commands write them."""

from datetime import UTC, datetime


def aware_time(text: str) -> datetime | None:
    """The moment an ISO text with an offset names, in UTC; None where it names none."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):  # OverflowError: the year 9999 goes on where UTC has left it
        return None
