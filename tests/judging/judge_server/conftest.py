"""A judge server without faults."""

from collections.abc import Iterator

import pytest

from benchmarks.hashed_judge.running import RunningJudge, judge_server


@pytest.fixture(scope="module")
def plain() -> Iterator[RunningJudge]:
    with judge_server() as judge:
        yield judge
