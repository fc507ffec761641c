"""A judge's limits: requests and tokens a minute, and calls at a time.

One process at a time asks a judge, so plain counters hold them; no clock and no database is asked here. What
the process before it had sent is put in when it takes over (`note`, `elsewhere`).
"""

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from judging.judges.course import LONGEST_RETRY_AFTER

MAX_CALLS_AT_A_TIME = 256
# An endpoint that has too much to do and does not say for how long is left alone for so many seconds, twice
# as many each time that it still has.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
LONGEST_HOLD = timedelta(seconds=LONGEST_RETRY_AFTER)
# How much of an estimate's correction is left after a request that needed none: estimates of prompts in one
# script say nothing of those in another.
CORRECTION_LEFT, LARGEST_CORRECTION = 0.98, 8.0


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
    """A request that counts against the limits from the moment at which it was sent, with as many tokens as
    were estimated until it is known how many they were.
    """

    at: datetime
    tokens: int
    estimate: int
    counts: bool = True


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
        # Until when the endpoint is left alone, and how many calls at a time it takes after that.
        self.held_until: datetime | None = None
        self.pace = float(MAX_CALLS_AT_A_TIME)
        self._pause = FIRST_PAUSE
        self._span = window.span
        self._sent: deque[Sent] = deque()
        self._tokens_sent = 0
        self._under_way: dict[UUID, Sent] = {}
        self._correction = 1.0

    @property
    def span(self) -> timedelta:
        return self._span

    def room(self, now: datetime) -> int:
        """How many requests may be sent at once, as far as their number goes."""
        for sent in reversed(self._sent):
            if sent.at <= now:
                break
            sent.at = now  # the clock was set back
        while self._sent and self._sent[0].at + self._span <= now:
            left = self._sent.popleft()
            left.counts = False
            self._tokens_sent -= left.tokens
        # A clock that was set back keeps no endpoint waiting for longer than it can ask for.
        if self.held_until is not None and now < self.held_until <= now + LONGEST_HOLD:
            return 0
        free = min(self.concurrency, int(self.pace)) - len(self._under_way) - self.elsewhere
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
        estimate = tokens
        if self.tokens is not None:
            # One request that took too much must not seem impossible for ever.
            tokens = max(tokens, min(round(tokens * self._correction), self.tokens))
        if not self.room(now) or (self.tokens is not None and self._tokens_sent + tokens > self.tokens):
            return False
        self._under_way[uid] = self.note(now, tokens, estimate)
        return True

    def send(self, uid: UUID, at: datetime) -> None:
        """A request that was admitted goes out only now."""
        self._under_way[uid].at = at

    def note(self, at: datetime, tokens: int, estimate: int = 0) -> Sent:
        """Count a request that was sent at `at`, not earlier than those before.

        Also while there is no limit: there may be one before it is over.
        """
        sent = Sent(at, tokens, estimate)
        self._sent.append(sent)
        self._tokens_sent += tokens
        return sent

    def withdraw(self, uid: UUID) -> None:
        """It was not sent after all."""
        sent = self._under_way.pop(uid)
        if sent.counts:
            self._sent.remove(sent)
            self._tokens_sent -= sent.tokens

    def settle(self, uid: UUID, tokens: int | None) -> None:
        """It is over and took so many tokens, None where nobody knows: then it counts as estimated."""
        sent = self._under_way.pop(uid)
        if tokens is None:
            return
        correction = min(tokens / max(sent.estimate, 1), LARGEST_CORRECTION)
        self._correction = max(1.0, correction, self._correction * CORRECTION_LEFT)
        if sent.counts:
            self._tokens_sent += tokens - sent.tokens
        sent.tokens = tokens

    def ease(self, uid: UUID, retry_after: float | None, now: datetime) -> None:
        """The endpoint says of this request, which is not settled yet, that it has too much to do: leave it
        alone for as long as it asks, then send half as many at a time.

        Many requests hear the same at once: only those that were sent since tell something new.
        """
        if self._is_new(uid):
            self.pace = max(1.0, min(self.pace, len(self._under_way)) / 2)
            self.held_until = now + timedelta(seconds=self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        if retry_after and self.held_until is not None:
            until = now + timedelta(seconds=min(retry_after, LONGEST_RETRY_AFTER))
            self.held_until = max(self.held_until, until)

    def quicken(self, uid: UUID) -> None:
        """The endpoint answered this request, which is not settled yet: after a round of answers it is sent
        one more at a time.
        """
        if self._is_new(uid):
            self.pace, self._pause = min(self.pace + 1 / self.pace, MAX_CALLS_AT_A_TIME), FIRST_PAUSE

    def _is_new(self, uid: UUID) -> bool:
        """Whether the request was sent after the endpoint was last left alone."""
        return self.held_until is None or self._under_way[uid].at >= self.held_until


def why_too_low(judge: str, limits: Limits, tokens: int) -> str:
    """In words what to raise."""
    if limits.requests == 0:
        return f'The judge "{judge}" allows 0 requests per minute; raise this limit and resume the run.'
    return (
        f'One request to the judge "{judge}" may take {tokens:,} tokens, its reply included, and its limit '
        f"is {limits.tokens:,} tokens per minute. Raise this limit, or lower its bound on output tokens, and "
        "resume the run."
    )
