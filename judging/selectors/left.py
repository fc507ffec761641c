"""What is left to judge, in numbers."""

from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from batches.models import Session, SessionEvent, SessionEventKind
from batches.selectors.sums import answers_written, counting, number_written
from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.judging import sessions_to_judge
from screening.selectors.participants import WENT_ON, is_retained
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
    """By the judges of this run; without one nothing is scored. One query."""
    sessions = sessions_to_judge(study)
    if run is None:
        return Judged(number_written(sessions), 0)
    # Next to all scores are of what is judged now: those that are not are looked for in the few sessions that
    # count no more, or in which an answer was saved after it may have been judged.
    changed = Exists(SessionEvent.objects.filter(session=OuterRef("pk"), kind__in=SAVED_AFTER_THE_END))
    stands = Q(counting(), Q() if study.protocol.judge_excluded else is_retained(study))
    of_study = Session.objects.filter(participant__study=study).order_by().values("pk")
    gone, kept = of_study.filter(~stands), of_study.filter(stands, changed)
    scores = AnswerScore.objects.filter(run=OuterRef("pk"), score__isnull=False)
    rows = CriterionScore.objects.filter(judging_run=run, run=OuterRef("pk"))
    judges = ScoringRun.objects.filter(Exists(rows), study=study, design_hash=study.design_hash).order_by()
    written = sessions.order_by().annotate(all=Value(1)).values("all").annotate(n=Sum(answers_written()))
    numbers = judges.values_list(
        Coalesce(Subquery(written.values("n")), 0, output_field=IntegerField()),
        _counted(scores),
        _counted(scores.filter(answer__session__in=gone)),
        _counted(
            scores.filter(answer__session__in=kept).exclude(
                revision=F("answer__revision"), answer__has_text=True
            )
        ),
    )
    found = list(numbers)
    if not found:
        return Judged(number_written(sessions), 0)
    return Judged(found[0][0], min(scored - out - old for _answers, scored, out, old in found))


def _counted(rows: QuerySet[Any]) -> Coalesce:
    """The number of these rows inside of another query."""
    number = rows.order_by().annotate(all=Value(1)).values("all").annotate(number=Count("*"))
    return Coalesce(Subquery(number.values("number")), 0, output_field=IntegerField())


def unscored_answers(run: JudgingRun, reason: str = "") -> set[int]:
    """Answers of which the run left something without a score, for this reason or any."""
    rows = CriterionScore.objects.filter(judging_run=run, state=RowState.UNSCORED)
    return set((rows.filter(unscored_reason=reason) if reason else rows).values_list("answer", flat=True))
