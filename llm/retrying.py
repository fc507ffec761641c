"""Trying a call again: how often, after which errors, how long to wait.

The endpoint's Retry-After says that asking earlier is pointless, so a wait is never shorter than it. Nor is a
wait ever longer than `longest_wait`: an endpoint that asks for more ends the call at once, and the caller may
come back in a later pass.
"""

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from llm.errors import ErrorStatus, LLMError
from llm.fault_rules import FAULT_RULES, RetryAction

Result = TypeVar("Result")

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_PART = rf"{_NUMBER}\s?(?:(?:hours?|minutes?|seconds?|ms|h|m|s)\b|[hm](?=[0-9]))"
_WAIT = rf"(?:(?:{_PART})\s?){{1,3}}|{_NUMBER}"
_PARTS_OF_WAIT = re.compile(rf"({_NUMBER})\s?([a-z]+)")
_SAID_WAIT = re.compile(
    rf"(?:try again in|retry (?:after|in)|retry_?delay\W{{1,5}}|retry_after\W{{1,5}})\s*(?P<wait>{_WAIT})",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class RetryPolicy:
    """At most `tries` tries; waits in seconds, doubling from `first_wait` up to `longest_wait`."""

    tries: int = 3
    first_wait: float = 1.0
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    rng: random.Random = field(default_factory=random.SystemRandom)

    def run(
        self, call: Callable[[], Result], *, adapt: Callable[[LLMError], bool] = lambda error: False
    ) -> Result:
        """Return the first result of `call`, trying again as the rule of each fault says.

        `adapt` may change what the next call sends, and returns True when it did: then the call is made again
        at once, and the try does not count. It must do so a limited number of times.

        Raises:
            LLMError: the last one, when no try is left, its rule allows none, or the endpoint asks for a wait
                above `longest_wait`.
        """
        number = 1
        while True:
            try:
                return call()
            except LLMError as error:
                if adapt(error):
                    continue
                rule, wait = FAULT_RULES[error.reason], self.wait_after(error, number=number)
                has_try_left = rule.again is RetryAction.WAIT and number < min(self.tries, rule.tries)
                if not has_try_left or wait > self.longest_wait:
                    raise
            self.sleep(wait)
            number += 1

    def wait_after(self, error: LLMError, *, number: int) -> float:
        """Seconds to wait after try `number`: half to all of the backoff at random, or longer if asked to."""
        backoff = min(self.longest_wait, self.first_wait * 2.0 ** (number - 1)) * self.rng.uniform(0.5, 1.0)
        asked = error.retry_after if isinstance(error, ErrorStatus) else None
        return max(backoff, asked or 0.0)


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
