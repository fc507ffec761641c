"""When requests may be sent: no window ever holds more than the limits, and nobody is overtaken."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from judging.judges.windows import PER_MINUTE, Amount, Limits, QueuedAmount, Window, chunk, place

START = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)
WINDOW = Window(length=60.0, valid=3.0, margin=3.0)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def placed(
    queue: list[QueuedAmount], limits: Limits, now: float, *, least: Amount, most: Amount | None = None
) -> QueuedAmount:
    return place(queue, least=least, most=most or least, limits=limits, window=WINDOW, now=at(now))


def test_a_window_is_longer_by_how_long_a_grant_is_valid_and_by_the_way_to_the_endpoint() -> None:
    assert PER_MINUTE.span == timedelta(seconds=66)


def test_the_first_request_may_go_at_once() -> None:
    assert placed([], Limits(10, 1000), 0, least=Amount(1, 100)) == QueuedAmount(at(0), Amount(1, 100))


def test_as_much_as_fits_is_given_and_no_more() -> None:
    queue = [QueuedAmount(at(0), Amount(7, 500))]
    given = placed(queue, Limits(10, 1000), 5, least=Amount(1, 100), most=Amount(8, 800))
    assert given == QueuedAmount(at(5), Amount(3, 500))


def test_a_full_window_is_waited_out() -> None:
    queue = [QueuedAmount(at(0), Amount(6, 60)), QueuedAmount(at(10), Amount(4, 40))]
    assert placed(queue, Limits(10, None), 30, least=Amount(1, 10)).at == at(66)
    assert placed(queue, Limits(10, None), 30, least=Amount(7, 10)).at == at(76)


def test_tokens_are_waited_for_where_requests_are_free() -> None:
    queue = [QueuedAmount(at(0), Amount(1, 600)), QueuedAmount(at(20), Amount(1, 300))]
    given = placed(queue, Limits(100, 1000), 30, least=Amount(1, 700), most=Amount(5, 2000))
    # At 66 s the first 600 are out of the window: 1,000 less the 300 of the second.
    assert given == QueuedAmount(at(66), Amount(5, 700))


def test_without_a_limit_everything_that_is_asked_for_is_given() -> None:
    given = placed([], Limits(None, 50), 0, least=Amount(1, 10), most=Amount(1000, 50))
    assert given.amount == Amount(1000, 50)


def test_nobody_overtakes_a_large_request_that_waits() -> None:
    limits = Limits(None, 1000)
    queue = [QueuedAmount(at(0), Amount(9, 900))]
    queue.append(placed(queue, limits, 1, least=Amount(1, 800)))
    assert queue[-1].at == at(66)
    small = placed(queue, limits, 2, least=Amount(1, 10))
    assert small.at == at(66)


def test_a_clock_that_is_behind_does_not_bring_a_grant_before_the_last_one() -> None:
    queue = [QueuedAmount(at(10), Amount(1, 1))]
    assert placed(queue, Limits(10, None), 7, least=Amount(1, 1)).at == at(10)


def test_what_never_fits_is_refused() -> None:
    with pytest.raises(ValueError, match="No window"):
        placed([], Limits(10, 1000), 0, least=Amount(1, 1001))
    with pytest.raises(ValueError, match="No window"):
        placed([], Limits(0, None), 0, least=Amount(1, 1))


@pytest.mark.parametrize("seed", range(20))
def test_no_window_holds_more_than_the_limits_whatever_is_asked_for(seed: int) -> None:
    rng = random.Random(seed)
    limits = Limits(rng.choice([None, 5, 40, 300]), rng.choice([2000, 10_000]))
    queue: list[QueuedAmount] = []
    now = 0.0
    for _ in range(400):
        now += rng.expovariate(1.0)
        least = Amount(1, rng.randrange(1, 2001))
        most = Amount(rng.randrange(1, 30), least.tokens + rng.randrange(5000))
        # Clocks differ a little from worker to worker.
        given = placed(queue, limits, now + rng.uniform(-1, 1), least=least, most=most)
        assert given.amount.covers(least)
        assert most.covers(given.amount)
        queue.append(given)
    assert [given.at for given in queue] == sorted(given.at for given in queue)
    for last in queue:
        window = [given for given in queue if last.at - WINDOW.span < given.at <= last.at]
        assert sum(given.amount.requests for given in window) <= (limits.requests or 10**9)
        assert sum(given.amount.tokens for given in window) <= (limits.tokens or 10**9)


def test_limits_that_are_wanted_are_used_up_to_the_share_that_the_longer_window_leaves() -> None:
    limits = Limits(60, None)
    queue: list[QueuedAmount] = []
    while not queue or queue[-1].at < at(660):
        queue.append(placed(queue, limits, 0, least=Amount(1, 1), most=Amount(3, 3)))
    # Ten spans of 66 s, and the first of the eleventh: all 60 in each of them.
    assert sum(given.amount.requests for given in queue if given.at < at(660)) == 600


def test_a_worker_asks_for_what_waits_and_a_second_more() -> None:
    least, most = chunk([100, 50], Amount(8, 900), Limits(None, None))
    assert (least, most) == (Amount(1, 100), Amount(10, 1050))


def test_a_worker_asks_for_a_twentieth_of_a_limit_at_most_and_for_one_request_at_least() -> None:
    waiting = [100] * 64
    assert chunk(waiting, Amount(50, 5000), Limits(600, 20_000)) == (Amount(1, 100), Amount(30, 1000))
    assert chunk(waiting, Amount(50, 5000), Limits(5, 1000)) == (Amount(1, 100), Amount(1, 100))
