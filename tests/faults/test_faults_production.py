"""PostgreSQL, Redis and real workers: whatever dies in the middle of a run, the run ends complete."""

from collections.abc import Sequence

import pytest

from benchmarks.hashed_judge.running import RunningJudge
from tests.faults.accounts import (
    assert_each_decided_once,
    assert_nothing_lost_nothing_paid_twice,
    assert_only_cut_off_repeated,
    until_each_is_on_record,
)
from tests.faults.asking import asking, port_of
from tests.faults.parts import Part, until
from tests.faults.servers import Postgres
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.production, pytest.mark.timeout(900)]


@pytest.fixture
def workers(production: Site) -> list[Part]:
    return [production.worker("one"), production.worker("two")]


@pytest.fixture
def beat(production: Site) -> Part:
    return production.beat()


@pytest.fixture
def planned(production: Site, judge: RunningJudge, workers: list[Part], beat: Part) -> int:
    """A run of 2,000 calls, a quarter of it done when the test begins."""
    rows = production.start_run(judge.url)
    assert rows == 2000
    production.until_decided(rows // 4)
    return rows


def until_answered(judge: RunningJudge, *, before: float) -> None:
    until(
        lambda: all(one.answered_at for one in judge.arrivals() if one.at <= before),
        seconds=30,
        what="each request of before is answered",
    )


def freeze_at_work(judge: RunningJudge, workers: Sequence[Part]) -> tuple[Part, float]:
    """Let the worker stand still that waits for replies; the moment of it."""
    for _ in range(40):
        worker = asking(judge, workers)
        asleep = worker.freeze()
        until_answered(judge, before=asleep)
        if max(worker.unread(port_of(judge)), default=0) > 1:
            return worker, asleep
        worker.thaw()
    pytest.fail("the worker had no request under way, however often it stood still")


def owner(production: Site) -> list[tuple[object, ...]]:
    return production.query("SELECT lease FROM scoring_judgeconfig WHERE lease IS NOT NULL")


def test_a_killed_worker_costs_only_the_calls_it_had_under_way(
    production: Site, judge: RunningJudge, planned: int, workers: list[Part]
) -> None:
    kills = [asking(judge, workers).kill()]
    facts = production.until_over()
    assert_nothing_lost_nothing_paid_twice(facts, judge, planned, kills=kills)


def test_a_worker_that_is_told_to_end_hands_over_and_nothing_is_asked_twice(
    production: Site, judge: RunningJudge, planned: int, workers: list[Part]
) -> None:
    asking(judge, workers).stop()
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)


# Slow enough that a worker always has requests under way, however busy this machine is.
@pytest.mark.parametrize("judge", [150], indirect=True)
def test_what_a_worker_brings_that_slept_past_the_time_of_its_calls_decides_nothing(
    production: Site, judge: RunningJudge, planned: int, workers: list[Part]
) -> None:
    worker, asleep = freeze_at_work(judge, workers)
    facts = production.until_over()
    assert_each_decided_once(facts, planned)
    awake = worker.thaw()
    assert len(judge.arrivals()) > planned, "it had no request under way, so this showed nothing"
    until_each_is_on_record(production, judge)
    assert_each_decided_once(production.run_facts(), planned)
    assert_only_cut_off_repeated(judge, planned, kills=[asleep, awake], at_most=16)


@pytest.mark.parametrize("judge", [150], indirect=True)
def test_what_a_worker_brings_that_slept_past_its_lease_counts_while_nobody_asks_again(
    production: Site, judge: RunningJudge, workers: list[Part], beat: Part
) -> None:
    planned = production.start_run(judge.url, timeout_seconds=60.0)
    production.until_decided(planned // 8)
    worker, _asleep = freeze_at_work(judge, workers)
    before = owner(production)
    until(lambda: owner(production) not in ([], before), seconds=60, what="another worker asks the judge")
    worker.thaw()
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)


def test_a_process_that_stands_still_with_locks_in_its_hands_stops_nobody_for_long(
    production: Site, judge: RunningJudge, workers: list[Part], beat: Part
) -> None:
    # It is there before the run begins: a busy machine may take longer to start it than to end the run.
    sleeper = production.sleeper()
    until(lambda: sleeper.said("waits"), seconds=60, what="it waits for the run")
    planned = production.start_run(judge.url)
    until(lambda: sleeper.said("has locked"), seconds=90, what="it has its locks")
    assert production.decided() < planned, "it came too late to show anything"
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)
    assert sleeper.runs


def test_all_workers_are_killed_and_started_again(
    production: Site, judge: RunningJudge, planned: int, workers: list[Part]
) -> None:
    kills = [worker.kill() for worker in workers]
    for worker in workers:
        worker.start()
    facts = production.until_over()
    assert_nothing_lost_nothing_paid_twice(facts, judge, planned, kills=kills)


def test_without_any_worker_the_beat_finishes_the_run(
    production: Site, judge: RunningJudge, planned: int, workers: list[Part], beat: Part
) -> None:
    kills = [worker.kill() for worker in workers]
    facts = production.until_over()
    assert_nothing_lost_nothing_paid_twice(facts, judge, planned, kills=kills)
    assert beat.said("nobody takes them")


def test_a_killed_beat_repeats_no_call(
    production: Site, judge: RunningJudge, planned: int, beat: Part
) -> None:
    beat.kill()
    production.until_decided(planned // 2)
    beat.start()
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)


def test_redis_is_killed_and_comes_back_empty(production: Site, judge: RunningJudge, planned: int) -> None:
    assert production.redis
    production.redis.kill()
    production.until_decided(planned // 2)
    production.redis.start_answering()
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)


def test_redis_is_flushed(production: Site, judge: RunningJudge, planned: int) -> None:
    assert production.redis
    production.redis.flush()
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)


def test_with_the_broker_gone_for_good_the_beat_finishes_the_run(
    production: Site, judge: RunningJudge, planned: int, beat: Part
) -> None:
    assert production.redis
    production.redis.kill()
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)
    assert beat.said("the broker cannot be reached")


def test_postgresql_crashes_and_recovers(
    production: Site, judge: RunningJudge, planned: int, cluster: Postgres
) -> None:
    kills = [cluster.restart_immediately()]
    assert_each_decided_once(production.until_over(), planned)
    assert_only_cut_off_repeated(judge, planned, kills=kills, at_most=16)
    until_each_is_on_record(production, judge)


def test_a_worker_told_to_end_does_so_in_seconds_and_repeats_nothing(
    production: Site, judge: RunningJudge, planned: int, workers: list[Part]
) -> None:
    assert workers[0].stop() < 10
    assert_nothing_lost_nothing_paid_twice(production.until_over(), judge, planned)
    until(lambda: all(one.runs for one in workers[1:]), seconds=1, what="the other worker still runs")
