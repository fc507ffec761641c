"""What the judges of a panel gave to the same answers, as arrays; and what was found of their agreement."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from judging.models import AnswerScore, CriterionScore, JudgingRun, ScoringRun
from judging.selectors.runs import scores_runs
from scoring.models import JudgeComparison, MeasureRow
from studies.models import Study

Panel = tuple[ScoringRun, ...]


def panels(study: Study) -> list[Panel]:
    """Runs under one design that were asked for scores, two or more of them; the oldest panel first."""
    asked = CriterionScore.objects.filter(run=OuterRef("pk"), judging_run__in=scores_runs())
    runs = ScoringRun.objects.filter(Exists(asked), study=study).select_related("config").order_by("pk")
    by_design: dict[str, list[ScoringRun]] = {}
    for run in runs:
        by_design.setdefault(run.design_hash, []).append(run)
    return [tuple(found) for found in by_design.values() if len(found) > 1]


def study_agreements(study: Study) -> QuerySet[JudgeComparison]:
    """What is stored of every scope, pair by pair, with its numbers."""
    related = ("first__config", "second__config")
    compared = JudgeComparison.objects.filter(first__study=study).select_related(*related)
    measures = MeasureRow.objects.order_by("pk")
    return compared.order_by("first", "second", "pk").prefetch_related(Prefetch("measures", measures))


def design_of(judging_run: JudgingRun) -> str:
    """The design its judges were asked under; "" before there is a row."""
    rows = judging_run.rows.order_by("pk").values_list("run__design_hash", flat=True)
    return rows.first() or ""


def newly_judged(first: ScoringRun, second: ScoringRun, since: datetime) -> int:
    """Answers that either of them judged after this moment."""
    return AnswerScore.objects.filter(run__in=(first, second), judged_at__gt=since).count()
