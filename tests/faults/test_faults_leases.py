"""Calls that last longer than a lease: a worker that lives keeps the judge, and no other makes its calls."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from tests.faults.accounts import assert_nothing_lost_nothing_paid_twice
from tests.faults.site import TIMES, Site

pytestmark = [pytest.mark.slow, pytest.mark.production, pytest.mark.timeout(300)]

# So much longer than a lease that the beat tells the other worker of rows without one before a reply comes.
LATENCY_SECONDS = 13
# Whoever comes first makes all calls at once; the other worker has nothing to do but to take what is free.
CALLS = 24


@pytest.fixture
def slow_judge(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(latency_ms=LATENCY_SECONDS * 1000, log=tmp_path / "judge.jsonl") as running:
        yield running


def test_calls_longer_than_a_lease_are_made_once(empty_production: Site, slow_judge: RunningJudge) -> None:
    lease = float(TIMES["CHIRON_JUDGING_LEASE_SECONDS"])
    assert lease + settings.JUDGING_COORDINATE_SECONDS < LATENCY_SECONDS
    site = empty_production
    site.make(people=1, prompts=CALLS // 4)
    for name in ("one", "two"):
        site.worker(name)
    site.beat()
    planned = site.start_run(slow_judge.url, concurrency=2 * CALLS, timeout_seconds=60.0)
    assert planned == CALLS
    assert_nothing_lost_nothing_paid_twice(site.until_over(seconds=40), slow_judge, planned)
