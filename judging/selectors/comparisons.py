"""What was judged both ways: one criterion a call, and several."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from judging.models import (
    AnswerScore,
    CriterionScore,
    JudgeCall,
    JudgingRun,
    RowState,
    RunPurpose,
    RunState,
    ScoringRun,
)
from judging.selectors.answers import counted_answers
from llm.requests import OK
from studies.models import Criterion, Study

# What a comparison must rest on before several criteria a call may be used for scores.
MIN_ANSWERS = 20
MIN_CRITERIA = 100


@dataclass(frozen=True, slots=True)
class RubricAnswer:
    """An answer that counts, to a prompt with a rubric."""

    pk: int
    prompt_pk: int
    prompt_id: str
    participant: str


@dataclass(frozen=True)
class ComparisonEvidence:
    """What comparisons of one judge at one number of criteria a call rest on so far, on one prompt bank.

    `finished`: at least one of them went to its end.
    """

    finished: bool
    answers: int
    criteria: int

    @property
    def is_enough(self) -> bool:
        return self.finished and self.answers >= MIN_ANSWERS and self.criteria >= MIN_CRITERIA


@dataclass(frozen=True)
class JudgingCost:
    """What some verdicts took: different requests, calls on record for them (failed ones, too), tokens, cost.

    `cost` is None where the price of a call is not known.
    """

    requests: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None


def rubric_answers(study: Study) -> list[RubricAnswer]:
    """Answers that count to prompts with two criteria or more: a single one is asked alone either way."""
    rubrics = Criterion.objects.values("prompt").annotate(number=Count("pk")).filter(number__gt=1)
    answers = counted_answers(study).filter(prompt__in=rubrics.order_by().values("prompt")).order_by("pk")
    facts = ("pk", "prompt", "prompt__prompt_id", "session__participant__code")
    return [RubricAnswer(*row) for row in answers.values_list(*facts)]


def criteria_of(prompts: Collection[int]) -> Mapping[int, list[int]]:
    """The criteria of each prompt in their order."""
    criteria: dict[int, list[int]] = {}
    rows = Criterion.objects.filter(prompt__in=prompts).order_by("prompt_id", "position")
    for prompt, pk in rows.values_list("prompt__pk", "pk"):
        criteria.setdefault(prompt, []).append(pk)
    return criteria


def criterion_scores(run: ScoringRun, answers: Sequence[int]) -> dict[tuple[int, int | None], float]:
    """The run's scores of criteria of these answers' newest revisions, by answer and criterion."""
    rows = CriterionScore.objects.filter(_newest(run, answers), state=RowState.SCORED)
    return {
        (answer, criterion): score
        for answer, criterion, score in rows.values_list("answer", "criterion", "score")
        if score is not None
    }


def answer_scores(run: ScoringRun, answers: Sequence[int]) -> dict[int, float]:
    """The run's sample scores of these answers' newest revisions."""
    rows = AnswerScore.objects.filter(_newest(run, answers), score__isnull=False)
    return {answer: score for answer, score in rows.values_list("answer", "score") if score is not None}


def _newest(run: ScoringRun, answers: Sequence[int]) -> Q:
    return Q(run=run, answer__in=answers, revision=F("answer__revision"))


def spent_on(run: ScoringRun, answers: Sequence[int]) -> JudgingCost:
    """What the verdicts on these answers took, whichever study and run first paid for them."""
    rows = CriterionScore.objects.filter(_newest(run, answers), state=RowState.SCORED)
    requests = rows.order_by().values("request_sha256").distinct()
    calls = JudgeCall.objects.filter(
        request_sha256__in=requests, run__judge_sha256=run.judge_sha256, run__replicate=run.replicate
    )
    sums = calls.aggregate(
        calls=Count("pk"),
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        money=Sum("cost"),
        free=Count("pk", filter=Q(cost=None, outcome=OK)),
    )
    known = sums["calls"] and not sums["free"]
    return JudgingCost(
        requests=requests.count(),
        calls=sums["calls"],
        prompt_tokens=sums["prompt"] or 0,
        completion_tokens=sums["completion"] or 0,
        cost=Decimal(sums["money"] or 0) if known else None,
    )


def compared_so_far(study: Study, *, single_sha256: str, batched_sha256: str) -> ComparisonEvidence:
    """What was scored by both judges on the study's prompt bank.

    Agreement is about the criteria as much as about the judge, so what was found on another bank does not
    count; nor do answers that a program made up, unless this study's are made up, too.
    """
    alike = Q(run__study__bank_version=study.bank_version_id, run__study__is_simulated=study.is_simulated)
    single = CriterionScore.objects.filter(
        run__judge_sha256=single_sha256,
        answer=OuterRef("answer"),
        revision=OuterRef("revision"),
        criterion=OuterRef("criterion"),
        state=RowState.SCORED,
    )
    both = CriterionScore.objects.filter(
        alike,
        Exists(single),
        run__judge_sha256=batched_sha256,
        criterion__isnull=False,
        state=RowState.SCORED,
    ).order_by()
    # Comparisons of this study and of others like it.
    finished = JudgingRun.objects.filter(
        purpose=RunPurpose.COMPARISON,
        state=RunState.FINISHED,
        study__bank_version=study.bank_version_id,
        study__is_simulated=study.is_simulated,
    )
    return ComparisonEvidence(
        finished=any(spec.get("judge_sha256") == batched_sha256 for run in finished for spec in run.estimate),
        answers=both.values("answer").distinct().count(),
        criteria=both.values("answer", "criterion").distinct().count(),
    )
