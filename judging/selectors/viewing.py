"""Single verdicts of judges as people look at them: what was asked, answered and said. Never whose it is."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Min, Q, QuerySet

from judging.models import CriterionScore, JudgeCall, JudgingRun, RowState
from judging.selectors.judges import judge_name
from presentation.checks import check_lines
from studies.models import Criterion
from studies.roles import Can
from studies.selectors.private_questions import seen_by

PROMPT = "answer__prompt"
RELATED = ("answer__prompt", "criterion", "run__config", "judging_run")


@dataclass(frozen=True)
class ReplyShown:
    """One call for the verdict: what came back, as it came."""

    outcome: str
    raw_reply: str
    called_at: datetime


@dataclass(frozen=True)
class VerdictShown:
    """One verdict, or why there is none. `met` is whether the judge calls the criterion met; None where
    there is no score.
    """

    row: int
    label: str
    judge: str
    question: str
    text_format: str
    gold_answer: str
    criterion: str
    number: int
    criteria: int
    answer: str
    score: float | None
    confidence: float | None
    explanation: str
    reason: str
    replies: Sequence[ReplyShown]

    @property
    def met(self) -> bool | None:
        return is_met(self.score)


def is_met(score: float | None) -> bool | None:
    """Whether a judge calls the criterion met; None without a score."""
    return None if score is None else score >= 0.5


def run_verdicts(
    run: JudgingRun, reason: str, question: str = "", *, rights: Collection[Can]
) -> QuerySet[CriterionScore]:
    """The run's rows that failed for this reason, unscored or waiting; without one the scored rows.

    With a `question`, by its label, those on it alone. Those on private questions only for whoever may see
    them by their `rights` in the study.
    """
    rows = seen_by(rights, CriterionScore.objects.filter(judging_run=run), PROMPT)
    rows = rows.select_related(*RELATED).order_by("pk")
    if question:
        rows = rows.filter(answer__prompt__label=question)
    if reason:
        return rows.filter(~Q(state=RowState.SCORED), unscored_reason=reason)
    return rows.filter(state=RowState.SCORED)


def without_texts(rows: QuerySet[CriterionScore]) -> QuerySet[CriterionScore]:
    """The same rows, for whoever reads many of them and no text."""
    return rows.defer("explanation", "answer__text", "answer__prompt__text", "answer__prompt__gold_answer")


def verdict_at_random(run: JudgingRun, rng: random.Random) -> CriterionScore | None:
    """A scored row on a public prompt, as a page shows it that nobody asked for one; None without one."""
    rows = run_verdicts(run, "", rights=())
    ends = rows.order_by().aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return None
    return rows.filter(pk__gte=rng.randint(ends["first"], ends["last"])).first()


def explanation_of(row: CriterionScore) -> str:
    """What the judge said of it; a machine check in words instead of its stored rule."""
    rule = row.criterion.check_rule if row.criterion and row.run.judge_kind == "checks" else None
    return check_lines(rule, passed=row.score >= 0.5) if rule and row.score is not None else row.explanation


def verdict_shown(row: CriterionScore) -> VerdictShown:
    """Everything about one row; two queries."""
    prompt, criterion = row.answer.prompt, row.criterion
    calls = JudgeCall.objects.filter(
        judging_run=row.judging_run, run=row.run_id, answer=row.answer_id, criterion=row.criterion_id
    ).order_by("pk")
    replies = calls.values_list("outcome", "raw_reply", "called_at")
    return VerdictShown(
        row=row.pk,
        label=prompt.label,
        judge=judge_name(row.run),
        question=prompt.text,
        text_format=prompt.text_format,
        gold_answer=prompt.gold_answer or "",
        criterion=criterion.text if criterion else "",
        number=criterion.position if criterion else 1,
        criteria=Criterion.objects.filter(prompt=prompt).count() or 1,
        answer=row.answer.text,
        score=row.score,
        confidence=row.confidence,
        explanation=explanation_of(row),
        reason=row.unscored_reason,
        replies=[ReplyShown(*one) for one in replies],
    )
