"""The judging runs of a study."""

from django.db.models import QuerySet

from judging.models import OPEN_RUN_STATES, JudgingRun, RunPurpose
from studies.models import Study


def judging_runs(study: Study) -> QuerySet[JudgingRun]:
    """All of them, newest first."""
    return JudgingRun.objects.filter(study=study).select_related("started_by").order_by("-pk")


def judging_run_by_number(study: Study, number: int) -> JudgingRun | None:
    return judging_runs(study).select_related("study").filter(pk=number).first()


def open_judging_run(study: Study) -> JudgingRun | None:
    """The one that goes on or pauses."""
    return judging_runs(study).filter(state__in=OPEN_RUN_STATES).first()


def scores_runs() -> QuerySet[JudgingRun]:
    """Those for results, of every study."""
    return JudgingRun.objects.filter(purpose=RunPurpose.SCORES)


def newest_scores_run(study: Study) -> JudgingRun | None:
    """The newest run for results, whatever became of it."""
    return judging_runs(study).filter(purpose=RunPurpose.SCORES).first()


def open_runs() -> list[JudgingRun]:
    """Every run that goes on or pauses, oldest first."""
    return list(JudgingRun.objects.filter(state__in=OPEN_RUN_STATES).select_related("study"))
