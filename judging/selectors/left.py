"""What is left to judge, in numbers: cheap enough for every look at a page."""

from dataclasses import dataclass

from django.db.models import Count, F, Q

from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.answers import answers_to_judge
from screening.selectors.kept import kept
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
    """By the judges of this run; without one nothing is scored."""
    if run is not None and run.is_open:
        return _judged(study, run)
    name = f"judged by {run.pk if run else 0}"
    return kept(name, study, lambda: _judged(study, run), also=(AnswerScore, CriterionScore, JudgingRun))


def _judged(study: Study, run: JudgingRun | None) -> Judged:
    answers = answers_to_judge(study).order_by()
    total = answers.count()
    if run is None:
        return Judged(total, 0)
    runs = CriterionScore.objects.filter(judging_run=run, run__design_hash=study.design_hash).order_by()
    current = Q(scores__score__isnull=False, scores__revision=F("scores__answer__revision"))
    scored = ScoringRun.objects.filter(pk__in=runs.values("run")).annotate(
        number=Count("scores", filter=current & Q(scores__answer__in=answers.values("pk")))
    )
    return Judged(total, min(scored.values_list("number", flat=True), default=0))


def unscored_answers(run: JudgingRun, reason: str = "") -> set[int]:
    """Answers of which the run left something without a score, for this reason or any."""
    rows = CriterionScore.objects.filter(judging_run=run, state=RowState.UNSCORED)
    return set((rows.filter(unscored_reason=reason) if reason else rows).values_list("answer", flat=True))
