"""A worker keeps a judge's limits, by the log of a real server."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from benchmarks.hashed_judge.log import Arrival, most_in_window
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.judges.windows import Window
from judging.models import JudgeCall, JudgeGrant, JudgingRun, PauseReason
from judging.services.running.gates import RequestGate, request_gate
from judging.services.running.runs import run_pause
from judging.services.running.working import lease_work
from tests.judging.limits.limited_runs import begun, judge_of, scoring_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SECONDS = 3.0
WINDOW = Window(length=SECONDS, valid=1.0, margin=0.5)
# Whoever waits for the end of this one has noticed nothing before it.
LONG = Window(length=60.0, valid=1.0, margin=0.5)
SOON = 20.0
MakeRun = Callable[..., JudgingRun]


def log_of(server: RunningJudge) -> list[Arrival]:
    return server.settled()


def test_requests_that_are_repeated_count_against_the_limits_too(tmp_path: Path, make_run: MakeRun) -> None:
    faults: dict[str, Any] = {
        "faults": 0.4,
        "fault_kinds": ("off_schema", "out_of_range"),
        "faults_at_most": 1,
    }
    limits: dict[str, Any] = {"rpm": 30, "window_seconds": SECONDS}
    with judge_server(log=tmp_path / "log", latency_ms=5, **limits, **faults) as server:
        run = make_run(judge_of(server, requests_per_minute=30), people=4)
        worked(run)
        arrivals = log_of(server)
        assert server.stats()["violations"] == {}
        assert server.stats()["faults"] != {}
    assert len(arrivals) == JudgeCall.objects.count() > 48
    assert most_in_window(arrivals, seconds=SECONDS) <= 30
    assert JudgingRun.objects.get().rows.filter(state="open").count() == 0


def worked(
    run: JudgingRun,
    *,
    seconds: float = 60.0,
    stopping: threading.Event | None = None,
    window: Window = WINDOW,
) -> float:
    """One lease of the run's only judge in this process; the seconds it took."""
    began = time.monotonic()
    lease_work(
        judging_run=JudgingRun.objects.select_related("study").get(pk=run.pk),
        run=scoring_run(run),
        seconds=seconds,
        stopping=stopping or threading.Event(),
        clock=timezone.now,
        wanted=16,
        window=window,
    )
    return time.monotonic() - began


def later(seconds: float, action: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_a_thread_that_waits_for_a_limit_notices_that_the_worker_is_to_stop(
    server: RunningJudge, make_run: MakeRun
) -> None:
    run = make_run(judge_of(server, requests_per_minute=4), people=1)
    stopping = threading.Event()
    later(1.0, stopping.set)
    assert 1.0 <= worked(run, stopping=stopping, window=LONG) < SOON
    assert 0 < len(log_of(server)) < 12
    # What it had claimed and not asked about is free again.
    assert run.rows.filter(state="open", lease=None, starts=0).count() == 12 - len(log_of(server))


def test_a_thread_that_waits_for_a_limit_notices_the_end_of_its_slice(
    server: RunningJudge, make_run: MakeRun
) -> None:
    run = make_run(judge_of(server, requests_per_minute=4), people=1)
    assert 1.0 <= worked(run, seconds=1.0, window=LONG) < SOON
    assert 0 < len(log_of(server)) < 12


def test_a_thread_that_waits_for_a_limit_notices_that_the_run_pauses(
    server: RunningJudge, make_run: MakeRun
) -> None:
    run = make_run(judge_of(server, requests_per_minute=4), people=1)

    def pause() -> None:
        run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=timezone.now())
        connection.close()

    later(1.0, pause)
    assert worked(run, window=LONG) < SOON
    assert len(log_of(server)) < 12


def test_what_a_slice_did_not_use_of_its_grants_is_there_for_the_next(
    server: RunningJudge, make_run: MakeRun
) -> None:
    run = make_run(judge_of(server, tokens_per_minute=8_000, max_output_tokens=2_000), people=1)
    worked(run)
    used = sum(one.tokens for one in log_of(server))
    granted = JudgeGrant.objects.all()
    assert sum(grant.requests for grant in granted) <= 12
    assert sum(grant.tokens for grant in granted) <= used
    assert run.rows.filter(state="scored").count() == 12


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"tokens_per_minute": 1_000, "max_output_tokens": 5_000}, "1,000 tokens per minute"),
        ({"requests_per_minute": 0}, "allows 0 requests per minute"),
    ],
)
def test_a_limit_below_one_request_pauses_the_run_and_says_so(
    limits: dict[str, int], words: str, server: RunningJudge, make_run: MakeRun
) -> None:
    run = make_run(judge_of(server, **limits), people=1)
    assert worked(run) < 10
    run.refresh_from_db()
    assert (run.state, run.pause_reason) == ("paused", "unusable")
    assert words in run.pause_detail
    assert log_of(server) == []


def test_old_grants_are_pruned(server: RunningJudge, make_run: MakeRun) -> None:
    judge = judge_of(server, requests_per_minute=1000)
    long_ago = timezone.now() - timedelta(hours=1)
    JudgeGrant.objects.create(judge=judge, requests=1000, tokens=5, granted_at=long_ago)
    worked(make_run(judge, people=1))
    assert JudgeGrant.objects.filter(granted_at__lte=long_ago).count() == 0
    assert JudgeGrant.objects.count() > 0


def test_a_judge_without_limits_costs_a_request_no_query_and_next_to_no_time(
    server: RunningJudge, make_run: MakeRun, django_assert_num_queries: Callable[..., object]
) -> None:
    run = make_run(judge_of(server), people=1)
    with request_gate(begun(run), clock=timezone.now, stopping=threading.Event(), until=float("inf")) as gate:
        with django_assert_num_queries(0):  # type: ignore[attr-defined]
            took = min(seconds_of_thousand(gate) for _ in range(5))
        gate.settle([])
    assert "gatekeeper" not in {thread.name for thread in threading.enumerate()}
    assert took / 1000 < 5e-6
    assert JudgeGrant.objects.count() == 0


def seconds_of_thousand(gate: RequestGate) -> float:
    began = time.perf_counter()
    for _ in range(1000):
        gate.enter(tokens=1200)
    return time.perf_counter() - began
