"""Owners of judges whose clock and whose calls a test moves: nothing happens by itself."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from jobs.leases import lease_take
from judging.judges.interface import Judge
from judging.models import JudgeConfig, JudgingRun, ScoringRun
from judging.services.running.claim import lease_time
from judging.services.running.limits import PER_MINUTE, Window
from judging.services.running.own import runs_waiting
from judging.services.running.work import JudgeLoop


@dataclass
class SteppedClock:
    """Shows what a test sets."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def step(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class HeldPool(Executor):
    """Keeps calls under way until a test lets them come back."""

    clock: SteppedClock
    under_way: list[tuple[datetime, Callable[[], object]]] = field(default_factory=list)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.under_way.append((self.clock.now, partial(fn, *args, **kwargs)))
        return Future()

    def finish(self, calls: int | None = None) -> None:
        """Let the oldest calls come back, which went out at once; all if it is not said how many."""
        now = self.clock.now
        for _ in range(len(self.under_way) if calls is None else calls):
            self.clock.now, call = self.under_way.pop(0)
            call()
        self.clock.now = now

    def wake(self) -> None:
        """Let go on what had no chance to go out before this moment."""
        while self.under_way:
            self.under_way.pop(0)[1]()


@dataclass
class Owner:
    """One owner of a judge, and the calls that it has under way."""

    loop: JudgeLoop
    pool: HeldPool

    @property
    def under_way(self) -> int:
        return len(self.pool.under_way)

    def turn(self) -> bool:
        return self.loop.turn(self.pool)

    def answered(self) -> bool:
        """Everything under way comes back and is stored; more may be sent."""
        self.pool.finish()
        return self.turn()


def owner_of(
    config: JudgeConfig,
    judge: Judge,
    clock: SteppedClock,
    *,
    waiting: Callable[[], Iterable[tuple[JudgingRun, ScoringRun]]] | None = None,
    window: Window = PER_MINUTE,
    on_close: Callable[[], None] = lambda: None,
) -> Owner | None:
    """The judge's owner from now on; None where another process is."""
    rows = JudgeConfig.objects.filter(pk=config.pk)
    token = lease_take(rows, now=clock(), length=lease_time())
    if token is None:
        return None
    config = rows.get()
    loop = JudgeLoop(
        config,
        token,
        waiting=waiting or (lambda: runs_waiting(config)),
        judge_of=lambda _: judge,
        over=lambda: False,
        clock=clock,
        on_close=on_close,
        window=window,
    )
    return Owner(loop, HeldPool(clock))
