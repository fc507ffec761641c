"""When a request may be sent, so that a judge's limits per minute hold for everybody who sends.

Grants stand in one queue, ordered by the moment from which they may be used; a new one is put at its end. A
grant is used, if at all, within `valid` seconds of its moment, and what was sent reaches the endpoint's
counter at most `margin` seconds later. So when the grants of any `span` = length + valid + margin come to no
more than a limit, then no window of `length` seconds at the endpoint, wherever it begins, sees more either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Window:
    """The length that limits are about, and what is added to it; in seconds.

    `margin` covers the way to the endpoint and clocks that do not quite agree.
    """

    length: float = 60.0
    valid: float = 3.0
    margin: float = 3.0

    @property
    def span(self) -> timedelta:
        return timedelta(seconds=self.length + self.valid + self.margin)


PER_MINUTE = Window()


@dataclass(frozen=True, slots=True)
class Amount:
    """Requests, and their tokens of prompts and replies together."""

    requests: int
    tokens: int

    def plus(self, other: "Amount") -> "Amount":
        return Amount(self.requests + other.requests, self.tokens + other.tokens)

    def minus(self, other: "Amount") -> "Amount":
        return Amount(self.requests - other.requests, self.tokens - other.tokens)

    def covers(self, other: "Amount") -> bool:
        return self.requests >= other.requests and self.tokens >= other.tokens


NOTHING = Amount(0, 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most of each in any window; None where there is no limit."""

    requests: int | None
    tokens: int | None

    def room(self, taken: Amount, wanted: Amount) -> Amount:
        """How much of `wanted` still goes in beside what is taken."""
        requests = wanted.requests if self.requests is None else self.requests - taken.requests
        tokens = wanted.tokens if self.tokens is None else self.tokens - taken.tokens
        return Amount(max(0, min(requests, wanted.requests)), max(0, min(tokens, wanted.tokens)))

    def allow(self, wanted: Amount) -> bool:
        """Whether so much can ever be sent."""
        return self.room(NOTHING, wanted) == wanted


@dataclass(frozen=True, slots=True)
class QueuedAmount:
    """An amount that may be sent from a moment on."""

    at: datetime
    amount: Amount


def place(
    queue: Sequence[QueuedAmount],
    *,
    least: Amount,
    most: Amount,
    limits: Limits,
    window: Window,
    now: datetime,
) -> QueuedAmount:
    """The place at the end of `queue`, ordered by time, for `least` or as much of `most` as fits there too.

    Nobody overtakes: what is large or late gets its turn. Raises ValueError where `least` never fits.
    """
    if not limits.allow(least):
        raise ValueError("No window is long enough for this.")
    at = max([now, *(given.at for given in queue[-1:])])
    inside = [given for given in queue if given.at > at - window.span]
    taken = total(inside)
    for oldest in inside:
        if limits.room(taken, least) == least:
            break
        # It leaves the window: the earliest moment at which there is more room.
        at = max(at, oldest.at + window.span)
        taken = taken.minus(oldest.amount)
    return QueuedAmount(at, _larger(least, limits.room(taken, most)))


def _larger(one: Amount, other: Amount) -> Amount:
    """Of each the larger number."""
    return Amount(max(one.requests, other.requests), max(one.tokens, other.tokens))


def total(queue: Sequence[QueuedAmount]) -> Amount:
    requests = sum(given.amount.requests for given in queue)
    return Amount(requests, sum(given.amount.tokens for given in queue))


# A share is no larger than this part of a limit, so that several workers take turns many times a minute.
PARTS = 20


def chunk(waiting: Sequence[int], pace: Amount, limits: Limits) -> tuple[Amount, Amount]:
    """The least and the most to ask for: the first waiting request, and all of them with a second's more.

    `waiting` are the tokens of the requests that wait, in order; `pace` is what was let through in a second.
    """
    least = Amount(1, waiting[0])
    wanted = Amount(len(waiting), sum(waiting)).plus(pace)
    parts = Amount(
        wanted.requests if limits.requests is None else max(1, limits.requests // PARTS),
        wanted.tokens if limits.tokens is None else limits.tokens // PARTS,
    )
    share = Amount(min(wanted.requests, parts.requests), min(wanted.tokens, parts.tokens))
    return least, _larger(least, share)
