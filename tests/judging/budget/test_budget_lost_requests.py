"""What was sent and never came back is spent."""

import random
import time
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F, Sum
from django.utils import timezone
from pytest_django import Settings

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.coordinator import retry_budget
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun
from judging.services.running.budget import cost_of, worst_cost
from judging.services.running.counting import calls_expire
from judging.services.running.runs import run_cancel
from llm.requests import Attempt
from studies.models import Study
from tests.judging.budget.budget_runs import charged, cost_on_record, judge_of, started, worked
from tests.support.judging_workers import judging_workers
from tests.support.scripted_judge import ScriptedJudge
from tests.support.stepped_judge import SteppedClock, owner_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeStudy = Callable[..., Study]


def test_what_a_dead_owner_had_under_way_stays_spent_and_is_told_of(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server, concurrency=3)
    run, clock = started(judged_study(4), judge, budget="0.03"), SteppedClock(timezone.now())
    dead = owner_of(judge, ScriptedJudge(), clock)
    assert dead is not None
    dead.turn()
    assert dead.under_way == 3
    of_dead = cost_on_record(run)
    assert of_dead >= 3 * worst_cost(judge, 0)
    JudgeCall.everything.update(called_at=F("called_at") - timedelta(hours=1), due_at=clock())
    CriterionScore.objects.update(available_at=clock())
    JudgeConfig.objects.update(lease=None, leased_until=None)
    calls_expire(clock() + timedelta(seconds=1))
    assert cost_on_record(run) == of_dead
    run = worked(run)
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert f", {of_dead.normalize():f} of it perhaps, by workers that died;" in run.pause_detail
    assert Decimal("0.02") < cost_on_record(run) <= Decimal("0.03")
    assert charged(server, judge) == cost_on_record(run) - of_dead


