"""Scoring runs and their newest results."""

from django.db.models import QuerySet

from scoring.models import ResultSet, ScoringRun
from studies.models import Study


def runs_of(study: Study) -> QuerySet[ScoringRun]:
    """All runs, oldest first; the place in this order, from 1, is the run's number in an export."""
    return ScoringRun.objects.filter(study=study).order_by("pk")


def newest_results(run: ScoringRun) -> ResultSet | None:
    """The newest computation of the run."""
    return ResultSet.objects.filter(run=run).order_by("-pk").first()


def newest_study_results(study: Study) -> ResultSet | None:
    """The newest computation of any run of the study."""
    related = "run__study__item_bank"
    return ResultSet.objects.select_related(related).filter(run__study=study).order_by("-pk").first()
