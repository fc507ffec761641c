"""The loop of the one process that asks a judge: renew, store, claim, send.

The database, the limits and every decision are in this thread; the others make one request each and know
nothing else. So things happen in an order, and a virtual clock can step it.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from uuid import UUID, uuid4

from django.db import InterfaceError, OperationalError
from django.db.models import Min

from jobs.leases import lease_release, lease_renew
from judging.judges.interface import Judge, JudgeResult
from judging.models import JudgeCall, JudgeConfig, JudgingRun, PauseReason, ScoringRun
from judging.services.running.breaker import why_failing
from judging.services.running.budget import PricesUnknown
from judging.services.running.claim import (
    BudgetExhausted,
    Call,
    CallReader,
    LostTooOften,
    calls_claim,
    calls_unclaim,
    lease_time,
    rows_open,
)
from judging.services.running.limits import PER_MINUTE, Limits, LimitTooLow, Window, why_too_low
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import error_in_words, run_pause
from judging.services.running.store import Done, results_store
from llm.client import USUAL_OUTPUT_TOKENS
from llm.requests import OK, SchemaUse

TICK_SECONDS = 0.03
# Stored and sent together, so that the judge is never without work while all that it said is stored.
BATCH = 32
# How often the database is asked what there is to do while it says that there is nothing.
LOOK = timedelta(seconds=0.25)
# How often the runs that wait, the judge's settings and the calls of the owner before are looked up.
REFRESH = timedelta(seconds=1)
# What comes back so soon is waited for; the beat tells of what comes later.
STAY = timedelta(seconds=3)
# A request goes out so soon after its claim, or not at all: the machine may have slept in between.
SEND_WITHIN = timedelta(seconds=2)
# After so many replies in a row that were prose at first, the form is described in words at once.
SLIPS = 2
# What a client is made of: where it changes, the next owner makes another.
OF_CLIENT = ("base_url", "key_variable", "timeout_seconds", "max_output_tokens")
CALLS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that a thread is done with: its result, the program's error, or neither if it was not sent."""

    call: Call
    claim: UUID
    sent_at: datetime
    result: JudgeResult | None = None
    error: Exception | None = None


