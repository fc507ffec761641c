"""Counting what the answers of a session came to, once nothing in it changes any more.

A save writes no sum: that would be one statement more for everybody. Sessions are counted by the sweep, some
time after their end; numbers over a study read the sums of these and the answers of the others, so that they
are right at any moment.
"""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter

from batches.models import Answer, Session
from batches.rules.sums import Drafted, session_sums
from studies.services.database import one_of_many_writes

# A text that arrived in time is taken even where it reaches its row late: the tolerance is five minutes at
# most, and no request is at it for ten.
SETTLED_AFTER = timedelta(minutes=15)
SESSIONS_AT_ONCE = 250
# About a second's work: a site of 100,000 people that was brought up to date is counted within half an hour.
COUNTED_AT_ONCE = 1_000
SUMS = ["answer_states", "answer_seconds", "counted_at"]


def sessions_count(*, now: datetime, at_most: int) -> int:
    """Count the answers of so many sessions that are over and not counted; return of how many."""
    number = 0
    while number < at_most:
        found = _some_counted(now, min(SESSIONS_AT_ONCE, at_most - number))
        number += found
        if not found:
            break
    return number


@one_of_many_writes()
def _some_counted(now: datetime, at_most: int) -> int:
    """Whoever lets a session run again holds its row, and finds it counted or not yet."""
    due = Session.objects.filter(counted_at=None, ended_at__lt=now - SETTLED_AFTER).order_by("ended_at")
    sessions = list(due.select_for_update(no_key=True, skip_locked=True).only("pk")[:at_most])
    sums = sums_of(sessions)
    for session in sessions:
        session.answer_states, session.answer_seconds = sums.get(session.pk, ("", ""))
        session.counted_at = now
    Session.objects.bulk_update(sessions, SUMS)
    return len(sessions)


def sums_of(sessions: Sequence[Session]) -> dict[object, tuple[str, str]]:
    """The sums of these sessions that have answers, counted now; one query."""
    columns = ("session", "revision", "has_text", "first_seen_at", "saved_at")
    answers = Answer.objects.filter(session__in=sessions).order_by("session", "prompt")
    rows = groupby(answers.values_list(*columns), itemgetter(0))
    return {key: session_sums([Drafted(*facts) for _key, *facts in some]) for key, some in rows}


def sessions_differing(sessions: Sequence[Session]) -> list[Session]:
    """Those of these sessions that are counted whose sums are not what their answers come to; one query."""
    sums = sums_of(sessions)
    return [one for one in sessions if sums.get(one.pk, ("", "")) != (one.answer_states, one.answer_seconds)]


def counted_from(start: uuid.UUID, *, at_once: int = SESSIONS_AT_ONCE) -> Iterator[list[Session]]:
    """All counted sessions, some at a time, beginning with those whose key follows this one."""
    counted = Session.objects.filter(counted_at__isnull=False).order_by("pk")
    for stretch in (counted.filter(pk__gt=start), counted.filter(pk__lte=start)):
        keys = list(stretch.values_list("pk", flat=True))
        for place in range(0, len(keys), at_once):
            some = keys[place : place + at_once]
            yield list(counted.filter(pk__in=some).select_related("participant__study"))


def session_uncount(session: Session) -> None:
    """Forget the sums of a session: an answer has changed after its end, or they are wrong.

    Whether it is counted is not asked: while it is being counted, it seems not to be, and nobody would wait.
    """
    Session.objects.filter(pk=session.pk).update(counted_at=None)
