"""Counting what became of a run, once nothing of it changes any more."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from judging.models import JudgingRun
from judging.selectors.progress import run_counts

# Calls that were under way when a run was cancelled stay on record.
SETTLED_AFTER = timedelta(minutes=15)


def run_differs(run: JudgingRun, now: datetime) -> bool:
    """Whether the numbers of a run that is counted are not what its rows and calls come to."""
    return _in_order(run_counts(run, now)) != _in_order(run.counts or {})


def _in_order(counts: Mapping[str, Sequence[Mapping[str, object]]]) -> Mapping[str, list[str]]:
    return {of: sorted(repr(sorted(row.items())) for row in rows) for of, rows in counts.items()}


def run_count(*, now: datetime) -> JudgingRun | None:
    """Count the rows and calls of one run that has been over for a while and is not counted; return it."""
    run = (
        JudgingRun.objects.filter(counts__isnull=True, ended_at__lt=now - SETTLED_AFTER)
        .order_by("pk")
        .first()
    )
    if run is not None:
        JudgingRun.objects.filter(pk=run.pk).update(counts=run_counts(run, now))
    return run
