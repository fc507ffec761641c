"""An endpoint that has too much to do is left alone, and no run suffers for it; clocks are moved by tests."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from benchmarks.hashed_judge.running import RunningJudge
from judging.judges.reasons import UnscoredReason
from judging.models import JudgeCall, JudgeConfig, JudgingRun, PauseReason
from judging.services.running.coordinating import remaining_of, run_coordinate
from judging.services.running.runs import run_pause, run_resume
from tests.judging.limits.limited_runs import judge_of
from tests.support.scripted_judge import ScriptedJudge
from tests.support.stepped_judge import Owner, SteppedClock, owner_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeRun = Callable[..., JudgingRun]


@dataclass
class BusyEndpoint:
    """Takes `places` calls at a time, of ten seconds each, and refuses any more at once."""

    places: int
    judge: ScriptedJudge
    taken: list[tuple[datetime, Callable[[], object]]] = field(default_factory=list)
    refused: int = 0

    def meet(self, owner: Owner) -> None:
        clock, sent = owner.pool.clock, owner.pool.under_way
        now = clock.now
        for started, call in [each for each in self.taken if each[0] + timedelta(seconds=10) <= now]:
            self.taken.remove((started, call))
            self._answer(clock, started, call, None)
        while sent:
            started, call = sent.pop(0)
            if len(self.taken) < self.places:
                self.taken.append((started, call))
            else:
                self.refused += 1
                self._answer(clock, started, call, UnscoredReason.RATE_LIMITED)
        clock.now = now

    def _answer(
        self,
        clock: SteppedClock,
        started: datetime,
        call: Callable[[], object],
        reason: UnscoredReason | None,
    ) -> None:
        self.judge.says = lambda task, position: reason
        self.judge.latency_ms = 20.0 if reason else 10_000.0
        clock.now = started
        call()


def owning(config: JudgeConfig, clock: SteppedClock, judge: ScriptedJudge) -> Owner:
    owner = owner_of(config, judge, clock)
    assert owner is not None
    return owner


@pytest.fixture
def clock(server: RunningJudge) -> SteppedClock:
    return SteppedClock(timezone.now())


def begun(make_run: MakeRun, config: JudgeConfig, clock: SteppedClock, people: int = 1) -> JudgingRun:
    run = make_run(config, people=people)
    clock.now = timezone.now()
    return run


def test_an_endpoint_that_takes_fewer_at_a_time_gets_what_it_takes_and_no_run_pauses(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=32)
    run = begun(make_run, config, clock, people=4)
    judge = ScriptedJudge()
    owner, endpoint = owning(config, clock, judge), BusyEndpoint(4, judge)
    until = clock.now + timedelta(minutes=10)
    while run.rows.filter(state="open").exists() and clock.now < until:
        owner.turn()
        endpoint.meet(owner)
        owner.loop.store()
        clock.step(2)
    run.refresh_from_db()
    assert (run.state, run.pause_detail) == ("running", "")
    assert set(run.rows.values_list("state", flat=True)) == {"scored"}
    # Of the first 32, of halves of them, and now and then one too many when it is sent one more.
    assert endpoint.refused < 75


def test_an_endpoint_that_refuses_everybody_for_ever_pauses_the_run_after_a_while(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=64)
    run = begun(make_run, config, clock, people=8)
    judge = ScriptedJudge()
    owner, endpoint = owning(config, clock, judge), BusyEndpoint(0, judge)
    began = clock.now
    while run.state == "running" and clock.now < began + timedelta(hours=1):
        owner.turn()
        endpoint.meet(owner)
        clock.step(2)
        run.refresh_from_db()
    assert run.pause_reason == "judge_failing"
    assert timedelta(minutes=5) < clock.now - began < timedelta(minutes=20)
    assert endpoint.refused < 200


def test_failures_that_overtake_calls_sent_before_do_not_pause_a_run(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=48)
    run = begun(make_run, config, clock, people=4)
    judge = ScriptedJudge()
    owner = owning(config, clock, judge)
    owner.turn()
    owner.turn()
    assert owner.under_way == 48
    slow, owner.pool.under_way = owner.pool.under_way[:10], owner.pool.under_way[10:]
    judge.says = lambda task, position: UnscoredReason.SERVER_FAILED
    owner.pool.finish()
    owner.loop.store()
    owner.loop.store()
    assert JudgeCall.objects.filter(outcome="server_failed").count() == 38
    run.refresh_from_db()
    assert run.state == "running"
    # The slow ones fail as well: now nobody is left to say otherwise.
    judge.latency_ms = 10_000.0
    owner.pool.under_way = slow
    clock.step(10)
    owner.pool.finish()
    owner.loop.store()
    run.refresh_from_db()
    assert run.pause_reason == "judge_failing"


def test_nobody_is_sent_anything_before_the_time_that_an_endpoint_asks_for(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=4)
    run = begun(make_run, config, clock)
    judge = ScriptedJudge(lambda task, position: UnscoredReason.RATE_LIMITED, retry_after=600.0)
    owner = owning(config, clock, judge)
    owner.turn()
    owner.pool.finish()
    assert owner.turn() is False, "held for ten minutes, it is given back"
    owner.loop.close()
    assert remaining_of(run, clock()) == []
    clock.step(300)
    early = owning(config, clock, judge)
    assert early.turn() is False
    early.loop.close()
    assert JudgeCall.everything.count() == 4
    clock.step(301)
    assert len(remaining_of(run, clock())) == 1
    judge.says = lambda task, position: None
    late = owning(config, clock, judge)
    while late.answered():
        clock.step(0.3)
    assert run_coordinate(judging_run=run, now=clock())


def test_whoever_resumes_a_run_has_the_judge_asked_at_once(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=4)
    run = begun(make_run, config, clock)
    JudgeConfig.objects.update(held_until=clock() + timedelta(hours=1))
    run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=clock())
    run_resume(run=run, budget=None, actor=None, now=clock())
    owner = owning(config, clock, ScriptedJudge())
    owner.turn()
    assert owner.under_way == 4


def test_the_next_owner_sends_no_more_at_a_time_than_the_one_before_came_down_to(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=32)
    begun(make_run, config, clock, people=3)
    judge = ScriptedJudge(lambda task, position: UnscoredReason.RATE_LIMITED, retry_after=90.0)
    first = owning(config, clock, judge)
    first.turn()
    assert first.under_way == 32
    first.pool.finish()
    assert first.turn() is False
    first.loop.close()
    clock.step(91)
    second = owning(config, clock, judge)
    second.turn()
    assert second.under_way == 16
    judge.says, judge.retry_after = (lambda task, position: None), None
    for _ in range(3):
        second.answered()
    second.loop.close()
    config.refresh_from_db()
    assert config.pace in (18, 19)


def test_words_of_an_answer_that_an_endpoint_repeats_hold_no_judge(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=2)
    begun(make_run, config, clock)
    judge = ScriptedJudge(lambda task, position: UnscoredReason.PROMPT_TOO_LONG, retry_after=3_240_000.0)
    owner = owning(config, clock, judge)
    owner.turn()
    owner.answered()
    assert owner.under_way == 2


def test_an_owner_goes_on_where_its_clock_is_set_back(
    server: RunningJudge, make_run: MakeRun, clock: SteppedClock
) -> None:
    config = judge_of(server, concurrency=2, requests_per_minute=4)
    run = begun(make_run, config, clock)
    owner = owning(config, clock, ScriptedJudge())
    owner.answered()
    owner.answered()
    JudgingRun.objects.update(resumed_at=clock() - timedelta(hours=2))
    run.rows.filter(lease=None).update(available_at=clock() - timedelta(hours=2))
    clock.step(-3600)
    owner.turn()
    clock.step(64)
    owner.answered()
    owner.answered()
    assert JudgeCall.everything.count() == 8
