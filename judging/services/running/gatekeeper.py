"""Lets a lease's requests through in their order, as the judge's limits and the run's budget allow.

The threads that call the judge have no database connection. What must be asked is asked by one thread of the
gate, about once a second, for all of them; it starts with the first request that has to wait for it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import connection

from judging.models import JudgeGrant, JudgingRun, PauseReason, RunState, WorkerLease
from judging.services.running.budget import BudgetReservation
from judging.services.running.limits import Allowance, LimitTooLow
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import run_pause
from llm.attempts import Attempt

TICK_SECONDS = 0.4
NOTHING_TO_PAY = Decimal(0)


@dataclass(frozen=True, slots=True)
class Pass:
    """What one request was let through with; `worst` is the most it can cost."""

    grant: JudgeGrant | None
    tokens: int
    worst: Decimal


@dataclass(slots=True, eq=False)
class Ticket:
    """A request that waits for its pass."""

    tokens: int
    worst: Decimal
    given: Pass | None = None
    served: threading.Event = field(default_factory=threading.Event)


class Gatekeeper:
    """Safe to share between threads. Without limits or a budget there is none."""

    def __init__(
        self,
        lease: WorkerLease,
        *,
        allowance: Allowance | None,
        reservation: BudgetReservation | None,
        until: float,
        clock: Callable[[], datetime],
    ) -> None:
        self._lease = lease
        self._allowance = allowance
        self._reservation = reservation
        self._until = until
        self._clock = clock
        self._tickets: deque[Ticket] = deque()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._over = False
        self._looked_at = 0.0
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None
        self.closed = False

    def ask(self, tokens: int, prompt_tokens: int) -> Ticket:
        """Get in line for a request. What can go at once is served on return."""
        worst = NOTHING_TO_PAY if self._reservation is None else self._reservation.worst(prompt_tokens)
        if self._allowance is not None:
            tokens = self._allowance.tokens(tokens)
        ticket = Ticket(tokens, worst)
        with self._lock:
            if not self._tickets and self._serve(ticket):
                return ticket
            self._tickets.append(ticket)
            self._start()
        self._wake.set()
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """The request is not sent, whether it was served or not."""
        with self._lock:
            if ticket.given is not None:
                self._take_back(ticket.given)
            else:
                self._tickets.remove(ticket)

    def is_valid(self, given: Pass) -> bool:
        """Whether the request may still be sent: a worker may have slept since."""
        return given.grant is None or self._allowance is None or self._allowance.is_valid(given.grant)

    def settle(self, given: Pass, call: Attempt) -> None:
        """The request was made and is on record."""
        with self._lock:
            if self._reservation is not None:
                self._reservation.settle(given.worst, call)
            if self._allowance is not None and given.grant is not None:
                self._allowance.settle(given.grant, given.tokens, call)

    def close(self) -> None:
        """Give back what was not used. Raises what ended the gate's thread."""
        self._over = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        if self._reservation is not None:
            # Requests that were made and could not be stored stay paid for.
            self._lease.reserved = self._reservation.under_way
        if self._error is not None:
            raise self._error

    def _serve(self, ticket: Ticket) -> bool:
        if self._reservation is not None and not self._reservation.covers(ticket.worst):
            return False
        grant = None
        if self._allowance is not None:
            grant = self._allowance.take(ticket.tokens)
            if grant is None:
                return False
        if self._reservation is not None:
            self._reservation.take(ticket.worst)
        ticket.given = Pass(grant, ticket.tokens, ticket.worst)
        ticket.served.set()
        return True

    def _take_back(self, given: Pass) -> None:
        if self._reservation is not None:
            self._reservation.take_back(given.worst)
        if self._allowance is not None and given.grant is not None:
            self._allowance.take_back(given.grant, given.tokens)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep, name="gatekeeper")
            self._thread.start()

    def _keep(self) -> None:
        try:
            while not self._over:
                self._wake.wait(self._look())
                self._wake.clear()
            if self._allowance is not None:
                self._allowance.close()
        except Exception as error:  # noqa: BLE001  # the edge of the thread: the gate raises it at its end
            self._error = error
            self.closed = True
        finally:
            connection.close()

    def _look(self) -> float:
        """Do what can be done for those who wait; how long until it is worth looking again."""
        with self._lock:
            waiting = list(self._tickets)
        if self._allowance is not None:
            self._allowance.correct_if_due()
        if not waiting or self.closed or not self._run_goes_on():
            return TICK_SECONDS
        self._reserve_budget(waiting)
        self._queue_for_grant(waiting)
        return self._hand_out()

    def _run_goes_on(self) -> bool:
        if time.monotonic() - self._looked_at > TICK_SECONDS:
            self._looked_at = time.monotonic()
            runs = JudgingRun.objects.filter(pk=self._lease.judging_run_id, state=RunState.RUNNING)
            self.closed = not retry_on_db_outage(runs.exists)
        return not self.closed

    def _reserve_budget(self, waiting: Sequence[Ticket]) -> None:
        reservation, worst = self._reservation, waiting[0].worst
        if reservation is None:
            return
        with self._lock:
            if reservation.covers(worst):
                return
            under_way = reservation.begin()
        status = reservation.ask([ticket.worst for ticket in waiting], under_way)
        with self._lock:
            reservation.end(status)
            why = reservation.why_exhausted(status, worst, under_way)
        if why is not None:
            self._pause(PauseReason.BUDGET, why)

    def _queue_for_grant(self, waiting: Sequence[Ticket]) -> None:
        if self._allowance is None or self.closed:
            return
        with self._lock:
            if self._allowance.has(waiting[0].tokens) or (
                self._reservation is not None and not self._reservation.covers(waiting[0].worst)
            ):
                return
            pace = self._allowance.pace()
        try:
            self._allowance.refill([ticket.tokens for ticket in waiting], pace, self._latest)
        except LimitTooLow as error:
            self._pause(PauseReason.UNUSABLE, str(error))

    def _hand_out(self) -> float:
        with self._lock:
            waiting = len(self._tickets)
            while True:
                while self._tickets and self._serve(self._tickets[0]):
                    self._tickets.popleft()
                if not self._tickets or not self._advance(self._tickets[0]):
                    break
            ahead = None if self._allowance is None else self._allowance.seconds_ahead()
            is_short = 0 < len(self._tickets) < waiting
        if ahead is None:
            return 0.0 if is_short else TICK_SECONDS
        return min(TICK_SECONDS, ahead)

    def _advance(self, first: Ticket) -> bool:
        allowance = self._allowance
        return allowance is not None and not allowance.has(first.tokens) and allowance.advance()

    def _latest(self, now: datetime) -> datetime:
        """Grants are queued for only while the lease lasts."""
        return now + timedelta(seconds=max(0.0, self._until - time.monotonic()))

    def _pause(self, reason: PauseReason, detail: str) -> None:
        run = self._lease.judging_run
        retry_on_db_outage(lambda: run_pause(run=run, reason=reason, detail=detail, now=self._clock()))
        self.closed = True
