"""What an open page says about itself, and what the server believes of it.

All of it is a participant's claim: it is shown to the study team and recorded, and decides nothing. It ends
or delays no session and touches no answer. What the server saw itself limits what it believes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

# An open page in view says something about every 20 seconds; by now it would have, twice.
UNHEARD_AFTER = timedelta(seconds=60)
# A shorter interruption is one lost request, which is simply tried again.
SHORTEST_LOSS = timedelta(seconds=5)
# Two pages in view, of two devices, within this.
TOGETHER = timedelta(seconds=60)
TOGETHER_AGAIN_AFTER = timedelta(minutes=10)
CLOCK_OFF_FROM = timedelta(seconds=60)
# What a clock seems to be off by changes a little with every request.
CLOCK_JITTER_SECONDS = 2
MAX_FAILED_SAVES = 999
# No page can fill the trail: so far apart, and so many of one session.
NOTED_APART = timedelta(seconds=5)
MAX_NOTED = 100


class NoteKind(StrEnum):
    """What is worth a line in the trail."""

    SAVES_FAILED = "saves_failed"
    CONTACT_LOST = "contact_lost"
    TWO_DEVICES = "two_devices"
    CLOCK_OFF = "clock_off"


@dataclass(frozen=True, slots=True)
class PageReport:
    """What a page says of itself.

    `failed_saves` counts the saves that failed since one last succeeded, `failing_seconds` is how long ago
    the first of them was, `is_saved` whether a save got through since. `lost_seconds`: how long the server
    was not reached since the last report. `clock_off_seconds`: how far the device's clock is ahead.
    """

    device: str
    is_hidden: bool = False
    clock_off_seconds: int | None = None
    failed_saves: int = 0
    failing_seconds: int = 0
    is_saved: bool = True
    lost_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Contact:
    """What is kept of the reports of a session: the newest, and the last trouble with its start and end.

    `trouble_ended_at` is None while the trouble goes on. `noted` counts the lines in the trail, `noted_at` is
    when the last was written.
    """

    device: str
    heard_at: datetime
    is_hidden: bool = False
    clock_off_seconds: int | None = None
    failed_saves: int = 0
    lost_seconds: int = 0
    trouble_since: datetime | None = None
    trouble_ended_at: datetime | None = None
    other_device_at: datetime | None = None
    noted: int = 0
    noted_at: datetime | None = None

    @property
    def in_trouble(self) -> bool:
        """Whether saves were failing when the page was last heard."""
        return self.trouble_since is not None and self.trouble_ended_at is None


@dataclass(frozen=True, slots=True)
class Note:
    """One line for the trail."""

    kind: NoteKind
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heard:
    """`is_kept` is False where the page is to tell its news again a little later."""

    contact: Contact
    notes: tuple[Note, ...]
    is_kept: bool


def page_heard(before: Contact | None, report: PageReport, *, started_at: datetime, now: datetime) -> Heard:
    """What becomes of what is known when a page reports at `now`."""
    known = before or Contact(report.device, started_at)
    here = replace(known, device=report.device, heard_at=now, is_hidden=report.is_hidden)
    # How long the page was cut off: never longer than it was not heard.
    gap = now - known.heard_at
    claimed = min(timedelta(seconds=report.lost_seconds), gap)
    loss = None
    if claimed >= SHORTEST_LOSS:
        loss = _Loss(int(claimed.total_seconds()), "page")
    elif before is not None and not before.is_hidden and gap > UNHEARD_AFTER:
        loss = _Loss(int(gap.total_seconds()), "server")
    after = _with_trouble(here, known, report, loss, started_at=started_at, now=now)
    off, off_before = report.clock_off_seconds, known.clock_off_seconds
    if off is None or (off_before is not None and abs(off - off_before) <= CLOCK_JITTER_SECONDS):
        off = off_before  # nothing new
    after = replace(after, clock_off_seconds=off)
    # Two devices have this session in view. Whoever moves from one to the other leaves the first.
    if (
        before is not None
        and before.device != report.device
        and not (before.is_hidden or report.is_hidden)
        and now - before.heard_at <= TOGETHER
    ):
        after = replace(after, other_device_at=now)
    notes = tuple(_notes(before, after, report, loss, now))
    if notes and known.noted_at is not None and now - known.noted_at < NOTED_APART:
        return Heard(here, (), is_kept=False)
    notes = notes[: max(0, MAX_NOTED - known.noted)]
    if notes:
        after = replace(after, noted=known.noted + len(notes), noted_at=now)
    return Heard(after, notes, is_kept=True)


@dataclass(frozen=True, slots=True)
class _Loss:
    seconds: int
    measured_by: str


def _with_trouble(
    here: Contact,
    known: Contact,
    report: PageReport,
    loss: _Loss | None,
    *,
    started_at: datetime,
    now: datetime,
) -> Contact:
    failed = min(report.failed_saves, MAX_FAILED_SAVES)
    if not failed and loss is None:
        # A page that knows of no trouble has taken the place of one that had some.
        is_over = known.in_trouble and report.device == known.device
        return replace(here, trouble_ended_at=now) if is_over else here
    lost = loss.seconds if loss else 0
    ago = timedelta(seconds=max(report.failing_seconds if failed else 0, lost))
    since = max(started_at, now - ago)
    if known.in_trouble and known.trouble_since:  # a trouble that goes on began when it began
        since = min(since, known.trouble_since)
    return replace(
        here,
        failed_saves=failed,
        lost_seconds=max(lost, known.lost_seconds) if known.in_trouble else lost,
        trouble_since=since,
        trouble_ended_at=None if failed and not report.is_saved else now,
    )


def _notes(
    before: Contact | None, after: Contact, report: PageReport, loss: _Loss | None, now: datetime
) -> list[Note]:
    notes = []
    if report.failed_saves and not (before and before.in_trouble and after.in_trouble):
        failed = {
            "failed_saves": after.failed_saves,
            "for_seconds": int((now - (after.trouble_since or now)).total_seconds()),
            "saved_since": report.is_saved,
        }
        notes.append(Note(NoteKind.SAVES_FAILED, failed))
    if loss is not None:
        lost = {"for_seconds": loss.seconds, "measured_by": loss.measured_by}
        notes.append(Note(NoteKind.CONTACT_LOST, lost))
    if after.other_device_at == now:
        last = before.other_device_at if before else None
        if last is None or now - last > TOGETHER_AGAIN_AFTER:
            notes.append(Note(NoteKind.TWO_DEVICES, {}))
    limit = CLOCK_OFF_FROM.total_seconds()
    off = after.clock_off_seconds or 0
    known = (before.clock_off_seconds or 0) if before else 0
    # What is in the trail already is news only once it is off by as much again.
    if abs(off) >= limit and (abs(known) < limit or abs(off - known) >= limit):
        notes.append(Note(NoteKind.CLOCK_OFF, {"clock_off_seconds": after.clock_off_seconds}))
    return notes
