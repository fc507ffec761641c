"""What is left to judge, in numbers."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from batches.models import Session, SessionEvent, SessionEventKind
from batches.selectors.sums import number_written
from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.answers import sessions_to_judge
from screening.selectors.participants import WENT_ON
from studies.models import Study

SAVED_AFTER_THE_END = (*WENT_ON, SessionEventKind.LATE_SAVE_ACCEPTED)


@dataclass(frozen=True)
class Judged:
    """Answers that go to the judges, and how many of them the judge with the fewest scores has scored."""

    answers: int
    scored: int

    @property
    def left(self) -> int:
        return self.answers - self.scored


def judged(study: Study, run: JudgingRun | None) -> Judged:
    """By the judges of this run; without one nothing is scored. Two queries."""
    sessions = sessions_to_judge(study)
    answers = number_written(sessions)
    if run is None:
        return Judged(answers, 0)
    # Next to all scores are of what is judged now: those that are not are looked for in the few sessions that
    # count no more, or in which an answer was saved after it may have been judged.
    changed = SessionEvent.objects.filter(session=OuterRef("pk"), kind__in=SAVED_AFTER_THE_END)
    no_more = ~Q(pk__in=sessions.values("pk"))
    others = Session.objects.filter(no_more | Exists(changed), participant__study=study).values("pk")
    scores = AnswerScore.objects.filter(run=OuterRef("pk"), score__isnull=False)
    current = Q(
        revision=F("answer__revision"), answer__has_text=True, answer__session__in=sessions.values("pk")
    )
    rows = CriterionScore.objects.filter(judging_run=run, run=OuterRef("pk"))
    judges = ScoringRun.objects.filter(Exists(rows), study=study, design_hash=study.design_hash).order_by()
    numbers = judges.values_list(
        _counted(scores), _counted(scores.filter(~current, answer__session__in=others))
    )
    return Judged(answers, min((scored - outdated for scored, outdated in numbers), default=0))


def _counted(rows: QuerySet[Any]) -> Coalesce:
    """The number of these rows inside of another query."""
    number = rows.order_by().annotate(all=Value(1)).values("all").annotate(number=Count("pk"))
    return Coalesce(Subquery(number.values("number")), 0, output_field=IntegerField())


def unscored_answers(run: JudgingRun, reason: str = "") -> set[int]:
    """Answers of which the run left something without a score, for this reason or any."""
    rows = CriterionScore.objects.filter(judging_run=run, state=RowState.UNSCORED)
    return set((rows.filter(unscored_reason=reason) if reason else rows).values_list("answer", flat=True))
