"""A judge's limits: requests and tokens a minute, and calls at a time.

One process at a time asks a judge, so plain counters hold them; no clock and no database is asked here. What
the process before it had sent is put in when it takes over (`note`, `elsewhere`).
"""

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

MAX_CALLS_AT_A_TIME = 256


@dataclass(frozen=True, slots=True)
class Window:
    """The length that limits are about, in seconds.

    `margin` covers the way to the endpoint and clocks that do not quite agree: what was sent within `length`
    plus `margin` may reach the endpoint's counter within `length`.
    """

    length: float = 60.0
    margin: float = 3.0

    @property
    def span(self) -> timedelta:
        return timedelta(seconds=self.length + self.margin)


PER_MINUTE = Window()


class LimitTooLow(Exception):
    """One request, of so many tokens, is more than the limits ever allow."""

    def __init__(self, tokens: int) -> None:
        super().__init__(tokens)
        self.tokens = tokens


@dataclass(slots=True, eq=False)
class Sent:
    """A request that counts against the limits from the moment at which it was sent."""

    at: datetime
    tokens: int


class Limits:
    """What may be sent now; `requests` and `tokens` a minute are None where there is no limit.

    Nobody overtakes: what is refused is asked for again before anything else.
    """

    def __init__(self, *, window: Window = PER_MINUTE) -> None:
        self.concurrency = 1
        self.requests: int | None = None
        self.tokens: int | None = None
        # Requests of another process that are still under way at the endpoint.
        self.elsewhere = 0
        self._span = window.span
        self._sent: deque[Sent] = deque()
        self._tokens_sent = 0
        self._under_way: dict[UUID, Sent] = {}
        self._scale = 1.0

    @property
    def span(self) -> timedelta:
        return self._span

    def room(self, now: datetime) -> int:
        """How many requests may be sent at once, as far as their number goes."""
        self._forget(now)
        free = min(self.concurrency, MAX_CALLS_AT_A_TIME) - len(self._under_way) - self.elsewhere
        if self.requests:  # that there is no room ever is for `admit` to say
            free = min(free, self.requests - len(self._sent))
        return max(0, free)

    def admit(self, uid: UUID, tokens: int, now: datetime) -> bool:
        """Count a request as sent at `now` if it may be; `tokens` of its prompt and reply, as estimated.

        Raises:
            LimitTooLow: it is more than a window ever allows.
        """
        if self.requests == 0 or (self.tokens is not None and tokens > self.tokens):
            raise LimitTooLow(tokens)
        if self.tokens is not None:
            # One request that took too much must not seem impossible for ever.
            tokens = max(tokens, min(round(tokens * self._scale), self.tokens))
        if not self.room(now) or (self.tokens is not None and self._tokens_sent + tokens > self.tokens):
            return False
        self._under_way[uid] = self.note(now, tokens)
        return True

    def note(self, at: datetime, tokens: int) -> Sent:
        """Count a request that was sent at `at`, not earlier than those before.

        Also while there is no limit: there may be one before it is over.
        """
        sent = Sent(at, tokens)
        self._sent.append(sent)
        self._tokens_sent += tokens
        return sent

    def withdraw(self, uid: UUID) -> None:
        """It was not sent after all."""
        sent = self._under_way.pop(uid)
        if self._counts(sent):
            self._sent.remove(sent)
            self._tokens_sent -= sent.tokens

    def settle(self, uid: UUID, tokens: int | None) -> None:
        """It is over and took so many tokens, None where nobody knows: then it counts as estimated."""
        sent = self._under_way.pop(uid)
        if tokens is None:
            return
        self._scale = max(self._scale, self._scale * tokens / max(sent.tokens, 1))
        if self._counts(sent):
            self._tokens_sent += tokens - sent.tokens
        sent.tokens = tokens

    def _counts(self, sent: Sent) -> bool:
        """Whether it has not left the window."""
        return bool(self._sent) and sent.at >= self._sent[0].at

    def _forget(self, now: datetime) -> None:
        while self._sent and self._sent[0].at + self._span <= now:
            self._tokens_sent -= self._sent.popleft().tokens


def why_too_low(judge: str, limits: Limits, tokens: int) -> str:
    """In words what to raise."""
    if limits.requests == 0:
        return f'The judge "{judge}" allows 0 requests per minute; raise this limit and resume the run.'
    return (
        f'One request to the judge "{judge}" may take {tokens:,} tokens, its reply included, and its limit '
        f"is {limits.tokens:,} tokens per minute. Raise this limit, or lower its bound on output tokens, and "
        "resume the run."
    )
