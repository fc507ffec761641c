"""What was sent and never came back is spent."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeCall, WorkerLease
from judging.services.running.budget import cost_of, set_aside, spent_of, worst_cost
from judging.services.running.claims import lease_begin
from llm.attempts import Attempt
from studies.models import Study
from tests.judging.budget.budget_runs import charged, judge_of, scoring_runs, started, worked
from tests.support.judging_workers import judging_workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeStudy = Callable[..., Study]


def test_a_slice_that_never_ended_keeps_what_it_held_as_spent(
    server: RunningJudge, judged_study: MakeStudy, now: datetime
) -> None:
    run = started(judged_study(4), judge_of(server), budget="0.05")
    lost = lease_begin(judging_run=run, run=scoring_runs(run)[0], wanted=4, now=timezone.now())
    assert lost is not None
    long_ago = timezone.now() - timedelta(hours=1)
    WorkerLease.objects.filter(pk=lost.pk).update(reserved=Decimal("0.03"), leased_until=long_ago)
    run = worked(run)
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert ", 0.03 may have been by workers that died;" in run.pause_detail
    assert Decimal("0.005") < spent_of(run) <= Decimal("0.02")
    assert set_aside(run, timezone.now()) == (Decimal(0), Decimal("0.03"))


def test_a_worker_that_is_killed_keeps_what_it_held_as_spent(
    tmp_path: Path, judged_study: MakeStudy, child_environment: dict[str, str], settings: Settings
) -> None:
    with judge_server(log=tmp_path / "slow", latency_ms=300) as slow:
        judge = judge_of(slow, concurrency=8)
        run = started(judged_study(6), judge, budget="0.2")
        with judging_workers({**child_environment, "CHIRON_JUDGING_LEASE_SECONDS": "2"}, [run]) as worker:
            while JudgeCall.objects.count() < 8:
                assert worker.poll() is None
                time.sleep(0.05)
        time.sleep(2.2)
        alive, dead = set_aside(run, timezone.now())
        sent = len(slow.arrivals())
        # Each of the requests under way was covered by its worst case.
        unrecorded = sent - JudgeCall.objects.count()
        assert alive == 0
        assert dead >= unrecorded * worst_cost(judge, 100) > 0
        settings.JUDGING_LEASE_SECONDS = 2.0
        run = worked(run)
        assert run.pause_reason == "budget" or run.rows.filter(state="open").count() == 0
        assert charged(slow, judge) <= spent_of(run) + dead <= Decimal("0.2")


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
        run = worked(started(judged_study(3), judge, budget="1"), threads=16)
        lost = JudgeCall.objects.filter(outcome="connection_lost")
        assert lost.count() > 0
        assert min(call.cost or 0 for call in lost) > worst_cost(judge, 0)
        known = sum(call.cost or 0 for call in JudgeCall.objects.filter(outcome="ok"))
        assert known == charged(faulty, judge)
        assert run.rows.filter(state="scored").count() == 36
