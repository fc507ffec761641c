"""Calls that were lost, and counting what became of a run once nothing of it changes any more."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from judging.judges.course import LOST
from judging.models import JudgeCall, JudgingRun
from judging.selectors.progress import run_counts
from studies.services.database import one_of_many_writes

# Calls that were under way when a run was cancelled stay on record.
SETTLED_AFTER = timedelta(minutes=15)


def calls_expire(now: datetime) -> int:
    """Count as lost what should have come to an end by now; its cost and its tokens stay the most that they
    can be. Return how many.

    Its rows are free again since the same moment.
    """
    due = JudgeCall.everything.filter(due_at__lte=now)
    if not due.exists():
        return 0
    with transaction.atomic():
        # Runs before their calls, as whoever stores a reply takes them; what goes on is not counted yet.
        # Nobody is waited for: not whoever deletes a run, nor a reply that is being stored.
        over = JudgingRun.objects.filter(pk__in=due.values("judging_run"), ended_at__isnull=False)
        runs = list(over.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
        theirs = due.filter(Q(judging_run__in=runs) | Q(judging_run__ended_at=None))
        calls = theirs.select_for_update(of=("self",), skip_locked=True, no_key=True).values_list(
            "pk", flat=True
        )
        lost = due.filter(pk__in=list(calls)).update(outcome=LOST, due_at=None)
        runs_uncount(JudgingRun.objects.filter(pk__in=runs))
    return lost


def run_differs(run: JudgingRun, now: datetime) -> bool:
    """Whether the numbers of a run that is counted are not what its rows and calls come to."""
    return _in_order(run_counts(run, now)) != _in_order(run.counts or {})


def _in_order(counts: Mapping[str, Sequence[Mapping[str, object]]]) -> Mapping[str, list[str]]:
    return {of: sorted(repr(sorted(row.items())) for row in rows) for of, rows in counts.items()}


@one_of_many_writes()
def run_count(*, now: datetime) -> JudgingRun | None:
    """Count the rows and calls of one run that has been over for a while and is not counted; return it."""
    due = JudgingRun.objects.filter(counts__isnull=True, ended_at__lt=now - SETTLED_AFTER)
    run = due.select_for_update(no_key=True).order_by("pk").first()
    if run is not None:
        JudgingRun.objects.filter(pk=run.pk).update(counts=run_counts(run, now))
    return run


def runs_uncount(runs: QuerySet[JudgingRun]) -> None:
    """Forget what is counted of those of these runs that are over: something of them changes after all.

    Whether one is counted is not asked: while it is being counted, it seems not to be, and nobody would wait.
    """
    runs.filter(ended_at__isnull=False).update(counts=None)
