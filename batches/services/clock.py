"""What a passing moment ends for good: decided by a clock that is believed (see `studies.clock`)."""

import time
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from batches.models import Revision, SessionEvent
from studies.clock import (
    SETTLED_AFTER,
    TOLERANCE,
    Belief,
    Ending,
    Judgement,
    Reading,
    clock_judged,
    proven,
)
from studies.models import ClockWatch, Study, StudyEvent, StudyStatus, User
from studies.services.clock import BOOT_ID, UNSET_CLOCK, off_in_words, say_doubt
from studies.services.database import database_now
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused

KEPT_EVERY = timedelta(minutes=1)
# What the row keeps of a belief as it is.
KEPT = ("at", "boot_id", "boot_seconds", "proven_at", "settling_since")


class ClockDoubted(Refused):
    """What time it is cannot be told for certain, so nothing ends and nothing is deleted."""


class ClocksDiffer(ClockDoubted):
    """This process and its database disagree about the time."""


class ClockJumped(ClockDoubted):
    """The clock was set, or was wrong when the machine started."""


class ClockSettling(ClockDoubted):
    """The machine was off for a while, and its clock has not run evenly for long enough."""


class ConfirmationRefused(Refused):
    """The clock cannot be confirmed like this."""


def ending_moment(ending: Ending) -> datetime:
    """The time at which it is decided what has ended. Raises ClockDoubted, which is also logged, once."""
    try:
        moment = _believed_moment(ending)
    except ClockDoubted as doubt:
        say_doubt(ending.value, str(doubt))
        raise
    say_doubt(ending.value, "")
    return moment


def clocks_agree() -> bool:
    """Whether this process's clock is near its database's; False is logged, once.

    A worker whose clock is wrong would take up what others hold by lease.
    """
    try:
        _reading()
    except ClocksDiffer as doubt:
        say_doubt("judging", str(doubt))
        return False
    say_doubt("judging", "")
    return True


def clock_confirm(*, reason: str, actor: User | None = None) -> datetime:
    """Believe the clock as it is from now on, because somebody looked; left in the trail of every study.

    Returns the time believed. Raises ConfirmationRefused or ClocksDiffer.
    """
    reason = reason.strip()
    if not reason:
        raise ConfirmationRefused("Write why the clock is right; the reason is kept in the trail.")
    reading = _reading()
    with transaction.atomic():
        before = ClockWatch.objects.select_for_update(no_key=True).filter(pk=1).first()
        _keep(proven(reading))
        for study in Study.objects.exclude(status=StudyStatus.DRAFT):
            event_record(
                study=study,
                kind=StudyEventKind.CLOCK_CONFIRMED,
                now=reading.at,
                actor=actor,
                reason=reason,
                held_since=before.held_since.isoformat() if before and before.held_since else None,
                seconds_ahead=before.held_seconds if before else 0,
            )
    return reading.at


def _believed_moment(ending: Ending) -> datetime:
    reading = _reading()
    row = ClockWatch.objects.filter(pk=1).first()
    before = None
    if row is not None:
        was_ahead = row.held_since is not None and row.held_seconds > 0
        before = Belief(**{name: getattr(row, name) for name in KEPT}, was_ahead=was_ahead)
    can_compare = before is not None and before.boot_id == reading.boot_id
    judgement = clock_judged(before, reading, newest_stored=None if can_compare else _newest_stored())
    belief = judgement.belief
    if belief is None:
        _hold(row, reading, judgement)
        raise ClockJumped(
            f"The clock is {off_in_words(judgement.off)} where it should be; nothing ends and nothing is "
            "deleted. Correct it; or, if it is right, run: manage.py confirm_clock --reason …"
        )
    # Not at every look: the row is written where it says something else, or is old.
    if (
        row is None
        or before is None
        or row.held_since is not None
        or (before.boot_id, before.settling_since) != (belief.boot_id, belief.settling_since)
        or belief.at - before.at >= KEPT_EVERY
    ):
        _keep(belief)
    if belief.settling_since is not None and not belief.may_end(ending):
        until = belief.settling_since + SETTLED_AFTER[ending]
        raise ClockSettling(
            f"The site was off for a while; {ending.value} wait until {until:%H:%M:%S} UTC, in case the "
            "clock is corrected. If it is right, manage.py confirm_clock --reason … ends the wait."
        )
    return reading.at


def _reading() -> Reading:
    """What the clock that counts shows now. Raises ClocksDiffer."""
    if connection.vendor != "postgresql":
        return Reading(timezone.now(), BOOT_ID, time.clock_gettime(UNSET_CLOCK))
    earliest = timezone.now()
    at = database_now()
    seconds, latest = time.clock_gettime(UNSET_CLOCK), timezone.now()
    # However long the question took, and wherever in it the database looked at its clock.
    ahead, behind = earliest - at, at - latest
    if max(ahead, behind) > TOLERANCE:
        off = ahead if ahead > behind else -behind
        raise ClocksDiffer(
            f"This process's clock is {off_in_words(off)} the database's; it ends, deletes and judges "
            "nothing. Correct the wrong one."
        )
    return Reading(at, BOOT_ID, seconds)


def _newest_stored() -> datetime | None:
    newest = (
        SessionEvent.objects.order_by("-pk").values_list("recorded_at", flat=True).first(),
        Revision.objects.order_by("-pk").values_list("received_at", flat=True).first(),
        StudyEvent.objects.order_by("-pk").values_list("happened_at", flat=True).first(),
    )
    return max((moment for moment in newest if moment), default=None)


def _keep(belief: Belief) -> None:
    facts = {name: getattr(belief, name) for name in KEPT}
    ClockWatch.objects.update_or_create(pk=1, defaults={**facts, "held_since": None, "held_seconds": 0})


def _hold(row: ClockWatch | None, reading: Reading, judgement: Judgement) -> None:
    seconds = round(judgement.off.total_seconds())
    if row and row.held_since is not None and row.held_seconds == seconds:
        return
    held = {"held_since": (row and row.held_since) or reading.at, "held_seconds": seconds}
    last = reading.at - judgement.off
    # Several workers may see it at once, and each find no row.
    ClockWatch.objects.update_or_create(
        pk=1, defaults=held, create_defaults={**held, "at": last, "boot_id": "", "proven_at": last}
    )
