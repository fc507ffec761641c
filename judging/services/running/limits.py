"""A judge's limits per minute, for all workers and runs together: its grants are rows in one queue.

A worker asks for about a second's worth at a time. A grant whose moment lies ahead keeps its place in the
queue; nobody overtakes. What a grant allowed and was not used, and what replies took less (or more) than
expected, is put right on its row afterwards. See `judging.judges.windows` for why the limits hold.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F

from judging.judges.windows import NOTHING, Amount, Limits, QueuedAmount, Window, chunk, place
from judging.models import JudgeConfig, JudgeGrant

Clock = Callable[[], datetime]


class LimitTooLow(Exception):
    """One request is more than a judge's limits allow in a minute; the message says so in words."""


def _limits_of(config: JudgeConfig) -> Limits:
    return Limits(config.requests_per_minute, config.tokens_per_minute)


@transaction.atomic
def grant_queue(
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
def grant_hasten(grant: JudgeGrant, *, window: Window, clock: Clock) -> None:
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


def grants_correct(unused: Mapping[int, Amount]) -> None:
    """Take what was not used off the grants' rows; a negative amount was used on top."""
    for pk, amount in unused.items():
        if amount != NOTHING:
            JudgeGrant.objects.filter(pk=pk).update(
                requests=F("requests") - amount.requests, tokens=F("tokens") - amount.tokens
            )


def grant_withdraw(grant: JudgeGrant) -> None:
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
