"""The loop of the one process that asks a judge: renew, store, claim, send.

The database, the limits and every decision are in this thread; the others make one request each and know
nothing else. So things happen in an order, and a virtual clock can step it.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from queue import SimpleQueue
from uuid import UUID, uuid4

from django.db import InterfaceError, OperationalError
from django.db.models import Min

from jobs.leases import lease_release, lease_renew
from judging.judges.interface import Judge, JudgeResult
from judging.models import JudgeConfig, JudgingRun, PauseReason, ScoringRun
from judging.services.running.breaker import lost_by_all, why_failing
from judging.services.running.budget import PricesUnknown
from judging.services.running.claim import (
    SEND_WITHIN,
    BudgetExhausted,
    Call,
    CallReader,
    LostTooOften,
    calls_claim,
    calls_unclaim,
    lease_time,
    sent_by,
)
from judging.services.running.counting import calls_expire
from judging.services.running.deciding import rows_open
from judging.services.running.endpoint import Endpoint
from judging.services.running.limits import (
    PER_MINUTE,
    LimitTooLow,
    Window,
    why_too_low,
)
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import error_in_words, run_pause
from judging.services.running.store import Done, results_store
from llm.requests import OK

logger = logging.getLogger(__name__)
TICK_SECONDS = 0.03
# Stored and sent together, so that the judge is never without work while all that it said is stored.
BATCH = 32
# How often the database is asked what there is to do while it says that there is nothing.
LOOK = timedelta(seconds=0.25)
# How often the runs that wait, the judge's settings and the calls of the owner before are looked up.
REFRESH = timedelta(seconds=1)
# What comes back so soon is waited for; the beat tells of what comes later.
STAY = timedelta(seconds=3)
# A judge that is to be left alone for longer is given back: the next owner begins when its time has come.
HOLD = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Ended:
    """A call to make, and once a thread is done with it its result or the program's error; neither if it was
    not sent.

    `config` is the judge as it was when the call was claimed: its prices are the call's.
    """

    call: Call
    claim: UUID
    config: JudgeConfig
    sent_at: datetime
    result: JudgeResult | None = None
    error: Exception | None = None


class JudgeLoop:
    """One owner's work.

    `waiting` tells the runs that wait for the judge, `judge_of` makes the judge that asks in the words of a
    run's study, `over` says when to send nothing more. `on_progress` hears how many calls were stored,
    `on_close` that nothing more is sent.
    """

    def __init__(
        self,
        config: JudgeConfig,
        owner: UUID,
        *,
        waiting: Callable[[], Iterable[tuple[JudgingRun, ScoringRun]]],
        judge_of: Callable[[ScoringRun], Judge],
        over: Callable[[], bool],
        clock: Callable[[], datetime],
        on_progress: Callable[[int], None] = lambda calls: None,
        on_close: Callable[[], None] = lambda: None,
        window: Window = PER_MINUTE,
    ) -> None:
        self.stored = 0
        self._endpoint = Endpoint(config, clock=clock, window=window)
        self.limits = self._endpoint.limits
        self._owner = owner
        self._waiting = waiting
        self._judge_of = judge_of
        self._over = over
        self._clock = clock
        self._on_progress = on_progress
        self._on_close = on_close
        self._closed = False
        self._readers: dict[object, CallReader] = {}
        self._under_way: dict[UUID, Call] = {}
        # Whoever takes a call out of it, a thread or the loop, does with it what is to be done.
        self._to_send: dict[UUID, Ended] = {}
        self._ended: SimpleQueue[Ended] = SimpleQueue()
        # The first turn renews before it sends.
        self._now = self._renew_at = self._refresh_at = self._look_at = self._leased_until = clock()
        # Whose turn it is to send first.
        self._first: object = None
        self._endpoint.take_over()

    def work(self, pool: Executor) -> None:
        """Until nothing is left to ask or it is over; what is under way then is waited for and stored."""
        try:
            while self.turn(pool):
                if self._ended.empty():
                    time.sleep(TICK_SECONDS)
        finally:
            try:
                self.close()
            finally:
                while self._under_way:
                    time.sleep(TICK_SECONDS)
                    self.store()

    def turn(self, pool: Executor) -> bool:
        """Do what can be done now without waiting; False where nothing is left to do."""
        now = self._clock()
        if now < self._now:  # the clock was set back
            self._renew_at = self._refresh_at = self._look_at = now
        self._now = now
        if now >= self._renew_at:  # before anything that may take long
            self._renew_at = now + lease_time() / 6
            self._renew(now)
        self.store()
        if self._closed or self._over():
            self.close()
            return bool(self._under_way)
        self._refresh(now)  # also while there is no room: it may be there, or no run wait, after that
        if self.limits.held_until is not None and self.limits.held_until > now + HOLD:
            return bool(self._under_way)  # the endpoint is to be left alone for long
        may_send = not self._closed and now >= self._look_at
        if may_send and (self.limits.room(now) or not self._readers) and not self._send(pool):
            self._look_at = now + LOOK
            return bool(self._under_way) or self._comes_soon(now)
        return bool(self._under_way) or not self._closed

    def close(self) -> None:
        """Send nothing more, and let the next owner begin at once: it counts what is under way here."""
        if not self._closed:
            self._closed = True
            self._on_close()
            self._endpoint.pace_note(self._owner)
            retry_on_db_outage(lambda: lease_release(self._endpoint.row, self._owner))

    def store(self) -> None:
        """Put what came back on record."""
        ended: list[Ended] = []
        while len(ended) < BATCH and not self._ended.empty():
            ended.append(self._ended.get())
        if not ended:
            return
        done = [
            Done(each.call, each.claim, each.config, each.sent_at, each.result.attempt, each.result)
            for each in ended
            if each.result is not None and each.result.attempt is not None
        ]
        try:
            stored = self._results_store(done)
        except BaseException:
            for each in ended:  # to be stored by whoever tries again: to store twice changes nothing
                self._ended.put(each)
            raise
        for each in ended:
            del self._under_way[each.call.uid]
            was_sent = each.result is not None or each.error is not None
            self._endpoint.settle(each.call.uid, each.result, was_sent=was_sent)
        if self.limits.held_until != self._endpoint.config.held_until:
            self._endpoint.pace_note(self._owner)
        for each in ended:
            self._forget(each)
        self._endpoint.learn((each.config, each.attempt.schema_use) for each in stored)
        failed = {each.call.judging_run_id: each.call for each in stored if each.attempt.outcome != OK}
        for call in failed.values():
            self._pause_if_failing(call)
        self.stored += len(stored)
        if stored:
            self._on_progress(len(stored))

    def _results_store(self, done: Sequence[Done]) -> Sequence[Done]:
        """Store these results, and return those that are; one that cannot be stored takes no other along."""
        if not done:
            return done
        try:
            retry_on_db_outage(lambda: results_store(done, now=self._clock()))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001  # of one run: no other waits for it
            if len(done) > 1:
                return [stored for each in done for stored in self._results_store([each])]
            # Its record stays as it was sent: it counts as lost in time.
            self._fail(done[0].call, error)
            return []
        return done

    def _forget(self, ended: Ended) -> None:
        """What a call without a result leaves behind."""
        if ended.error is not None:
            self._fail(ended.call, ended.error)
        elif ended.result is None:
            now = self._clock()
            retry_on_db_outage(lambda: calls_unclaim([ended.call], claim=ended.claim, now=now))

    def _fail(self, call: Call, error: Exception) -> None:
        """An error of the program: the call's run pauses."""
        run = retry_on_db_outage(JudgingRun.objects.filter(pk=call.judging_run_id).first)
        if run is not None:
            self._stop(run, error)

    def _renew(self, now: datetime) -> None:
        if self._closed:
            return
        if retry_on_db_outage(
            lambda: lease_renew(self._endpoint.row, self._owner, now=now, length=lease_time())
        ):
            self._leased_until = now + lease_time()
        else:
            self.close()  # the judge is somebody else's

    def _refresh(self, now: datetime) -> None:
        if now < self._refresh_at:
            return
        self._refresh_at = now + REFRESH
        if self._endpoint.read_again():
            self.close()
        self._endpoint.limits_set()
        while not self._ended.empty():  # what came back is not lost, however long this process was asleep
            self.store()
        retry_on_db_outage(lambda: calls_expire(now))
        if self.limits.elsewhere:
            self._endpoint.elsewhere_count(now, own=self._under_way)
        readers, self._readers = self._readers, {}
        for judging_run, run in retry_on_db_outage(lambda: list(self._waiting())):
            key = (judging_run.pk, judging_run.resumed_at, run.pk)
            reader = readers.get(key) or self._reader(judging_run, run)
            if reader is not None:
                self._readers[key] = reader

    def _reader(self, judging_run: JudgingRun, run: ScoringRun) -> CallReader | None:
        """What reads the calls of these scores; None where they cannot be asked about: the run pauses."""
        apart = timedelta(seconds=self._endpoint.config.timeout_seconds)
        try:
            if retry_on_db_outage(lambda: lost_by_all(judging_run, run, apart=apart)):
                raise LostTooOften
            return CallReader(judging_run, run, self._judge_of(run))
        except Exception as error:  # noqa: BLE001  # of this run: no other waits for it
            self._stop(judging_run, error)
            return None

    def _comes_soon(self, now: datetime) -> bool:
        """Whether rows that failed are to be asked about again in a moment."""
        nearest = [
            retry_on_db_outage(partial(rows.aggregate, at=Min("available_at")))["at"]
            for reader in self._readers.values()
            for rows in [rows_open(reader.judging_run.pk, reader.run.pk)]
        ]
        return any(at is not None and at <= now + STAY for at in nearest)

    def _send(self, pool: Executor) -> int:
        """Send what there is room for, of each run its part; each turn begins with another run.

        A run whose next request has no room yet is not overtaken by smaller ones of others.
        """
        keys, sent = list(self._readers), 0
        first = keys.index(self._first) if self._first in self._readers else 0
        for place, key in enumerate(keys[first:] + keys[:first]):
            self._first = key
            room = min(self.limits.room(self._clock()), BATCH - sent)
            if room <= 0:
                break
            calls, refused = self._send_of(self._readers[key], -(-room // (len(keys) - place)), pool)
            sent += calls
            if refused:
                break
        else:
            self._first = keys[(first + 1) % len(keys)] if keys else None
        return sent

    def _send_of(self, reader: CallReader, limit: int, pool: Executor) -> tuple[int, bool]:
        """Send up to `limit` calls of one run; return how many, and whether one of them has no room yet. A
        run that cannot go on pauses.
        """
        try:
            calls = retry_on_db_outage(lambda: reader.calls(limit, self._clock()))
            return self._claim_and_send(reader.judge, calls, pool)
        except Exception as error:  # noqa: BLE001  # of this run: no other waits for it
            self._stop(reader.judging_run, error)
        return 0, False

    def _stop(self, judging_run: JudgingRun, error: Exception) -> None:
        """Pause a run that cannot go on. Raises where the database was away for too long."""
        if isinstance(error, (OperationalError, InterfaceError)):
            raise error  # the next owner goes on
        if isinstance(error, (BudgetExhausted, PricesUnknown)):
            self._pause(judging_run, PauseReason.BUDGET, str(error))
        elif isinstance(error, LimitTooLow):
            sentence = why_too_low(self._endpoint.config.slug, self.limits, error.tokens)
            self._pause(judging_run, PauseReason.UNUSABLE, sentence)
        elif isinstance(error, LostTooOften):
            self._pause(judging_run, PauseReason.ERROR, str(error))
        else:
            logger.error("the judging of a run failed", exc_info=error, extra={"run": judging_run.pk})
            self._pause(judging_run, PauseReason.ERROR, error_in_words(error))

    def _claim_and_send(self, judge: Judge, calls: Sequence[Call], pool: Executor) -> tuple[int, bool]:
        now, config = self._clock(), self._endpoint.config
        claim, admitted, claimed = uuid4(), list[Call](), list[Call]()
        try:
            for call in calls:
                if not self.limits.admit(call.uid, call.limit_tokens(config), now):
                    break
                admitted.append(call)
            if admitted:
                claimed = retry_on_db_outage(
                    lambda: calls_claim(admitted, claim=claim, config=config, owner=self._owner, now=now)
                )
        finally:
            sent = {call.uid for call in claimed}
            for call in admitted:
                if call.uid not in sent:
                    self.limits.withdraw(call.uid)
        sent_at = self._clock()
        for call in claimed:
            self._under_way[call.uid] = call
            self.limits.send(call.uid, sent_at)
            how = replace(call.how, plain=call.how.plain or self._endpoint.plain)
            self._to_send[call.uid] = Ended(replace(call, how=how), claim, config, sent_at)
            try:
                if sent_at + SEND_WITHIN <= sent_by(now) and sent_at < self._leased_until:
                    pool.submit(self._make, judge, call.uid)
                    continue
                why = "its time, or the judge's lease, would be over"
            except RuntimeError as error:  # no thread can be started: another may have taken it
                why = str(error)
            logger.warning("a request is not sent", extra={"why": why})
            self._look_at = sent_at + REFRESH
            if (unsent := self._to_send.pop(call.uid, None)) is not None:
                self._ended.put(unsent)
        return len(claimed), len(admitted) < len(calls)

    def _make(self, judge: Judge, uid: UUID) -> None:
        """In a thread of its own: one request, no database."""
        ended = self._to_send.pop(uid, None)
        if ended is None:
            return
        call = ended.call
        try:
            if self._clock() <= ended.sent_at + SEND_WITHIN:
                ended = replace(ended, result=judge.ask(call.task, call.positions, call.how))
        except Exception as error:  # noqa: BLE001  # the edge of the thread: the loop tells of it
            ended = replace(ended, error=error)
        self._ended.put(ended)

    def _pause_if_failing(self, call: Call) -> None:
        run = retry_on_db_outage(lambda: JudgingRun.objects.get(pk=call.judging_run_id))
        why = retry_on_db_outage(lambda: why_failing(run, call.run, self._clock()))
        if why is not None:
            self._pause(run, PauseReason.JUDGE_FAILING, why)

    def _pause(self, run: JudgingRun, reason: PauseReason, detail: str) -> None:
        retry_on_db_outage(lambda: run_pause(run=run, reason=reason, detail=detail, now=self._clock()))
        self._refresh_at = self._clock()
