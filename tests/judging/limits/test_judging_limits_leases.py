"""A judge's limits hold while leases end, are renewed late, and are shared."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import JudgingRun, WorkerLease
from judging.services.running.claims import lease_begin, lease_end, lease_renew
from judging.services.running.gates import RequestGate, request_gate
from llm.client import GateClosed
from tests.judging.limits.limited_runs import begun, judge_of, scoring_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeRun = Callable[..., JudgingRun]


class SteppedClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def __call__(self) -> datetime:
        return self.now


def gate_of(lease: WorkerLease, clock: SteppedClock, *, until: float = float("inf")) -> RequestGate:
    return request_gate(lease, clock=clock, stopping=threading.Event(), until=until)


def test_a_worker_that_slept_past_its_lease_sends_nothing_more(
    server: RunningJudge, make_run: MakeRun, settings: Settings
) -> None:
    settings.JUDGING_LEASE_SECONDS = 30.0
    run, clock = make_run(judge_of(server, concurrency=10), people=1), SteppedClock()
    lease = begun(run, now=clock.now)
    with gate_of(lease, clock) as gate:
        clock.now += timedelta(seconds=15)
        gate.enter(tokens=100)
        clock.now += timedelta(seconds=16)
        with pytest.raises(GateClosed):
            gate.enter(tokens=100)
        # Its place is somebody else's now, and it cannot have it back.
        assert begun(run, now=clock.now).slots == 10
        assert not lease_renew(lease, clock=clock)
        with pytest.raises(GateClosed):
            gate.enter(tokens=100)


def test_a_request_waits_where_less_than_half_of_the_lease_is_left_until_it_is_renewed(
    server: RunningJudge, make_run: MakeRun, settings: Settings
) -> None:
    settings.JUDGING_LEASE_SECONDS = 30.0
    run, clock = make_run(judge_of(server), people=1), SteppedClock()
    lease = begun(run, now=clock.now)
    with gate_of(lease, clock) as gate:
        clock.now += timedelta(seconds=20)
        entered = threading.Event()

        def enter() -> None:
            gate.enter(tokens=100)
            entered.set()

        thread = threading.Thread(target=enter)
        thread.start()
        assert not entered.wait(0.5)
        assert lease_renew(lease, clock=clock)
        assert entered.wait(5)
        thread.join(5)


def test_a_renewal_that_came_too_late_does_not_count(
    server: RunningJudge, make_run: MakeRun, settings: Settings
) -> None:
    settings.JUDGING_LEASE_SECONDS = 30.0
    run, clock = make_run(judge_of(server), people=1), SteppedClock()
    lease = begun(run, now=clock.now)
    times = iter([clock.now + timedelta(seconds=29), clock.now + timedelta(seconds=31)])
    assert not lease_renew(lease, clock=lambda: next(times))
    clock.now += timedelta(seconds=31)
    with gate_of(lease, clock) as gate, pytest.raises(GateClosed):
        gate.enter(tokens=100)


def test_the_slots_of_slices_alive_never_pass_the_concurrency_and_come_back(
    server: RunningJudge, make_run: MakeRun, settings: Settings
) -> None:
    settings.JUDGING_LEASE_SECONDS = 30.0
    run, now = make_run(judge_of(server, concurrency=10), people=1), timezone.now()
    first, second = begun(run, wanted=6, now=now), begun(run, wanted=6, now=now)
    assert (first.slots, second.slots) == (6, 4)
    scored = scoring_run(run)
    assert lease_begin(judging_run=run, run=scored, wanted=1, now=now) is None
    lease_end(second, now=now)
    assert begun(run, now=now).slots == 4
    # The first one's worker is dead: nobody renews it.
    assert begun(run, now=now + timedelta(seconds=31)).slots == 10


def test_a_run_takes_its_part_of_the_concurrency_where_another_waits(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, concurrency=9)
    one, other = make_run(judge, people=1), make_run(judge, people=1)
    assert [begun(one).slots, begun(other).slots] == [5, 4]
    other.rows.update(available_at=timezone.now() + timedelta(minutes=1))
    WorkerLease.objects.all().delete()
    assert begun(one).slots == 9
