"""What is left to judge, in numbers."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.answers import answers_to_judge
from studies.models import Study


@dataclass(frozen=True)
class Judged:
    """Answers that go to the judges, and how many of them the judge with the fewest scores has scored."""

    answers: int
    scored: int

    @property
    def left(self) -> int:
        return self.answers - self.scored


def judged(study: Study, run: JudgingRun | None) -> Judged:
    """By the judges of this run; without one nothing is scored. One query."""
    numbers = judged_numbers(study, run).values()
    return Judged(*Study.objects.filter(pk=study.pk).values_list(*numbers).get())


def judged_numbers(study: Study, run: JudgingRun | None) -> dict[str, Combinable]:
    """The numbers of `judged` in their order, as part of another query."""
    answers = answers_to_judge(study).order_by()
    rows = CriterionScore.objects.filter(judging_run=run, run=OuterRef("pk"))
    current = AnswerScore.objects.filter(
        run=OuterRef("pk"),
        score__isnull=False,
        revision=F("answer__revision"),
        answer__in=answers.values("pk"),
    )
    judges = ScoringRun.objects.filter(Exists(rows), study=study, design_hash=study.design_hash).order_by()
    fewest = judges.annotate(number=_counted(current)).order_by("number").values("number")[:1]
    scored = Value(0) if run is None else Coalesce(Subquery(fewest), 0, output_field=IntegerField())
    return {"answers_to_judge": _counted(answers), "answers_scored": scored}


def _counted(rows: QuerySet[Any]) -> Coalesce:
    """The number of these rows inside of another query."""
    number = rows.order_by().annotate(all=Value(1)).values("all").annotate(number=Count("pk"))
    return Coalesce(Subquery(number.values("number")), 0, output_field=IntegerField())


def unscored_answers(run: JudgingRun, reason: str = "") -> set[int]:
    """Answers of which the run left something without a score, for this reason or any."""
    rows = CriterionScore.objects.filter(judging_run=run, state=RowState.UNSCORED)
    return set((rows.filter(unscored_reason=reason) if reason else rows).values_list("answer", flat=True))
