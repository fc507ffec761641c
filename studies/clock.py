"""Whether a clock may end anything: its readings beside a clock that nobody sets and beside what is stored.

A session that ends and data that are deleted stay so, and a wrong clock would do both too early. Wherever
there is doubt, both wait: that costs nobody anything, because lateness is decided by the stored deadline.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

# By so much clocks may differ, or be corrected, without a doubt.
TOLERANCE = timedelta(seconds=30)
# Off for no longer than this, a machine was only restarted.
RESTART = timedelta(minutes=2)


class Ending(StrEnum):
    """What a passing moment may end."""

    MAILS = "mails"
    LEFTOVERS = "leftovers"
    SESSIONS = "sessions"
    DELETIONS = "deletions"


SETTLED_AFTER: Mapping[Ending, timedelta] = {
    Ending.MAILS: timedelta(minutes=10),
    Ending.LEFTOVERS: timedelta(minutes=10),
    Ending.SESSIONS: timedelta(minutes=10),
    Ending.DELETIONS: timedelta(hours=1),
}
"""How long a clock runs evenly after a longer pause before it may end this.

A machine that was off overnight cannot be told from one whose clock was wrong when it started. Within minutes
the network's time has corrected the latter. What was deleted cannot be brought back, so that waits longer.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the clock showed, and how long the machine had been up by a clock that nobody sets.

    Seconds of one `boot_id` can be compared; those of another machine or another start of it cannot.
    """

    at: datetime
    boot_id: str
    boot_seconds: float


@dataclass(frozen=True, slots=True)
class Belief:
    """The last reading that was believed.

    `settling_since` is set while the clock is only watched after a pause; `proven_at` is then the last moment
    before the pause, otherwise `at`. `was_ahead`: readings have jumped ahead of this one since.
    """

    at: datetime
    boot_id: str
    boot_seconds: float
    proven_at: datetime
    settling_since: datetime | None = None
    was_ahead: bool = False

    def may_end(self, ending: Ending) -> bool:
        """Whether the clock has run evenly for long enough."""
        return self.settling_since is None or self.at - self.settling_since >= SETTLED_AFTER[ending]


@dataclass(frozen=True, slots=True)
class Judgement:
    """`belief` is None where the clock is not believed; `off` is then by how much it is ahead (or behind)."""

    belief: Belief | None
    off: timedelta = timedelta()


def clock_judged(before: Belief | None, reading: Reading, *, newest_stored: datetime | None) -> Judgement:
    """Judge a reading by the last one believed.

    `newest_stored`, the newest time in the stored facts, counts where the two cannot be compared.
    """
    if before is None or before.boot_id != reading.boot_id:
        return _after_pause(before, reading, newest_stored)
    # What the clock would show by now if nobody had set it.
    expected = before.at + timedelta(seconds=reading.boot_seconds - before.boot_seconds)
    off, since = reading.at - expected, before.settling_since
    if abs(off) <= TOLERANCE:
        # Still only watched: the last proven moment stays the one before the pause.
        if since is not None and reading.at - since < max(SETTLED_AFTER.values()):
            belief = replace(before, at=reading.at, boot_seconds=reading.boot_seconds, was_ahead=False)
            return Judgement(belief)
        return Judgement(proven(reading))
    # Set while it was only watched, it has probably been corrected: it is watched anew.
    return Judgement(None, off) if since is None else _after_pause(before, reading, newest_stored)


def _after_pause(before: Belief | None, reading: Reading, newest_stored: datetime | None) -> Judgement:
    last = before.proven_at if before else newest_stored
    if last is None:
        return Judgement(proven(reading))
    off = reading.at - last
    # Something stored is newer than the clock: it is slow now, or was fast then.
    behind = reading.at - max(last, newest_stored or last)
    if behind < -TOLERANCE:
        return Judgement(None, behind)
    if off <= RESTART:
        return Judgement(proven(reading))
    # Nothing shows that a clock that had jumped ahead is right again.
    if before is not None and before.was_ahead:
        return Judgement(None, off)
    since = reading.at
    # Another machine that goes on watching at once, or a short restart, does not begin anew.
    if before is not None and before.settling_since is not None and before.boot_id != reading.boot_id:
        at_once = timedelta(0) <= reading.at - before.at <= RESTART
        since = before.settling_since if at_once else reading.at
    return Judgement(replace(proven(reading), proven_at=last, settling_since=since))


def proven(reading: Reading) -> Belief:
    """A reading that is believed without a doubt."""
    return Belief(reading.at, reading.boot_id, reading.boot_seconds, proven_at=reading.at)
