"""How fast judges are asked, minute by minute."""

from datetime import UTC, datetime, timedelta

from django.db.models import Case, DateTimeField, F, When
from django.db.models.functions import TruncMinute

from judging.models import JudgingRun
from judging.selectors.run_progress import Progress

MINUTES = 60
ONE = timedelta(minutes=1)


def calls_by_minute(progress: Progress) -> list[int]:
    """Calls in each of the last minutes, the oldest first, of a run that is over before its end.

    It begins where the run began; the minute that is not over is left out while the run goes on.
    """
    first, last = _minutes(progress.run, progress.now)
    minutes = range(int((last - first) / ONE) + 1)
    return [progress.calls_in_minute.get(first + place * ONE, 0) for place in minutes]


def minute_shown(run: JudgingRun, now: datetime) -> TruncMinute:
    """The minute of a call, for a query; null where `calls_by_minute` leaves it out."""
    first, last = _minutes(run, now)
    is_shown = When(called_at__gte=first, called_at__lt=last + ONE, then=F("called_at"))
    return TruncMinute(Case(is_shown, output_field=DateTimeField()), tzinfo=UTC)


def _minutes(run: JudgingRun, now: datetime) -> tuple[datetime, datetime]:
    """Where the first and the last of the minutes begin."""
    last = (run.ended_at or now - ONE).replace(second=0, microsecond=0)
    return max(last - (MINUTES - 1) * ONE, run.started_at.replace(second=0, microsecond=0)), last
