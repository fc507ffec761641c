"""A judge's limits per minute, for all workers and runs together: its grants are rows in one queue.

`Allowance` is one worker's part of them: the grant it uses now, and the one it has queued for.
A worker asks for about a second's worth at a time. A grant whose moment lies ahead keeps its place in the
queue; nobody overtakes. What a grant allowed and was not used, and what replies took less (or more) than
expected, is put right on its row afterwards. See `judging.judges.windows` for why the limits hold.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from judging.judges.windows import NOTHING, Amount, Limits, QueuedAmount, Window, chunk, place
from judging.models import JudgeConfig, JudgeGrant
from judging.services.running.outages import retry_on_db_outage
from llm.attempts import Attempt

PACE_SECONDS = 1.0
HASTEN_SECONDS = 1.0
Clock = Callable[[], datetime]


class LimitTooLow(Exception):
    """One request is more than a judge's limits allow in a minute; the message says so in words."""


def _limits_of(config: JudgeConfig) -> Limits:
    return Limits(config.requests_per_minute, config.tokens_per_minute)


@transaction.atomic
def _grant_queue(
    *,
    judge_id: int,
    waiting: Sequence[int],
    pace: Amount,
    window: Window,
    latest: Callable[[datetime], datetime],
    clock: Clock,
) -> JudgeGrant | None:
    """A place in the queue for requests of so many tokens each; None where it would come after `latest`.

    `granted_at` is when it may be used. Raises LimitTooLow.
    """
    # The lock makes everybody's queueing one after the other; the moment is read under it.
    config = JudgeConfig.objects.select_for_update(no_key=True).get(pk=judge_id)
    now, limits = clock(), _limits_of(config)
    JudgeGrant.objects.filter(judge=config, granted_at__lte=now - 2 * window.span).delete()
    least, most = chunk(waiting, pace, limits)
    if not limits.allow(least):
        raise LimitTooLow(_sentence(config, least))
    queue = [given for _, given in _queue_of(config, now, window)]
    given = place(queue, least=least, most=most, limits=limits, window=window, now=now)
    if given.at > latest(now):
        return None
    return JudgeGrant.objects.create(
        judge=config, requests=given.amount.requests, tokens=given.amount.tokens, granted_at=given.at
    )


@transaction.atomic
def _grant_hasten(grant: JudgeGrant, *, window: Window, clock: Clock) -> None:
    """Move a grant that lies ahead to an earlier moment, where those before it in the queue took less."""
    config = JudgeConfig.objects.select_for_update(no_key=True).get(pk=grant.judge_id)
    now, limits = clock(), _limits_of(config)
    before = []
    for pk, given in _queue_of(config, now, window):
        if pk == grant.pk:
            break
        before.append(given)
    own = Amount(grant.requests, grant.tokens)
    if not limits.allow(own):
        return
    at = place(before, least=own, most=own, limits=limits, window=window, now=now).at
    if at < grant.granted_at:
        JudgeGrant.objects.filter(pk=grant.pk).update(granted_at=at)
        grant.granted_at = at


def _queue_of(config: JudgeConfig, now: datetime, window: Window) -> list[tuple[int, QueuedAmount]]:
    """The grants that still matter, in their order, with their keys."""
    rows = JudgeGrant.objects.filter(judge=config, granted_at__gt=now - window.span)
    return [
        (pk, QueuedAmount(at, Amount(requests, tokens)))
        for pk, at, requests, tokens in rows.order_by("granted_at", "pk").values_list(
            "pk", "granted_at", "requests", "tokens"
        )
    ]


def _grants_correct(unused: Mapping[int, Amount]) -> None:
    """Take what was not used off the grants' rows; a negative amount was used on top."""
    for pk, amount in unused.items():
        if amount != NOTHING:
            JudgeGrant.objects.filter(pk=pk).update(
                requests=F("requests") - amount.requests, tokens=F("tokens") - amount.tokens
            )


def _grant_withdraw(grant: JudgeGrant) -> None:
    """Leave the queue; for a grant of which nothing was used."""
    JudgeGrant.objects.filter(pk=grant.pk).delete()


def _sentence(config: JudgeConfig, least: Amount) -> str:
    if config.requests_per_minute == 0:
        return f'The judge "{config.slug}" allows 0 requests per minute; raise this limit and resume the run.'
    return (
        f'One request to the judge "{config.slug}" may take {least.tokens:,} tokens, its reply included, and '
        f"its limit is {config.tokens_per_minute:,} tokens per minute. Raise this limit, or lower its "
        "bound on output tokens, and resume the run."
    )


