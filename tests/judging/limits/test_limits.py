"""A judge's limits: no window ever holds more, whatever is sent and however much it took."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given, strategies as st

from judging.services.running.limits import (
    MAX_CALLS_AT_A_TIME,
    PER_MINUTE,
    Limits,
    LimitTooLow,
    Window,
    why_too_low,
)

START = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)
WINDOW = Window(length=60.0, margin=3.0)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def limits_of(requests: int | None = None, tokens: int | None = None, *, concurrency: int = 100) -> Limits:
    limits = Limits(window=WINDOW)
    limits.requests, limits.tokens, limits.concurrency = requests, tokens, concurrency
    return limits


def admitted(limits: Limits, seconds: float, tokens: int = 10) -> UUID | None:
    uid = uuid4()
    return uid if limits.admit(uid, tokens, at(seconds)) else None


def test_a_window_is_longer_by_the_way_to_the_endpoint() -> None:
    assert PER_MINUTE.span == timedelta(seconds=63)


def test_calls_at_a_time_are_bounded_and_places_come_back() -> None:
    limits = limits_of(concurrency=2)
    first, second = admitted(limits, 0), admitted(limits, 0)
    assert (first is None, second is None, admitted(limits, 0)) == (False, False, None)
    assert first is not None
    limits.settle(first, 10)
    assert admitted(limits, 0) is not None
    limits.concurrency = 10_000
    assert limits.room(at(0)) == MAX_CALLS_AT_A_TIME - 2


def test_calls_of_the_owner_before_take_places() -> None:
    limits = limits_of(concurrency=3)
    limits.elsewhere = 2
    assert limits.room(at(0)) == 1
    limits.elsewhere = 5
    assert limits.room(at(0)) == 0


def test_a_full_window_is_waited_out() -> None:
    limits = limits_of(requests=3)
    sent = [admitted(limits, seconds) for seconds in (0, 10, 20)]
    assert None not in sent
    assert admitted(limits, 62.9) is None
    assert admitted(limits, 63) is not None
    assert (admitted(limits, 72.9), admitted(limits, 73) is None) == (None, False)


def test_what_was_sent_before_the_owner_counts() -> None:
    limits = limits_of(requests=2, tokens=1000)
    limits.note(at(-30), 400)
    limits.note(at(-10), 400)
    assert limits.room(at(0)) == 0
    assert limits.room(at(33)) == 1
    assert admitted(limits, 33, tokens=601) is None
    assert admitted(limits, 33, tokens=600) is not None


def test_tokens_are_corrected_by_what_a_reply_took() -> None:
    limits = limits_of(tokens=1000)
    uid = admitted(limits, 0, tokens=900)
    assert uid is not None
    assert admitted(limits, 1, tokens=200) is None
    limits.settle(uid, 100)
    assert admitted(limits, 1, tokens=900) is not None


def test_where_nobody_knows_what_it_took_it_counts_as_estimated() -> None:
    limits = limits_of(tokens=1000)
    uid = admitted(limits, 0, tokens=900)
    assert uid is not None
    limits.settle(uid, None)
    assert admitted(limits, 1, tokens=101) is None
    assert admitted(limits, 1, tokens=100) is not None


def test_estimates_grow_where_replies_take_more_and_no_request_becomes_impossible() -> None:
    limits = limits_of(tokens=1000)
    uid = admitted(limits, 0, tokens=100)
    assert uid is not None
    limits.settle(uid, 300)
    # The next ones are taken to be three times their estimate, too: 300 and twice 300 fit.
    assert [admitted(limits, 1, tokens=100) is not None for _ in range(3)] == [True, True, False]
    assert admitted(limits, 70, tokens=1000) is not None


def test_the_correction_of_estimates_does_not_grow_by_itself_and_falls_where_none_is_needed() -> None:
    limits = limits_of(tokens=1000)

    def fits(seconds: float) -> int:
        """How many of 100 tokens each are admitted in an empty window."""
        uids = []
        while uid := admitted(limits, seconds, tokens=100):
            uids.append(uid)
        for uid in uids:
            limits.withdraw(uid)
        return len(uids)

    for turn in range(20):
        uid = admitted(limits, 100 * turn, tokens=100)
        assert uid is not None
        limits.settle(uid, 300)
    assert fits(5000) == 3
    for turn in range(100):
        uid = admitted(limits, 10_000 + 100 * turn, tokens=100)
        assert uid is not None
        limits.settle(uid, 90)
    assert fits(50_000) == 10


def test_what_was_sent_before_the_clock_was_set_back_leaves_the_window_in_time() -> None:
    limits = limits_of(requests=1)
    assert admitted(limits, 3600) is not None
    assert limits.room(at(0)) == 0
    assert limits.room(at(63)) == 1


def test_an_endpoint_that_has_too_much_to_do_is_left_alone_and_then_sent_half() -> None:
    limits = limits_of(concurrency=16)
    sent = [uid for _ in range(16) if (uid := admitted(limits, 0))]
    for uid in sent:
        limits.ease(uid, None, at(1))
        limits.settle(uid, None)
    assert (limits.room(at(1.9)), limits.room(at(2))) == (0, 8)
    again = [uid for _ in range(8) if (uid := admitted(limits, 2))]
    limits.ease(again[0], 30.0, at(3))
    limits.settle(again[0], None)
    assert limits.room(at(32.9)) == 0
    for uid in again[1:]:  # sent before it was left alone: nothing new is learned of it
        limits.quicken(uid)
        limits.settle(uid, 10)
    assert limits.room(at(33)) == 4
    for number in range(4):
        uid = admitted(limits, 34 + number)
        assert uid is not None
        limits.quicken(uid)
        limits.settle(uid, 10)
    assert limits.room(at(40)) in (4, 5)


def test_after_somebody_had_it_asked_at_once_an_endpoint_is_sent_more_again() -> None:
    limits = limits_of(concurrency=16)
    first = admitted(limits, 0)
    assert first is not None
    limits.ease(first, 600.0, at(1))
    limits.settle(first, None)
    assert limits.room(at(10)) == 0
    limits.held_until = None
    for number in range(40):
        uid = admitted(limits, 10 + number)
        assert uid is not None
        limits.quicken(uid)
        limits.settle(uid, 10)
    assert limits.room(at(60)) > 4


def test_a_clock_that_was_set_back_neither_counts_a_request_off_twice_nor_holds_an_endpoint() -> None:
    limits = limits_of(requests=1, tokens=1000)
    uid = admitted(limits, 0, tokens=900)
    assert uid is not None
    limits.held_until = at(100)
    assert limits.room(at(101)) == 1
    limits.settle(uid, 800)
    assert limits.room(at(-7200)) == 1
    assert admitted(limits, -7200, tokens=1000) is not None
    assert admitted(limits, -7100, tokens=1000) is not None


def test_one_absurd_count_of_tokens_does_not_stop_a_judge() -> None:
    limits = limits_of(tokens=100_000)
    uid = admitted(limits, 0, tokens=1000)
    assert uid is not None
    limits.settle(uid, 4_000_000_000)
    sent = 0
    for turn in range(60):
        while uid := admitted(limits, 100 + turn, tokens=1000):
            sent += 1
            limits.settle(uid, 1000)
    assert sent >= 90


def test_what_was_not_sent_does_not_count() -> None:
    limits = limits_of(requests=1, tokens=100)
    uid = admitted(limits, 0, tokens=100)
    assert uid is not None
    limits.withdraw(uid)
    assert admitted(limits, 0, tokens=100) is not None


def test_what_is_settled_or_withdrawn_once_it_left_the_window_changes_nothing() -> None:
    limits = limits_of(tokens=1000, requests=10)
    uid = admitted(limits, 0, tokens=1000)
    assert uid is not None
    assert limits.room(at(100)) == 10
    limits.settle(uid, 5)
    second = admitted(limits, 100, tokens=1000)
    assert second is not None
    assert limits.room(at(200)) == 10
    limits.withdraw(second)
    assert admitted(limits, 200, tokens=1000) is not None
    assert admitted(limits, 201, tokens=1) is None


def test_a_limit_that_is_set_while_calls_are_under_way_counts_them() -> None:
    limits = limits_of()
    first, second = admitted(limits, 0, tokens=100), admitted(limits, 1, tokens=100)
    assert first is not None
    assert second is not None
    limits.requests, limits.tokens = 2, 250
    limits.withdraw(first)
    limits.settle(second, 200)
    assert admitted(limits, 2, tokens=51) is None
    limits.tokens = None
    assert admitted(limits, 2) is not None
    assert admitted(limits, 3) is None


@pytest.mark.parametrize(
    ("requests", "tokens", "words"),
    [(0, None, "allows 0 requests per minute"), (None, 1000, "1,000 tokens per minute")],
)
def test_what_never_fits_is_refused_in_words(requests: int | None, tokens: int | None, words: str) -> None:
    limits = limits_of(requests=requests, tokens=tokens)
    with pytest.raises(LimitTooLow) as caught:
        limits.admit(uuid4(), 1001, at(0))
    assert words in why_too_low("judge", limits, caught.value.tokens)


TRAFFIC = st.lists(
    st.tuples(
        # Seconds until it, tokens as estimated, what it took of that in tenths, calls until its reply.
        st.floats(0, 20), st.integers(1, 1000), st.integers(0, 10), st.integers(0, 5),
    ),
    max_size=120,
)  # fmt: skip


@given(
    traffic=TRAFFIC,
    requests=st.sampled_from([None, 1, 5, 40]),
    tokens=st.sampled_from([None, 1000, 4000]),
    concurrency=st.integers(1, 6),
)
def test_no_window_holds_more_than_the_limits_whatever_is_sent(
    traffic: list[tuple[float, int, int, int]], requests: int | None, tokens: int | None, concurrency: int
) -> None:
    limits = limits_of(requests=requests, tokens=tokens, concurrency=concurrency)
    now, sent, left = 0.0, list[tuple[float, UUID, int]](), Counter[UUID]()
    took: dict[UUID, int] = {}
    counted: dict[UUID, int] = {}
    for wait, estimate, tenths, replies_in in traffic:
        now += wait
        for uid in [uid for uid, turns in left.items() if not turns]:
            del left[uid]
            limits.settle(uid, took[uid])
            counted[uid] = took[uid]
        left = Counter({uid: turns - 1 for uid, turns in left.items()})
        uid = uuid4()
        if limits.admit(uid, estimate, at(now)):
            sent.append((now, uid, estimate))
            left[uid], counted[uid], took[uid] = replies_in, estimate, estimate * tenths // 10
        assert len(left) <= concurrency
        window = [uid for moment, uid, _ in sent if now - moment < WINDOW.span.total_seconds()]
        assert len(window) <= (requests or 10**9)
        assert sum(counted[uid] for uid in window) <= (tokens or 10**9)


def test_limits_are_used_up_to_the_share_that_the_longer_window_leaves() -> None:
    limits, sent = limits_of(requests=60, concurrency=256), 0
    for tenth in range(6300):
        while uid := admitted(limits, tenth / 10):
            limits.settle(uid, 10)
            sent += 1
    # Ten spans of 63 s: all 60 in each of them.
    assert sent == 600
