"""A judge's owner keeps the judge's limits, by the log of a real server."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from benchmarks.hashed_judge.log import Arrival, most_in_window
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeCall, JudgeConfig, JudgingRun, PauseReason
from judging.services.running.limits import Window
from judging.services.running.own import judge_work
from judging.services.running.runs import run_pause
from tests.judging.limits.limited_runs import judge_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SECONDS = 3.0
WINDOW = Window(length=SECONDS, margin=0.5)
# Whoever waits for the end of this one has noticed nothing before it.
LONG = Window(length=60.0, margin=0.5)
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
        judge = judge_of(server, requests_per_minute=30)
        make_run(judge, people=4)
        worked(judge)
        arrivals = log_of(server)
        assert server.stats()["violations"] == {}
        assert server.stats()["faults"] != {}
    assert len(arrivals) == JudgeCall.objects.count() > 48
    assert most_in_window(arrivals, seconds=SECONDS) <= 30
    assert JudgingRun.objects.get().rows.filter(state="open").count() == 0


def worked(
    *judges: JudgeConfig,
    seconds: float = 60.0,
    stopping: threading.Event | None = None,
    window: Window = WINDOW,
) -> float:
    """Own the judges in this process, one after the other; the seconds it took."""
    began = time.monotonic()
    for judge in judges:
        judge_work(
            config=judge,
            seconds=seconds,
            stopping=stopping or threading.Event(),
            clock=timezone.now,
            window=window,
        )
    return time.monotonic() - began


def later(seconds: float, action: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_who_waits_for_a_limit_notices_that_the_worker_is_to_stop(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, requests_per_minute=4)
    run, stopping = make_run(judge, people=1), threading.Event()
    later(1.0, stopping.set)
    assert 1.0 <= worked(judge, stopping=stopping, window=LONG) < SOON
    assert len(log_of(server)) == 4
    # What it had not asked about is free, and so is the judge.
    assert run.rows.filter(state="open", lease=None, starts=0).count() == 8
    assert not JudgeConfig.objects.exclude(lease=None).exists()


def test_who_waits_for_a_limit_gives_its_worker_to_another_judge_at_the_end_of_a_term(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge, other = judge_of(server, requests_per_minute=4), judge_of(server, slug="other")
    make_run(judge, other, people=1)
    assert 1.0 <= worked(judge, seconds=1.0, window=LONG) < SOON
    assert len(log_of(server)) == 4
    # Where nobody waits, the terms follow each other.
    worked(other)
    stopping = threading.Event()
    later(2.5, stopping.set)
    assert worked(judge, seconds=1.0, stopping=stopping, window=LONG) >= 2.5


def test_who_waits_for_a_limit_notices_that_the_run_pauses(server: RunningJudge, make_run: MakeRun) -> None:
    judge = judge_of(server, requests_per_minute=4)
    run = make_run(judge, people=1)

    def pause() -> None:
        run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=timezone.now())
        connection.close()

    later(1.0, pause)
    assert worked(judge, window=LONG) < SOON
    assert len(log_of(server)) == 4


def test_what_was_set_aside_for_long_replies_and_not_used_is_there_for_the_next(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, tokens_per_minute=8_000, max_output_tokens=2_000)
    run = make_run(judge, people=1)
    assert worked(judge, window=LONG) < SOON
    assert sum(arrival.tokens for arrival in log_of(server)) <= 8_000
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
    judge = judge_of(server, **limits)
    run = make_run(judge, people=1)
    assert worked(judge) < 10
    run.refresh_from_db()
    assert (run.state, run.pause_reason) == ("paused", "unusable")
    assert words in run.pause_detail
    assert log_of(server) == []
