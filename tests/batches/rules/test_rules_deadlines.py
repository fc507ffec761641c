from datetime import UTC, datetime, timedelta, timezone

from batches.rules.deadlines import Lateness, deadline, has_expired, lateness, seconds_left

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TEN_SECONDS = timedelta(seconds=10)
TICK = timedelta(microseconds=1)


def test_the_deadline_is_start_plus_budget_in_a_study_that_stays_open() -> None:
    assert deadline(started_at=NINE, budget=timedelta(hours=5), closes_at=None) == NINE + timedelta(hours=5)


def test_the_deadline_is_the_closing_time_when_that_is_earlier() -> None:
    closes_at = NINE + timedelta(hours=2)
    assert deadline(started_at=NINE, budget=timedelta(hours=5), closes_at=closes_at) == closes_at


def test_a_later_closing_time_gives_no_extra_time() -> None:
    closes_at = NINE + timedelta(hours=6)
    result = deadline(started_at=NINE, budget=timedelta(hours=5), closes_at=closes_at)
    assert result == NINE + timedelta(hours=5)


def test_a_closing_time_in_another_zone_is_compared_as_a_moment() -> None:
    closes_at = datetime(2026, 3, 2, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    assert deadline(started_at=NINE, budget=timedelta(hours=5), closes_at=closes_at) == NINE + timedelta(
        hours=1
    )


def test_the_deadline_itself_is_still_on_time() -> None:
    assert lateness(now=NINE, deadline_at=NINE, tolerance=TEN_SECONDS) is Lateness.ON_TIME


def test_the_tolerance_starts_just_after_the_deadline_and_ends_inclusively() -> None:
    assert lateness(now=NINE + TICK, deadline_at=NINE, tolerance=TEN_SECONDS) is Lateness.WITHIN_TOLERANCE
    last = NINE + TEN_SECONDS
    assert lateness(now=last, deadline_at=NINE, tolerance=TEN_SECONDS) is Lateness.WITHIN_TOLERANCE
    assert lateness(now=last + TICK, deadline_at=NINE, tolerance=TEN_SECONDS) is Lateness.LATE


def test_without_a_tolerance_everything_after_the_deadline_is_late() -> None:
    assert lateness(now=NINE + TICK, deadline_at=NINE, tolerance=timedelta(0)) is Lateness.LATE


def test_the_remaining_time_is_rounded_down_to_whole_seconds() -> None:
    now = NINE - timedelta(seconds=90, milliseconds=999)
    assert seconds_left(now=now, deadline_at=NINE) == 90


def test_the_remaining_time_is_never_negative() -> None:
    assert seconds_left(now=NINE, deadline_at=NINE) == 0
    assert seconds_left(now=NINE + timedelta(days=1), deadline_at=NINE) == 0


def test_a_session_expires_only_when_no_save_could_be_accepted_any_more() -> None:
    assert not has_expired(now=NINE, deadline_at=NINE, tolerance=TEN_SECONDS)
    assert not has_expired(now=NINE + TEN_SECONDS, deadline_at=NINE, tolerance=TEN_SECONDS)
    assert has_expired(now=NINE + TEN_SECONDS + TICK, deadline_at=NINE, tolerance=TEN_SECONDS)
