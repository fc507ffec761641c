"""Which readings of a clock are believed, and what it may end then."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from studies.clock import Belief, Ending, Judgement, Reading, clock_judged

NOON = datetime(2030, 5, 1, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{name: 1}) for name in ("seconds", "minutes", "hours", "days"))
NOTHING = timedelta()
BELIEVED = Belief(NOON, "one", 1000.0, proven_at=NOON)


def later(by: timedelta, *, off: timedelta = NOTHING, boot_id: str = "one") -> Reading:
    """What the clock shows `by` later, set by `off` meanwhile; the seconds of another start begin anew."""
    seconds = (1000.0 if boot_id == "one" else 0.0) + by.total_seconds()
    return Reading(NOON + by + off, boot_id, seconds)


def judged(
    before: Belief | None, reading: Reading, newest_stored: datetime | None = None
) -> tuple[Judgement, Belief]:
    judgement = clock_judged(before, reading, newest_stored=newest_stored)
    assert judgement.belief is not None
    return judgement, judgement.belief


def endings(belief: Belief) -> set[Ending]:
    return {ending for ending in Ending if belief.may_end(ending)}


@pytest.mark.parametrize("by", [SECOND, HOUR, 400 * DAY])
@pytest.mark.parametrize("off", [NOTHING, 30 * SECOND, -30 * SECOND])
def test_a_clock_that_runs_on_evenly_may_end_everything_however_long_nobody_looked(
    by: timedelta, off: timedelta
) -> None:
    """So it does after hours of sleep: the clock that nobody sets counts them."""
    _, belief = judged(BELIEVED, later(by, off=off))
    assert belief.at == belief.proven_at == NOON + by + off
    assert endings(belief) == set(Ending)


@pytest.mark.parametrize("off", [31 * SECOND, HOUR, DAY, -31 * SECOND, -HOUR, -DAY])
def test_a_jump_is_not_believed_until_the_clock_is_back(off: timedelta) -> None:
    assert clock_judged(BELIEVED, later(MINUTE, off=off), newest_stored=None) == Judgement(None, off)
    held = replace(BELIEVED, was_ahead=off > NOTHING)
    assert clock_judged(held, later(2 * DAY, off=off), newest_stored=None) == Judgement(None, off)
    _, belief = judged(held, later(3 * DAY))
    assert endings(belief) == set(Ending)
    assert not belief.was_ahead


def test_a_short_restart_changes_nothing() -> None:
    _, belief = judged(BELIEVED, later(2 * MINUTE, boot_id="two"))
    assert endings(belief) == set(Ending)


def test_after_a_night_off_sessions_end_in_ten_minutes_and_deletions_in_an_hour() -> None:
    _, at_first = judged(BELIEVED, later(10 * HOUR, boot_id="two"))
    assert endings(at_first) == set()
    _, soon = judged(at_first, later(10 * HOUR + 9 * MINUTE, boot_id="two"))
    assert endings(soon) == set()
    _, ten = judged(soon, later(10 * HOUR + 10 * MINUTE, boot_id="two"))
    assert endings(ten) == set(Ending) - {Ending.DELETIONS}
    _, hour = judged(ten, later(11 * HOUR, boot_id="two"))
    assert endings(hour) == set(Ending)
    assert hour.settling_since is None


def test_a_clock_that_is_corrected_after_the_start_settles_anew() -> None:
    _, wrong = judged(BELIEVED, later(10 * HOUR, off=30 * DAY, boot_id="two"))
    _, still = judged(wrong, later(10 * HOUR + 9 * MINUTE, off=30 * DAY, boot_id="two"))
    _, right = judged(still, later(10 * HOUR + 10 * MINUTE, boot_id="two"))
    assert endings(right) == set()
    assert right.settling_since == NOON + 10 * HOUR + 10 * MINUTE
    assert right.proven_at == NOON


def test_a_start_in_the_past_waits_for_the_correction() -> None:
    reading = later(NOTHING, off=-HOUR, boot_id="two")
    assert clock_judged(BELIEVED, reading, newest_stored=None) == Judgement(None, -HOUR)
    _, corrected = judged(BELIEVED, later(HOUR, boot_id="two"))
    assert corrected.settling_since == NOON + HOUR


def test_a_start_before_what_is_stored_is_not_believed() -> None:
    stored = NOON + DAY
    off = Judgement(None, -HOUR)
    assert clock_judged(BELIEVED, later(23 * HOUR, boot_id="two"), newest_stored=stored) == off
    assert clock_judged(None, later(23 * HOUR), newest_stored=stored) == off


def test_what_jumped_ahead_is_not_believed_after_a_restart_either() -> None:
    held = replace(BELIEVED, was_ahead=True)
    assert clock_judged(held, later(HOUR, boot_id="two"), newest_stored=None) == Judgement(None, HOUR)


def test_a_new_site_believes_its_clock_and_an_old_one_lets_it_settle() -> None:
    assert endings(judged(None, later(NOTHING))[1]) == set(Ending)
    assert endings(judged(None, later(NOTHING), NOON - MINUTE)[1]) == set(Ending)
    assert endings(judged(None, later(NOTHING), NOON - HOUR)[1]) == set()


def test_machines_that_take_turns_settle_together() -> None:
    _, belief = judged(BELIEVED, later(10 * HOUR, boot_id="two"))
    for minute in range(1, 62):
        reading = later(10 * HOUR + minute * MINUTE, boot_id="three" if minute % 2 else "two")
        _, belief = judged(belief, reading)
    assert endings(belief) == set(Ending)