class JudgeLoop:
    """One owner's work.

    `waiting` tells the runs that wait for the judge, `judge_of` makes the judge that asks in the words of a
    run's study, `over` says when to send nothing more. `on_progress` hears how many calls were stored.
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
        window: Window = PER_MINUTE,
    ) -> None:
        self.stored = 0
        self.limits = Limits(window=window)
        self._config = config
        self._owner = owner
        self._waiting = waiting
        self._judge_of = judge_of
        self._over = over
        self._clock = clock
        self._on_progress = on_progress
        self._judge_row = JudgeConfig.objects.filter(pk=config.pk)
        self._plain = config.plain_json_at is not None
        self._slips = 0
        self._closed = False
        self._error: Exception | None = None
        self._readers: dict[object, CallReader] = {}
        self._under_way: dict[UUID, Call] = {}
        self._ended: SimpleQueue[Ended] = SimpleQueue()
        self._renew_at = self._refresh_at = self._look_at = clock()
        self._turn = 0
        self._take_over()

    def work(self, pool: Executor) -> None:
        """Until nothing is left to ask or it is over; what is under way then is waited for and stored.

        Raises what went wrong in the program, after that.
        """
        try:
            while self.turn(pool):
                if self._ended.empty():
                    time.sleep(TICK_SECONDS)
        finally:
            self.close()
            while self._under_way:
                time.sleep(TICK_SECONDS)
                self.store()
        if self._error is not None:
            raise self._error

    def turn(self, pool: Executor) -> bool:
        """Do what can be done now without waiting; False where nothing is left to do."""
        self._turn += 1
        now = self._clock()
        if now >= self._renew_at:  # before anything that may take long
            self._renew_at = now + lease_time() / 6
            self._renew(now)
        self.store()
        if self._closed or self._over():
            self.close()
        else:
            self._refresh(now)  # also while there is no room: it may be there, or no run wait, after that
            may_send = not self._closed and now >= self._look_at
            if may_send and (self.limits.room(now) or not self._readers) and not self._send(pool):
                self._look_at = now + LOOK
                return bool(self._under_way) or self._comes_soon(now)
        return bool(self._under_way) or not self._closed

    def close(self) -> None:
        """Send nothing more, and let the next owner begin at once: it counts what is under way here."""
        if not self._closed:
            self._closed = True
            retry_on_db_outage(lambda: lease_release(self._judge_row, self._owner))

    def store(self) -> None:
        """Put what came back on record."""
        ended: list[Ended] = []
        try:
            while len(ended) < BATCH:
                ended.append(self._ended.get_nowait())
        except Empty:
            pass
        if not ended:
            return
        done = [
            Done(each.call, each.claim, each.sent_at, each.result.attempt, each.result)
            for each in ended
            if each.result is not None and each.result.attempt is not None
        ]
        try:
            if done:
                retry_on_db_outage(lambda: results_store(done, config=self._config, now=self._clock()))
        except BaseException:
            for each in ended:  # to be stored by whoever tries again: to store twice changes nothing
                self._ended.put(each)
            raise
        for each in ended:
            self._forget(each)
        self._learn(done)
        failed = {each.call.judging_run_id: each.call for each in done if each.attempt.outcome != OK}
        for call in failed.values():
            self._pause_if_failing(call)
        self.stored += len(done)
        if done:
            self._on_progress(len(done))

    def _take_over(self) -> None:
        """Count what was sent before: against the limits, and as long as it is under way at the endpoint."""
        self._limits_set()
        now, calls = self._clock(), JudgeCall.everything.filter(run__config=self._config)
        self.limits.elsewhere = calls.filter(due_at__gt=now).count()
        # Calls come on record in the order in which they are sent.
        newest = calls.order_by("-pk").values_list("called_at", "prompt_tokens", "completion_tokens")
        recent: list[tuple[datetime, int]] = []
        for sent_at, prompt, completion in newest.iterator(CALLS_AT_ONCE):
            if sent_at <= now - self.limits.span:
                break
            recent.append((sent_at, (prompt or 0) + (completion or 0)))
        # Of whose tokens the endpoint said nothing, as many are taken as of the largest.
        most = max((tokens for _, tokens in recent), default=0) or USUAL_OUTPUT_TOKENS
        for sent_at, tokens in sorted(recent):
            self.limits.note(sent_at, tokens or most)

    def _limits_set(self) -> None:
        config, limits = self._config, self.limits
        limits.concurrency = config.concurrency
        limits.requests, limits.tokens = config.requests_per_minute, config.tokens_per_minute

    def _renew(self, now: datetime) -> None:
        if not self._closed and not retry_on_db_outage(
            lambda: lease_renew(self._judge_row, self._owner, now=now, length=lease_time())
        ):
            self._closed = True  # the judge is somebody else's

    def _refresh(self, now: datetime) -> None:
        if now < self._refresh_at:
            return
        self._refresh_at = now + REFRESH
        before = [getattr(self._config, name) for name in OF_CLIENT]
        self._config = retry_on_db_outage(self._judge_row.get)
        if before != [getattr(self._config, name) for name in OF_CLIENT]:
            self.close()
        self._limits_set()
        if self.limits.elsewhere:
            calls = JudgeCall.everything.filter(run__config=self._config, due_at__gt=now)
            self.limits.elsewhere = calls.exclude(uid__in=list(self._under_way)).count()
        readers = self._readers
        self._readers = {}
        for judging_run, run in retry_on_db_outage(lambda: list(self._waiting())):
            key = (judging_run.pk, judging_run.resumed_at, run.pk)
            self._readers[key] = readers.get(key) or CallReader(judging_run, run, self._judge_of(run))

    def _comes_soon(self, now: datetime) -> bool:
        """Whether rows that failed are to be asked about again in a moment."""
        nearest = [
            rows_open(reader.judging_run.pk, reader.run.pk).aggregate(at=Min("available_at"))["at"]
            for reader in self._readers.values()
        ]
        return any(at is not None and at <= now + STAY for at in nearest)

    def _send(self, pool: Executor) -> int:
        """Send what there is room for, of each run its part; each turn begins with another run."""
        readers, sent = list(self._readers.values()), 0
        first = self._turn % len(readers) if readers else 0
        for place, reader in enumerate(readers[first:] + readers[:first]):
            room = min(self.limits.room(self._clock()), BATCH - sent)
            if room > 0:
                sent += self._send_of(reader, -(-room // (len(readers) - place)), pool)
        return sent

    def _send_of(self, reader: CallReader, limit: int, pool: Executor) -> int:
        """Send up to `limit` calls of one run; a run that cannot go on pauses."""
        try:
            calls = retry_on_db_outage(lambda: reader.calls(limit, self._clock()))
            return self._claim_and_send(reader.judge, calls, pool) if calls else 0
        except (BudgetExhausted, PricesUnknown) as error:
            self._pause(reader.judging_run, PauseReason.BUDGET, str(error))
        except LimitTooLow as error:
            sentence = why_too_low(self._config.slug, self.limits, error.tokens)
            self._pause(reader.judging_run, PauseReason.UNUSABLE, sentence)
        except LostTooOften as error:
            self._pause(reader.judging_run, PauseReason.ERROR, str(error))
        except (OperationalError, InterfaceError):
            raise  # the database is away for longer than we wait for it; the next owner goes on
        except Exception as error:  # noqa: BLE001  # of this run; the loop raises it at its end
            self._error = error
            self._pause(reader.judging_run, PauseReason.ERROR, error_in_words(error))
        return 0

    def _claim_and_send(self, judge: Judge, calls: Sequence[Call], pool: Executor) -> int:
        now, config = self._clock(), self._config
        admitted = []
        for call in calls:
            if not self.limits.admit(call.uid, call.limit_tokens(config), now):
                break
            admitted.append(call)
        if not admitted:
            return 0
        claim, claimed = uuid4(), list[Call]()
        try:
            claimed = retry_on_db_outage(
                lambda: calls_claim(admitted, claim=claim, config=config, owner=self._owner, now=now)
            )
        finally:
            for call in admitted:
                if call not in claimed:
                    self.limits.withdraw(call.uid)
        for call in claimed:
            self._under_way[call.uid] = call
            how = replace(call.how, plain=call.how.plain or self._plain)
            pool.submit(self._make, judge, replace(call, how=how), claim, now)
        return len(claimed)

    def _make(self, judge: Judge, call: Call, claim: UUID, sent_at: datetime) -> None:
        """In a thread of its own: one request, no database."""
        ended = Ended(call, claim, sent_at)
        try:
            if self._clock() <= sent_at + SEND_WITHIN:
                ended = replace(ended, result=judge.ask(call.task, call.positions, call.how))
        except Exception as error:  # noqa: BLE001  # the edge of the thread: the loop raises it
            ended = replace(ended, error=error)
        self._ended.put(ended)

    def _forget(self, ended: Ended) -> None:
        """It is no longer under way here."""
        uid = ended.call.uid
        del self._under_way[uid]
        if ended.error is not None:
            self._error = ended.error
            run = JudgingRun.objects.get(pk=ended.call.judging_run_id)
            self._pause(run, PauseReason.ERROR, error_in_words(ended.error))
            self.limits.settle(uid, None)
        elif ended.result is None:
            now = self._clock()
            retry_on_db_outage(lambda: calls_unclaim([ended.call], claim=ended.claim, now=now))
            self.limits.withdraw(uid)
        else:
            self.limits.settle(uid, ended.result.attempt.tokens if ended.result.attempt else None)

    def _learn(self, done: Sequence[Done]) -> None:
        """Whether the endpoint takes schemas, and holds models to them: no later owner needs to find out."""
        for each in done:
            use = each.attempt.schema_use
            if use is SchemaUse.HELD:
                self._slips = 0
            self._slips += use is SchemaUse.SLIPPED
            if not self._plain and (use in {SchemaUse.IN_WORDS, SchemaUse.UNHELD} or self._slips >= SLIPS):
                self._plain = True
                retry_on_db_outage(
                    lambda: self._judge_row.filter(plain_json_at=None).update(plain_json_at=self._clock())
                )

    def _pause_if_failing(self, call: Call) -> None:
        run = retry_on_db_outage(lambda: JudgingRun.objects.get(pk=call.judging_run_id))
        why = retry_on_db_outage(lambda: why_failing(run, call.run))
        if why is not None:
            self._pause(run, PauseReason.JUDGE_FAILING, why)

    def _pause(self, run: JudgingRun, reason: PauseReason, detail: str) -> None:
        retry_on_db_outage(lambda: run_pause(run=run, reason=reason, detail=detail, now=self._clock()))
        self._refresh_at = self._clock()
