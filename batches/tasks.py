"""Background work of batches. What a task needs is imported in it: a worker loads what it is asked for."""

from contextlib import suppress

from celery import shared_task


@shared_task(name="batches.tasks.send_mails")
def send_mails() -> int:
    """Send what pages asked for; return how many mails went out. Beat sends it every few seconds; running it
    twice does no harm.

    A worker an hour ahead would drop every mail as too old, and forget every limit: while the clock is in
    doubt nothing is dropped.
    """
    from batches.services.clock import ClockDoubted, ending_moment
    from studies.clock import Ending
    from studies.services.clock import server_now
    from studies.services.limits import limits_tidy
    from studies.services.mails.mails import mails_send

    try:
        limits_tidy(now=ending_moment(Ending.MAILS))
    except ClockDoubted:
        return mails_send(clock=server_now, may_drop=False)
    return mails_send(clock=server_now)


@shared_task(name="batches.tasks.sweep_sessions")
def sweep_sessions() -> None:
    """Count some of the sessions that ended before, and end those whose time is over, whatever becomes of the
    counting. Beat sends it every few seconds; running it twice does no harm.

    In this order: what ends late, after the machine slept, is not counted while a save may still be at it.
    While the clock is in doubt it ends none; a later one does.
    """
    from django.conf import settings

    from batches.services.clock import ClockDoubted, ending_moment
    from batches.services.ending import sessions_expire
    from batches.services.sums import COUNTED_AT_ONCE, sessions_count
    from studies.clock import Ending

    with suppress(ClockDoubted):
        now = ending_moment(Ending.SESSIONS)
        try:
            sessions_count(now=now, at_most=COUNTED_AT_ONCE)
        finally:
            sessions_expire(now=now, site_url=settings.SITE_URL or "")


@shared_task(name="batches.tasks.remind")
def remind() -> None:
    """Mail those who have not started that a study closes soon. Running it twice does no harm.

    By a wrong clock it would be too early: while the clock is in doubt nobody is reminded.
    """
    from django.conf import settings

    from batches.services.clock import clocks_agree
    from batches.services.reminders import reminders_queue
    from studies.services.clock import server_now

    if clocks_agree():
        reminders_queue(now=server_now(), site_url=settings.SITE_URL or "")


@shared_task(name="batches.tasks.clear_sign_ins")
def clear_sign_ins() -> None:
    """Delete sign-ins and codes that are over. Beat sends it hourly; running it twice does no harm.

    A clock that is a month ahead would sign everybody out: while it is in doubt nothing is deleted.
    """
    from batches.services.clock import ClockDoubted, ending_moment
    from studies.clock import Ending
    from studies.services.staff.sign_in import sign_ins_clear

    with suppress(ClockDoubted):
        sign_ins_clear(now=ending_moment(Ending.DELETIONS))