def test_two_owners_never_pass_the_budget_of_a_run_whatever_comes_between(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    """Each step of two owners of a panel's judges, and of what comes back, in any order."""
    fields: dict[str, Any] = {"max_output_tokens": 40, "concurrency": 3}
    judges = [judge_of(server, slug, **fields) for slug in ("one", "two")]
    run = started(judged_study(2), *judges, budget="0.0015")
    rng, clock = random.Random(7), SteppedClock(timezone.now())
    owners = [owner_of(judge, ScriptedJudge(), clock) for judge in judges]
    going = [owner for owner in owners if owner is not None]
    assert len(going) == 2
    while going:
        owner = rng.choice(going)
        if rng.random() < 0.5:
            owner.pool.finish(rng.randint(0, owner.under_way))
        if not owner.turn():
            going.remove(owner)
        assert cost_on_record(run) <= Decimal("0.0015")
        clock.step(rng.uniform(0.2, 1.0))
    assert (run.state, run.pause_reason) == ("paused", "budget")
    # The next request would not have fitted, and nothing is under way that could make room for it.
    assert cost_on_record(run) + worst_cost(judges[0], 0) > Decimal("0.0015")
    assert not JudgeCall.everything.exclude(due_at=None).exists()
    assert 0 < JudgeCall.objects.count() < 48


def test_an_owner_waits_where_what_is_under_way_may_still_leave_room(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server, concurrency=5)
    run, clock = started(judged_study(1), judge, budget="0.009"), SteppedClock(timezone.now())
    owner = owner_of(judge, ScriptedJudge(), clock)
    assert owner is not None
    owner.turn()
    # Each may cost 0.0036, and costs 0.00006 once it is over.
    assert owner.under_way == 2
    clock.step(1)
    assert owner.turn()
    run.refresh_from_db()
    assert (run.state, owner.under_way) == ("running", 2)
    while owner.turn():
        owner.pool.finish()
        clock.step(1)
    assert run.rows.filter(state="scored").count() == 12
    assert cost_on_record(run) == 12 * Decimal("0.00006")


def test_prices_that_rise_while_calls_are_under_way_do_not_pass_the_budget(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server, concurrency=4, max_output_tokens=10)
    run, clock = started(judged_study(1), judge, budget="0.002"), SteppedClock(timezone.now())
    owner = owner_of(judge, ScriptedJudge(), clock)
    assert owner is not None
    owner.turn()
    assert owner.under_way == 4
    JudgeConfig.objects.update(input_price=F("input_price") * 100, output_price=F("output_price") * 100)
    clock.step(2)
    owner.turn()
    owner.pool.finish()
    owner.loop.store()
    # 10 tokens of a prompt and 5 of a reply, at the prices at which they were sent.
    assert cost_on_record(run) == 4 * Decimal("0.00006")
    while owner.turn():
        owner.pool.finish()
        clock.step(1)
    assert (JudgingRun.objects.get(pk=run.pk).pause_reason, cost_on_record(run)) == (
        "budget",
        4 * Decimal("0.00006"),
    )


def test_where_nobody_else_looks_an_owner_counts_what_was_lost_and_says_that_the_budget_is_used_up(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server, concurrency=1, timeout_seconds=30.0)
    run, clock = started(judged_study(1), judge, budget="0.004"), SteppedClock(timezone.now())
    dead = owner_of(judge, ScriptedJudge(), clock)
    assert dead is not None
    dead.turn()
    assert dead.under_way == 1
    clock.step(30 + 60 + 61)
    owner = owner_of(judge, ScriptedJudge(), clock)
    assert owner is not None
    owner.turn()
    assert list(JudgeCall.everything.values_list("outcome", flat=True)) == ["lost"]
    run.refresh_from_db()
    assert run.pause_reason == "budget"
    clock.step(1)
    assert owner.turn() is False


def test_asking_again_has_what_is_left_beside_what_is_still_under_way(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server, concurrency=2)
    run, clock = started(judged_study(1), judge, budget="0.01"), SteppedClock(timezone.now())
    owner = owner_of(judge, ScriptedJudge(), clock)
    assert owner is not None
    owner.turn()
    run_cancel(run=run, actor=None, now=clock())
    run.refresh_from_db()
    assert owner.under_way == 2
    assert retry_budget(run) == Decimal("0.01") - cost_on_record(run) < Decimal("0.003")


def test_a_worker_that_is_killed_keeps_what_it_held_as_spent(
    tmp_path: Path, judged_study: MakeStudy, child_environment: dict[str, str], settings: Settings
) -> None:
    with judge_server(log=tmp_path / "slow", latency_ms=300) as slow:
        judge = judge_of(slow, concurrency=8, timeout_seconds=1.0)
        run = started(judged_study(6), judge, budget="0.2")
        with judging_workers({**child_environment, "CHIRON_JUDGING_LEASE_SECONDS": "2"}, [run]) as worker:
            while not 8 <= JudgeCall.objects.count() < len(slow.arrivals()):
                assert worker.poll() is None
                time.sleep(0.05)
        sent, on_record = len(slow.arrivals()), JudgeCall.everything.count()
        # Each of the requests under way was on record at its worst case.
        assert on_record >= sent > JudgeCall.objects.count()
        time.sleep(3.2)
        lost = calls_expire(timezone.now())
        assert 0 < lost <= 8
        dead = JudgeCall.objects.filter(outcome="lost").aggregate(cost=Sum("cost"))["cost"]
        assert dead >= lost * worst_cost(judge, 100)
        settings.JUDGING_LEASE_SECONDS = 2.0
        run = worked(run)
        assert run.pause_reason == "budget" or run.rows.filter(state="open").count() == 0
        assert charged(slow, judge) <= cost_on_record(run) <= Decimal("0.2")


def attempt(outcome: str, prompt: int | None, reply: int | None) -> Attempt:
    return Attempt("a" * 64, "judge", outcome, "", prompt, reply, 1.0, prompt_estimate=100)


def test_what_a_request_cost(server: RunningJudge) -> None:
    judge = judge_of(server)
    # 400 bytes of prompt are 400 tokens at most, 200 around them, and a reply of 400.
    worst = (600 * Decimal(2) + 400 * Decimal(8)) / 1_000_000
    assert cost_of(judge, attempt("ok", 100, 50)) == Decimal("0.0006")
    assert cost_of(judge, attempt("ok", None, None)) == worst
    assert cost_of(judge, attempt("ok", 100, None)) == worst
    assert cost_of(judge, attempt("timed_out", None, None)) == worst
    assert cost_of(judge, attempt("connection_lost", None, None)) == worst
    assert cost_of(judge, attempt("rate_limited", None, None)) == 0
    assert cost_of(judge, attempt("connection_failed", None, None)) == 0
    assert cost_of(judge, attempt("reply_refused", 100, 0)) == Decimal("0.0002")
    unpriced = judge_of(server, "unpriced", input_price=None, output_price=None)
    assert cost_of(unpriced, attempt("ok", 100, 50)) is None


def test_requests_whose_reply_never_came_are_not_free(tmp_path: Path, judged_study: MakeStudy) -> None:
    faults: dict[str, Any] = {"faults": 0.3, "fault_kinds": ("closed", "reset"), "faults_at_most": 1}
    with judge_server(log=tmp_path / "faulty", latency_ms=5, **faults) as faulty:
        judge = judge_of(faulty)
        run = worked(started(judged_study(3), judge, budget="1"))
        lost = JudgeCall.objects.filter(outcome="connection_lost")
        assert lost.count() > 0
        assert min(call.cost or 0 for call in lost) > worst_cost(judge, 0)
        known = sum(call.cost or 0 for call in JudgeCall.objects.filter(outcome="ok"))
        assert known == charged(faulty, judge)
        assert run.rows.filter(state="scored").count() == 36
