"""One worker's lease of a run: claim calls, make them at the same time, store each as it comes."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import InterfaceError, OperationalError

from judging.judges.interface import CallStopped, Judge, JudgeResult
from judging.judges.windows import PER_MINUTE, Window
from judging.models import JudgingRun, PauseReason, ScoringRun, WorkerLease
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.running.breaker import why_failing
from judging.services.running.claims import ClaimedCall, Claims, lease_begin, lease_end, lease_renew
from judging.services.running.gates import RequestGate, request_gate
from judging.services.running.judge_specs import spec_of, working_judge
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import run_pause
from judging.services.running.storing import calls_store, late_calls_settle, result_store, results_store
from judging.services.running.threads import CallThreads, StoringConnections
from llm.attempts import Attempt

LOCAL_CALLS_AT_ONCE = 200
CHECK_SECONDS = 0.05
AHEAD_SECONDS = 0.5

Clock = Callable[[], datetime]
ProgressCallback = Callable[[int], None]


@dataclass(frozen=True)
class LeaseResult:
    """How many calls a lease made; `idle`: it found nothing to do, or no room at the judge."""

    calls: int
    idle: bool


def lease_work(
    *,
    judging_run: JudgingRun,
    run: ScoringRun,
    seconds: float,
    stopping: threading.Event,
    clock: Clock,
    wanted: int,
    on_progress: ProgressCallback = lambda calls: None,
    window: Window = PER_MINUTE,
) -> LeaseResult:
    """Work on one judge of a run for about `seconds`, or until nothing can be claimed or `stopping` is set.

    What is under way then is finished and stored. `on_progress` hears how many were decided, now and then.
    """
    lease = retry_on_db_outage(
        lambda: lease_begin(judging_run=judging_run, run=run, wanted=wanted, now=clock())
    )
    if lease is None:
        return LeaseResult(0, idle=True)
    lease.run, lease.judge = run, run.config
    until = time.monotonic() + seconds
    try:
        with (
            request_gate(lease, clock=clock, stopping=stopping, until=until, window=window) as gate,
            working_judge(run.study, spec_of(run), gate=gate, clock=clock) as judge,
        ):
            work = WorkerLoop(
                lease, judge, gate, until=until, stopping=stopping, clock=clock, on_progress=on_progress
            )
            calls = work.by_threads() if run.config else work.at_once()
    except JudgeNotConfigured as error:
        run_pause(run=judging_run, reason=PauseReason.UNUSABLE, detail=str(error), now=clock())
        calls = 0
    except (OperationalError, InterfaceError):
        raise  # the database is away for longer than we wait for it; the next lease goes on
    except Exception as error:
        # What fails here once would fail again and again, each time with calls that cost money.
        # Without the data that an error's message may quote.
        detail = f"{type(error).__name__}; the trace is in the log of the worker. Nothing judged is lost."
        run_pause(run=judging_run, reason=PauseReason.ERROR, detail=detail, now=clock())
        raise
    finally:
        retry_on_db_outage(lambda: lease_end(lease, now=clock()))
    return LeaseResult(calls, idle=calls == 0)


class WorkerLoop:
    """The loop of one lease."""

    def __init__(
        self,
        lease: WorkerLease,
        judge: Judge,
        gate: RequestGate,
        *,
        until: float,
        stopping: threading.Event,
        clock: Clock,
        on_progress: ProgressCallback,
    ) -> None:
        self._lease = lease
        self._judge = judge
        self._gate = gate
        self._until = until
        self._stopping = stopping
        self._clock = clock
        self._on_progress = on_progress
        self._claims = Claims(lease, judge)
        self._decided = 0
        self._reported = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._storing = StoringConnections()
        self._calling = CallThreads(lease.slots, self._ask, closed=self._closed)
        self._started = time.monotonic()
        self._renew_at = self._started + settings.JUDGING_LEASE_SECONDS / 3

    def at_once(self) -> int:
        """For judges that compute: no threads, and many verdicts in one transaction."""
        done = 0
        while self._goes_on() and (calls := self._more(LOCAL_CALLS_AT_ONCE)):
            results = [(call, self._judge.ask(call.task, call.positions)) for call in calls]
            results_store(self._lease, results, now=self._clock())
            done += len(calls)
            self._on_progress(len(calls))
            self._renew_if_due()
        return done

    def by_threads(self) -> int:
        """For judges that are asked over the network."""
        self._calling.start()
        try:
            self._feed()
        finally:
            self._calling.end()
            try:
                self._wait_for_threads()
            finally:
                # A renewal that failed for good must not leave threads, nor lose what they still bring.
                self._calling.join()
                self._storing.close()
        if self._calling.error is not None:
            raise self._calling.error
        return self._decided

    def _feed(self) -> None:
        """Keep calls waiting for the threads until nothing is left to claim."""
        while self._goes_on():
            ahead, waiting = self._ahead(), self._calling.waiting
            if waiting <= ahead // 2:
                calls = self._more(2 * ahead - waiting)
                self._calling.add(calls)
                if not calls and self._calling.waiting == 0:
                    return
            self._calling.wait_for_room(CHECK_SECONDS)
            self._report()
            self._renew_if_due()

    def _ahead(self) -> int:
        """How many calls to have ready: those of the next half second, and one for each thread at least.

        More would wait here while other workers have nothing to do.
        """
        elapsed = time.monotonic() - self._started
        return max(self._lease.slots, round(AHEAD_SECONDS * self._decided / max(elapsed, AHEAD_SECONDS)))

    def _ask(self, call: ClaimedCall) -> None:
        try:
            result = self._judge.ask(call.task, call.positions)
        except CallStopped as stop:
            self._closed.set()
            self._storing.do(partial(self._store_calls, call, stop.calls))
            self._gate.settle(stop.calls)
        else:
            self._storing.do(partial(self._store, call, result))
            self._gate.settle(result.calls)

    def _store(self, call: ClaimedCall, result: JudgeResult) -> None:
        retry_on_db_outage(lambda: result_store(self._lease, call, result, now=self._clock()))
        with self._lock:
            self._decided += 1
        if any(verdict.reason for verdict in result.verdicts):
            self._pause_if_failing()

    def _store_calls(self, call: ClaimedCall, calls: Sequence[Attempt]) -> None:
        retry_on_db_outage(lambda: calls_store(self._lease, call, calls, now=self._clock()))
        retry_on_db_outage(lambda: late_calls_settle(self._lease, call))

    def _pause_if_failing(self) -> None:
        why = retry_on_db_outage(lambda: why_failing(self._lease.judging_run, self._lease.run))
        if why is not None:
            retry_on_db_outage(
                lambda: run_pause(
                    run=self._lease.judging_run,
                    reason=PauseReason.JUDGE_FAILING,
                    detail=why,
                    now=self._clock(),
                )
            )
            self._closed.set()

    def _more(self, limit: int) -> list[ClaimedCall]:
        return retry_on_db_outage(lambda: self._claims.more(limit, now=self._clock()))

    def _goes_on(self) -> bool:
        return time.monotonic() < self._until and not self._stopping.is_set() and not self._closed.is_set()

    def _renew_if_due(self) -> None:
        if time.monotonic() < self._renew_at:
            return
        self._renew_at = time.monotonic() + settings.JUDGING_LEASE_SECONDS / 3
        if not retry_on_db_outage(lambda: lease_renew(self._lease, clock=self._clock)):
            self._closed.set()

    def _wait_for_threads(self) -> None:
        """Let the calls under way come home, and keep the lease meanwhile."""
        while self._calling.are_alive(CHECK_SECONDS):
            self._report()
            self._renew_if_due()
        self._report()

    def _report(self) -> None:
        with self._lock:
            new, self._reported = self._decided - self._reported, self._decided
        if new:
            self._on_progress(new)
