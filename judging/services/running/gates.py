"""What every request of a worker must pass: a stop, the lease, the judge's limits, the run's budget."""

import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Self

from judging.judges.windows import PER_MINUTE, Window
from judging.models import JudgeConfig, PauseReason, WorkerLease
from judging.services.running.budget import BudgetReservation, PricesUnknown, require_prices
from judging.services.running.claims import lease_time
from judging.services.running.gatekeeper import Gatekeeper, Pass
from judging.services.running.limits import Allowance
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import run_pause
from llm.attempts import Attempt
from llm.client import USUAL_OUTPUT_TOKENS, GateClosed

POLL_SECONDS = 0.1


class RequestGate:
    """A `llm.client.Gate`, safe to share between threads; it is closed at the end of its `with` block.

    A request passes only while half of the lease is left, at least: a worker that renews it always
    has more, and one that slept, or lost the database, sends nothing for which others may have taken its
    place at the judge. So the judge's concurrency holds for requests shorter than half a lease.
    """

    def __init__(
        self,
        lease: WorkerLease,
        *,
        clock: Callable[[], datetime],
        stopping: threading.Event,
        until: float,
        keeper: Gatekeeper | None,
    ) -> None:
        self._lease = lease
        self._clock = clock
        self._stopping = stopping
        self._until = until
        self._keeper = keeper
        self._spare = lease_time() / 2
        # What the client tells the gate of a reply's length.
        self._output_tokens = (lease.judge and lease.judge.max_output_tokens) or USUAL_OUTPUT_TOKENS
        self._mine = threading.local()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._keeper is not None:
            self._keeper.close()

    def enter(self, *, tokens: int) -> None:
        """Return when a request may be sent. Raises GateClosed, within half a second of its reason."""
        self._require_lease()
        if self._keeper is not None:
            self._passes().append(self._pass(self._keeper, tokens))

    def settle(self, calls: Sequence[Attempt]) -> None:
        """The requests that this thread made since the last time are on record, in this order."""
        if self._keeper is not None:
            passes, self._mine.passes = self._passes(), []
            for given, call in zip(passes, calls, strict=True):
                self._keeper.settle(given, call)

    def _passes(self) -> list[Pass]:
        """What this thread's requests were let through with, those that are not settled."""
        try:
            passes: list[Pass] = self._mine.passes
        except AttributeError:
            passes = self._mine.passes = []
        return passes

    def _pass(self, keeper: Gatekeeper, tokens: int) -> Pass:
        while True:
            ticket = keeper.ask(tokens, tokens - self._output_tokens)
            try:
                while not ticket.served.is_set():
                    self._require_time(keeper)
                    ticket.served.wait(POLL_SECONDS)
                self._require_lease()
            except GateClosed:
                keeper.leave(ticket)
                raise
            if ticket.given is not None and keeper.is_valid(ticket.given):
                return ticket.given
            keeper.leave(ticket)

    def _require_time(self, keeper: Gatekeeper) -> None:
        """Go on waiting only while it is worth it."""
        if keeper.closed or time.monotonic() > self._until:
            raise GateClosed
        self._require_lease()

    def _require_lease(self) -> None:
        while True:
            if self._stopping.is_set():
                raise GateClosed
            left = self._lease.leased_until - self._clock()
            if left >= self._spare:
                return
            if left.total_seconds() <= 0 or time.monotonic() > self._until:
                raise GateClosed
            time.sleep(POLL_SECONDS)


def request_gate(
    lease: WorkerLease,
    *,
    clock: Callable[[], datetime],
    stopping: threading.Event,
    until: float,
    window: Window = PER_MINUTE,
) -> RequestGate:
    """The gate of one lease, for which it waits until `until` on the monotonic clock.

    Without limits per minute and without a budget it never asks the database.
    """
    config, budget = lease.judge, lease.judging_run.budget
    keeper = None
    if config is not None:
        limited = config.requests_per_minute is not None or config.tokens_per_minute is not None
        allowance = Allowance(config, window=window, clock=clock) if limited else None
        reservation = BudgetReservation(lease, config, clock=clock) if budget is not None else None
        if allowance or reservation:
            keeper = Gatekeeper(lease, allowance=allowance, reservation=reservation, until=until, clock=clock)
            keeper.closed = not _is_priced(lease, config, clock)
    return RequestGate(lease, clock=clock, stopping=stopping, until=until, keeper=keeper)


def _is_priced(lease: WorkerLease, config: JudgeConfig, clock: Callable[[], datetime]) -> bool:
    """False, and the run pauses, where its budget cannot be kept: the prices were taken away meanwhile."""
    run = lease.judging_run
    try:
        require_prices(run.budget, [config])
    except PricesUnknown as error:
        detail = str(error)
        retry_on_db_outage(lambda: run_pause(run=run, reason=PauseReason.BUDGET, detail=detail, now=clock()))
        return False
    return True
