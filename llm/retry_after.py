"""How long an endpoint asks to wait: asking earlier is pointless."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_PART = rf"{_NUMBER}\s?(?:(?:hours?|minutes?|seconds?|ms|h|m|s)\b|[hm](?=[0-9]))"
_WAIT = rf"(?:(?:{_PART})\s?){{1,3}}|{_NUMBER}"
_PARTS_OF_WAIT = re.compile(rf"({_NUMBER})\s?([a-z]+)")
_SAID_WAIT = re.compile(
    rf"(?:try again in|retry (?:after|in)|retry_?delay\W{{1,5}}|retry_after\W{{1,5}})\s*(?P<wait>{_WAIT})",
    re.IGNORECASE,
)


def retry_after(headers: Mapping[str, str], words: str, *, now: datetime) -> float | None:
    """Seconds that an endpoint asks to wait: in a header, else in words such as "try again in 1m2.5s"."""
    ms = headers.get("retry-after-ms", "")
    if re.fullmatch(rf"\s*{_NUMBER}\s*", ms):
        return float(ms) / 1000
    asked = retry_after_seconds(headers.get("retry-after"), date=headers.get("date"), now=now)
    if asked is None and (said := _SAID_WAIT.search(words)):
        asked = _duration(said["wait"])
    return asked


def _duration(text: str) -> float | None:
    """`17`, `17s`, `1m2.5s`, `250ms` in seconds."""
    if re.fullmatch(_NUMBER, text):
        return float(text)
    found = _PARTS_OF_WAIT.findall(text)
    return sum(
        float(number) * _SECONDS[unit[:2] if unit.startswith("ms") else unit[:1]] for number, unit in found
    )


def retry_after_seconds(value: str | None, *, date: str | None, now: datetime) -> float | None:
    """Seconds asked for by a Retry-After header: a number, a duration or an HTTP date (RFC 9110, 10.2.3).

    A date is measured against the reply's own Date header where there is one, so that a clock that differs
    from the endpoint's does no harm, else against `now` (aware UTC). None when absent or unreadable.
    """
    if value is None:
        return None
    if re.fullmatch(_WAIT, value.strip()):
        return _duration(value.strip())
    when = _http_date(value)
    if when is None:
        return None
    return max(0.0, (when - (_http_date(date) or now)).total_seconds())


def _http_date(value: str | None) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(value or "")
    except (ValueError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
