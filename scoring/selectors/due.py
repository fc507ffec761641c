"""What waits to be computed, asked every few seconds by workers that have loaded nothing to compute with."""

from datetime import datetime, timedelta

from django.db.models import Max, QuerySet

from judging.models import JudgingRun, RunPurpose, RunState
from scoring.models import ResultSet

# Who ended a run computes its results at once; nobody else does so meanwhile.
RESULTS_WAIT = timedelta(minutes=2)
# Results that cannot be computed are not tried for ever.
RESULTS_TRIED = timedelta(days=2)


def results_due(now: datetime) -> list[JudgingRun]:
    """Runs that ended a while ago without results of all their judges since: who ended them was killed."""
    newest = {
        (study, judge, replicate): computed_at
        for study, judge, replicate, computed_at in ResultSet.objects.order_by()
        .values_list("run__study", "run__judge_sha256", "run__replicate")
        .annotate(newest=Max("computed_at"))
    }
    ended = JudgingRun.objects.filter(state=RunState.FINISHED, purpose=RunPurpose.SCORES).filter(
        ended_at__lte=now - RESULTS_WAIT, ended_at__gte=now - RESULTS_TRIED
    )
    return [
        run
        for run in ended.select_related("study")
        if any(
            (at := newest.get((run.study_id, judge["judge_sha256"], judge["replicate"]))) is None
            or at < run.ended_at
            for judge in run.estimate
        )
    ]


def results_to_measure() -> QuerySet[ResultSet]:
    """The newest results of every run, where they are not measured yet; the oldest first. Not of archived
    studies.
    """
    newest = ResultSet.objects.order_by().values("run").annotate(newest=Max("pk")).values("newest")
    return ResultSet.objects.filter(pk__in=newest, measurement=None, run__study__archived_at=None).order_by(
        "pk"
    )
