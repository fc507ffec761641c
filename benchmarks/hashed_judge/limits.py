"""The limits of a provider: requests and tokens in a sliding window, and requests at the same time."""

import math
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Refused:
    """Which limit a request would break, and when it is worth coming back."""

    limit: str
    wait_seconds: int


class Limits:
    """Lets a request in or says which limit it breaks; only those let in count."""

    def __init__(
        self, *, rpm: int | None, tpm: int | None, max_in_flight: int | None, window_seconds: float
    ) -> None:
        self._requests, self._tokens, self._in_flight = rpm, tpm, max_in_flight
        self._window = window_seconds
        self._admitted: deque[tuple[float, int]] = deque()
        self._tokens_in_window = 0

    def refusal(self, *, now: float, tokens: int, in_flight: int) -> Refused | None:
        """Why a request may not come in now; `in_flight` counts it already."""
        if self._in_flight is not None and in_flight > self._in_flight:
            return Refused("max_in_flight", 1)
        if self._requests is None and self._tokens is None:
            return None
        self._forget(now - self._window)
        if self._requests is not None and len(self._admitted) >= self._requests:
            return self._until_room("rpm", now)
        if self._tokens is not None and self._tokens_in_window + tokens > self._tokens:
            return self._until_room("tpm", now)
        self._admitted.append((now, tokens))
        self._tokens_in_window += tokens
        return None

    def _forget(self, before: float) -> None:
        while self._admitted and self._admitted[0][0] <= before:
            self._tokens_in_window -= self._admitted.popleft()[1]

    def _until_room(self, limit: str, now: float) -> Refused:
        oldest = self._admitted[0][0] if self._admitted else now
        return Refused(limit, max(1, math.ceil(oldest + self._window - now)))
