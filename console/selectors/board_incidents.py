"""What went wrong in a running session, from what reached the server and what its page says of itself."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from batches.rules.contact import CLOCK_OFF_FROM, UNHEARD_AFTER

# People think, read and eat: only a long silence is worth a look.
SILENT_AFTER = timedelta(minutes=20)
# A trouble that is over, and a second device that is gone, are shown for so long.
SHOWN_AFTERWARDS = timedelta(minutes=10)


class Incident(StrEnum):
    """The worst first."""

    OFFLINE = "offline"
    NOT_SAVING = "not_saving"
    TWO_DEVICES = "two_devices"
    LATE = "late"
    SILENT = "silent"
    ABSENT = "absent"
    CLOCK_OFF = "clock_off"
    RECOVERED = "recovered"


@dataclass(frozen=True)
class Row:
    """One session. `conflicts` are texts refused because another tab or device had saved newer ones.

    From `heard_at` on it is what the open page said of itself (see `batches.rules.contact`); all None where
    it never said anything. What changes with every such report is no part of the board's tag, only what
    follows from it is: `incidents`, and `unheard_since` where the page is offline.
    """

    pk: uuid.UUID
    code: str
    profile: str
    is_test: bool
    set_number: int
    status: str
    voided: bool
    started_at: datetime
    deadline_at: datetime
    ended_at: datetime | None
    extended_seconds: int
    questions: int
    answered: int
    last_save: datetime | None
    last_seen: datetime | None
    conflicts: int
    late_texts: int
    heard_at: datetime | None = field(default=None, repr=False)
    is_hidden: bool | None = field(default=None, repr=False)
    clock_off_seconds: int | None = None
    failed_saves: int | None = None
    lost_seconds: int | None = None
    trouble_since: datetime | None = None
    trouble_ended_at: datetime | None = None
    other_device_at: datetime | None = field(default=None, repr=False)
    incidents: tuple[Incident, ...] = ()
    unheard_since: datetime | None = None

    @property
    def last_sign(self) -> datetime:
        """When the person last did anything that reached the server."""
        return max(moment for moment in (self.started_at, self.last_save, self.last_seen) if moment)


def incidents_of(row: Row, now: datetime) -> tuple[Incident, ...]:
    """Everything that holds at `now`."""
    heard = row.heard_at is not None
    is_offline = heard and not row.is_hidden and not _within(row.heard_at, UNHEARD_AFTER, now)
    fails = row.trouble_since is not None and row.trouble_ended_at is None
    is_silent = not is_offline and not fails and not _within(row.last_sign, SILENT_AFTER, now)
    holding = {
        Incident.OFFLINE: is_offline,
        Incident.NOT_SAVING: fails and not is_offline,
        Incident.TWO_DEVICES: row.conflicts > 0 or _within(row.other_device_at, SHOWN_AFTERWARDS, now),
        Incident.LATE: row.late_texts > 0,
        Incident.SILENT: is_silent and not row.is_hidden,
        Incident.ABSENT: is_silent and bool(row.is_hidden),
        Incident.CLOCK_OFF: abs(row.clock_off_seconds or 0) >= CLOCK_OFF_FROM.total_seconds(),
        Incident.RECOVERED: not is_offline and _within(row.trouble_ended_at, SHOWN_AFTERWARDS, now),
    }
    return tuple(incident for incident, holds in holding.items() if holds)


def _within(moment: datetime | None, span: timedelta, now: datetime) -> bool:
    return moment is not None and now - moment <= span
