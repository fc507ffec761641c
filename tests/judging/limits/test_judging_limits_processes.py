"""A judge's limits hold for workers of several processes together: what a real server's log says of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hashed_judge.log import in_flight_maximum, most_in_window, tokens_most_in_window
from benchmarks.hashed_judge.running import judge_server
from judging.models import JudgeCall, JudgingRun
from tests.judging.limits.limited_runs import judge_of
from tests.support.judging_workers import judging_workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SECONDS = 3.0
MakeRun = Callable[..., JudgingRun]


def states(*runs: JudgingRun) -> list[str]:
    return [JudgingRun.objects.get(pk=run.pk).state for run in runs]


def test_two_runs_in_four_processes_never_exceed_requests_per_minute_or_concurrency(
    tmp_path: Path, make_run: MakeRun, child_environment: dict[str, str]
) -> None:
    limits: dict[str, Any] = {"rpm": 80, "max_in_flight": 10, "window_seconds": SECONDS}
    with judge_server(log=tmp_path / "log", latency_ms=20, jitter_ms=30, **limits) as server:
        judge = judge_of(server, requests_per_minute=80, concurrency=10)
        one, other = make_run(judge, people=10), make_run(judge, people=10)
        groups = ([one], [one], [other], [other])
        with judging_workers(child_environment, *groups, seconds=1.5, window_seconds=SECONDS) as workers:
            assert workers.wait(120) == 0
        arrivals = server.settled()
        assert server.stats()["violations"] == {}
    assert states(one, other) == ["finished", "finished"]
    assert len(arrivals) == JudgeCall.objects.filter(outcome="ok").count() == 240
    assert most_in_window(arrivals, seconds=SECONDS) <= 80
    assert in_flight_maximum(arrivals) <= 10
    # Neither starves: by when one alone could have been done, each has had turns.
    first = list(JudgeCall.objects.order_by("called_at").values_list("judging_run", flat=True))[:120]
    assert min(first.count(one.pk), first.count(other.pk)) >= 10


def test_two_runs_in_four_processes_never_exceed_tokens_per_minute(
    tmp_path: Path, make_run: MakeRun, child_environment: dict[str, str]
) -> None:
    limits: dict[str, Any] = {"tpm": 40_000, "window_seconds": SECONDS}
    with judge_server(log=tmp_path / "log", latency_ms=20, jitter_ms=30, **limits) as server:
        judge = judge_of(server, tokens_per_minute=40_000, max_output_tokens=300, concurrency=24)
        one, other = make_run(judge, people=10), make_run(judge, people=10)
        groups = ([one, other], [one, other], [other, one])
        with judging_workers(child_environment, *groups, seconds=3, window_seconds=SECONDS) as workers:
            assert workers.wait(120) == 0
        arrivals = server.settled()
        assert server.stats()["violations"] == {}
    assert states(one, other) == ["finished", "finished"]
    assert len(arrivals) == 240
    assert sum(one.tokens for one in arrivals) > 2 * 40_000
    # What was set aside for long replies and not used is used by others.
    assert 20_000 < tokens_most_in_window(arrivals, seconds=SECONDS) <= 40_000
