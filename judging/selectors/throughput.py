"""How fast judges are asked, minute by minute."""

from datetime import datetime, timedelta

from django.db.models import Count
from django.db.models.functions import TruncMinute

from judging.models import JudgeCall, JudgingRun
from screening.selectors.kept import LARGE, kept

MINUTES = 60
ONE = timedelta(minutes=1)


def calls_by_minute(run: JudgingRun, now: datetime, minutes: int = MINUTES) -> list[int]:
    """Calls in each of the last minutes, the oldest first, of a run that is over before its end.

    It begins where the run began; the minute that is not over is left out while the run goes on.
    """
    last = (run.ended_at or now - ONE).replace(second=0, microsecond=0)
    first = max(last - (minutes - 1) * ONE, run.started_at.replace(second=0, microsecond=0))
    calls = JudgeCall.objects.filter(judging_run=run, called_at__gte=first, called_at__lt=last + ONE)
    counted = calls.order_by().annotate(minute=TruncMinute("called_at")).values_list("minute")

    def count() -> dict[datetime, int]:
        return dict(counted.annotate(number=Count("pk")))

    name = f"calls by minute of {run.pk}, {minutes}"
    found = (
        kept(name, run.study, count, also=(JudgeCall,)) if run.ended_at and run.planned >= LARGE else count()
    )
    return [found.get(first + place * ONE, 0) for place in range(int((last - first) / ONE) + 1)]