class Allowance:
    """What may be sent. Most is called under the gate's lock and asks no database.

    `refill`, `correct` and `close` do; they belong to the gate's own thread.
    """

    def __init__(self, config: JudgeConfig, *, window: Window, clock: Clock) -> None:
        self._judge_id = config.pk
        self._most_tokens = config.tokens_per_minute
        self._window = window
        self._clock = clock
        self._grant: JudgeGrant | None = None
        self._left = NOTHING
        self._ahead: JudgeGrant | None = None
        self._unused: dict[int, Amount] = {}
        self._let_through: deque[tuple[float, int]] = deque()
        self._scale = 1.0
        self._looked_at = self._corrected_at = time.monotonic()

    def tokens(self, estimate: int) -> int:
        """The estimate for one request in the light of what replies really took."""
        if self._most_tokens is None:
            return estimate
        # One request that took too much must not seem impossible for ever.
        return max(estimate, min(round(estimate * self._scale), self._most_tokens))

    def has(self, tokens: int) -> bool:
        """Whether a request of so many tokens is covered now."""
        grant = self._grant
        return grant is not None and self._left.covers(Amount(1, tokens)) and self.is_valid(grant)

    def take(self, tokens: int) -> JudgeGrant | None:
        """The grant that covers a request of so many tokens now, less these."""
        if not self.has(tokens):
            return None
        self._left = self._left.minus(Amount(1, tokens))
        self._let_through.append((time.monotonic(), tokens))
        return self._grant

    def is_valid(self, grant: JudgeGrant) -> bool:
        """Whether a request may still be sent by it."""
        age = self._clock() - grant.granted_at
        return timedelta(0) <= age <= timedelta(seconds=self._window.valid)

    def take_back(self, grant: JudgeGrant, tokens: int) -> None:
        """Nothing was sent after all."""
        self._note(grant.pk, Amount(1, tokens))

    def settle(self, grant: JudgeGrant, tokens: int, call: Attempt) -> None:
        """Put right what a request took, where the endpoint says it."""
        if call.prompt_tokens is None or call.completion_tokens is None:
            return
        used = call.prompt_tokens + call.completion_tokens
        self._scale = max(self._scale, self._scale * used / max(tokens, 1))
        self._note(grant.pk, Amount(0, tokens - used))

    def _note(self, pk: int, amount: Amount) -> None:
        self._unused[pk] = self._unused.get(pk, NOTHING).plus(amount)

    def pace(self) -> Amount:
        """What was let through in the last second; called under the lock."""
        since = time.monotonic() - PACE_SECONDS
        while self._let_through and self._let_through[0][0] < since:
            self._let_through.popleft()
        return Amount(len(self._let_through), sum(tokens for _, tokens in self._let_through))

    def refill(self, waiting: Sequence[int], pace: Amount, latest: Callable[[datetime], datetime]) -> None:
        """Queue for a grant, or see whether the one ahead can come earlier. Raises LimitTooLow."""
        if self._ahead is None:
            self.correct()
            self._ahead = retry_on_db_outage(
                lambda: _grant_queue(
                    judge_id=self._judge_id,
                    waiting=waiting,
                    pace=pace,
                    window=self._window,
                    latest=latest,
                    clock=self._clock,
                )
            )
            self._looked_at = time.monotonic()
        elif self._ahead.granted_at > self._clock() and time.monotonic() - self._looked_at > HASTEN_SECONDS:
            self.correct()
            ahead, self._looked_at = self._ahead, time.monotonic()
            retry_on_db_outage(lambda: _grant_hasten(ahead, window=self._window, clock=self._clock))

    def advance(self) -> bool:
        """Use the grant ahead once its moment has come; called under the lock."""
        if self._ahead is None or self._ahead.granted_at > self._clock():
            return False
        self._leave_grant()
        self._grant, self._ahead = self._ahead, None
        self._left = Amount(self._grant.requests, self._grant.tokens)
        return True

    def _leave_grant(self) -> None:
        if self._grant is not None:
            self._note(self._grant.pk, self._left)
        self._grant, self._left = None, NOTHING

    def correct(self) -> None:
        """Bring the rows up to what was used."""
        unused, self._unused = self._unused, {}
        self._corrected_at = time.monotonic()
        if unused:
            retry_on_db_outage(lambda: _grants_correct(unused))

    def correct_if_due(self) -> None:
        if time.monotonic() - self._corrected_at > HASTEN_SECONDS:
            self.correct()

    def seconds_ahead(self) -> float | None:
        """How long until the grant ahead may be used; None where there is none."""
        if self._ahead is None:
            return None
        return max(0.0, (self._ahead.granted_at - self._clock()).total_seconds())

    def close(self) -> None:
        """Give back what is left, so that others need not wait for it."""
        self._leave_grant()
        self.correct()
        ahead = self._ahead
        if ahead is not None:
            retry_on_db_outage(lambda: _grant_withdraw(ahead))
