"""Which time it is for whatever people do, where the host's clock may be wrong.

With PostgreSQL the database's clock counts: it is one, however many machines there are. With SQLite the
host's counts. Either is compared with a clock that nobody sets (see `studies.clock`).
"""

import time
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import structlog
from django.db import connection
from django.utils import timezone

from studies.clock import TOLERANCE
from studies.models import ClockWatch
from studies.services.database import database_now

# Linux's counts while the machine sleeps; so does macOS's, which goes by the other name.
UNSET_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
ASKED_EVERY_SECONDS = 60.0

log = structlog.get_logger("chiron.clock")


try:
    BOOT_ID = BOOT_ID_FILE.read_text().strip()
except OSError:
    # Elsewhere than on Linux only this process's own readings are compared.
    BOOT_ID = str(uuid4())


def server_now() -> datetime:
    """The time for what people do and for mails; never refuses.

    The host's, unless it is wrong by more than the tolerance: then the one that was last believed on this
    machine, or else PostgreSQL's, carried on. Asks the database once a minute.
    """
    host, seconds = timezone.now(), time.clock_gettime(UNSET_CLOCK)
    known = _known.at(seconds)
    if known is None or abs(host - known) <= TOLERANCE:
        say_doubt("pages", "")
        return host
    off = off_in_words(host - known)
    say_doubt("pages", f"This host's clock is {off} where it should be; pages go by the right time.")
    return known


class _Known:
    """What the time is by another clock than the host's: asked for now and then, carried on in between."""

    def __init__(self) -> None:
        self._asked_at = float("-inf")
        self._base: tuple[datetime, float] | None = None

    def at(self, seconds: float) -> datetime | None:
        if seconds - self._asked_at >= ASKED_EVERY_SECONDS:
            # What another machine or an earlier start believed cannot be carried on by this one's seconds.
            row = ClockWatch.objects.filter(pk=1, boot_id=BOOT_ID, settling_since=None).first()
            if row:
                self._base = row.at, row.boot_seconds
            elif connection.vendor == "postgresql":
                self._base = database_now(), time.clock_gettime(UNSET_CLOCK)
            else:
                self._base = None
            self._asked_at = seconds
        if self._base is None:
            return None
        moment, then = self._base
        return moment + timedelta(seconds=seconds - then)

    def forget(self) -> None:
        self._asked_at = float("-inf")


_known = _Known()
_said: dict[str, str] = {}


def say_doubt(about: str, doubt: str) -> None:
    """Log a doubt that was not there before, or has changed, and its end."""
    if _said.get(about, "") == doubt:
        return
    _said[about] = doubt
    if doubt:
        log.error("the clock is in doubt", about=about, doubt=doubt)
    else:
        log.warning("the clock is no longer in doubt", about=about)


def off_in_words(off: timedelta) -> str:
    seconds = round(off.total_seconds())
    return f"{seconds:,} s ahead of" if seconds > 0 else f"{-seconds:,} s behind"
