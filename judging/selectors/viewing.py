"""Single verdicts of judges as people look at them: what was asked, answered and said. Never whose it is."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Min, Q, QuerySet

from judging.models import CriterionScore, JudgeCall, JudgingRun, RowState
from presentation.checks import check_lines
from presentation.judges import judge_kind
from psychometrics.data.cohort import PUBLIC
from studies.models import Criterion

RELATED = ("answer__prompt", "criterion", "run__config", "judging_run")


@dataclass(frozen=True)
class ReplyShown:
    """One call for the verdict: what came back, as it came."""

    outcome: str
    raw_reply: str
    called_at: datetime


@dataclass(frozen=True)
class VerdictShown:
    """One verdict, or why there is none. Of a private prompt no text is shown: `is_private`.

    `met` is whether the judge calls the criterion met; None where there is no score.
    """

    row: int
    label: str
    is_private: bool
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


def judge_name(row: CriterionScore) -> str:
    """The judge by its short name, or by what kind it is."""
    return row.run.config.slug if row.run.config else judge_kind(row.run.judge_kind)


def shown_label(row: CriterionScore) -> str:
    """The question's label; blank for a private one."""
    prompt = row.answer.prompt
    return prompt.label if prompt.split == PUBLIC else ""


def run_verdicts(run: JudgingRun, reason: str, question: str = "") -> QuerySet[CriterionScore]:
    """The run's rows that failed for this reason, unscored or waiting; without one the scored rows.

    With a `question`, by its label, those on it alone; private ones are not found by it.
    """
    rows = CriterionScore.objects.filter(judging_run=run).select_related(*RELATED).order_by("pk")
    if question:
        rows = rows.filter(answer__prompt__label=question, answer__prompt__split=PUBLIC)
    if reason:
        return rows.filter(~Q(state=RowState.SCORED), unscored_reason=reason)
    return rows.filter(state=RowState.SCORED)


def without_texts(rows: QuerySet[CriterionScore]) -> QuerySet[CriterionScore]:
    """The same rows, for whoever reads many of them and no text."""
    return rows.defer("explanation", "answer__text", "answer__prompt__text", "answer__prompt__gold_answer")


def verdict_at_random(run: JudgingRun, rng: random.Random) -> CriterionScore | None:
    """A scored row on a public prompt; None where there is none."""
    rows = run_verdicts(run, "").filter(answer__prompt__split=PUBLIC)
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
    private = prompt.split != PUBLIC
    calls = JudgeCall.objects.filter(
        judging_run=row.judging_run, run=row.run_id, answer=row.answer_id, criterion=row.criterion_id
    ).order_by("pk")
    replies = calls.values_list("outcome", "raw_reply", "called_at")
    return VerdictShown(
        row=row.pk,
        label=shown_label(row),
        is_private=private,
        judge=judge_name(row),
        question="" if private else prompt.text,
        text_format=prompt.text_format,
        gold_answer="" if private else prompt.gold_answer or "",
        criterion="" if private or criterion is None else criterion.text,
        number=criterion.position if criterion else 1,
        criteria=Criterion.objects.filter(prompt=prompt).count() or 1,
        answer="" if private else row.answer.text,
        score=row.score,
        confidence=row.confidence,
        explanation="" if private else explanation_of(row),
        reason=row.unscored_reason,
        replies=[] if private else [ReplyShown(*one) for one in replies],
    )
