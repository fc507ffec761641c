"""What a scoring run still has to judge."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import FilteredRelation, Q
from pydantic import TypeAdapter

from batches.models import Answer
from scoring.judge.interface import CriterionTask, CriterionVerdict, JudgeTask
from scoring.judge.reasons import UnscoredReason
from scoring.models import CriterionScore, ScoringRun
from scoring.selectors.answers import counted_answers
from studies.bank.records import Check
from studies.models import Criterion, Prompt

NOT_JUDGED = "not_judged"
TEXTS_AT_ONCE = 100
_CHECK: TypeAdapter[Check] = TypeAdapter(Check)


@dataclass(frozen=True)
class PromptToJudge:
    """The prompt's side of a task (its answer is empty), and the rows of its criteria by position."""

    task: JudgeTask
    criterion_ids: Mapping[int | None, int | None]


@dataclass(frozen=True)
class PendingAnswer:
    """An answer without a score: what is accepted from earlier passes, and what is left to ask."""

    answer_id: int
    prompt_pk: int
    revision: int
    judged_before: bool
    accepted: Mapping[int | None, CriterionVerdict]
    left: tuple[int | None, ...]


@dataclass(frozen=True)
class JudgingPlan:
    """Fixed when a pass starts. `verdicts` is its length."""

    prompts: Mapping[int, PromptToJudge]
    answers: Sequence[PendingAnswer]

    @property
    def verdicts(self) -> int:
        return sum(len(answer.left) for answer in self.answers)


@dataclass(frozen=True)
class JudgingState:
    """How far a run is: answers that count, those with a score, those without by reason."""

    answers: int
    scored: int
    unscored: Mapping[str, int]

    @property
    def left(self) -> int:
        return self.answers - self.scored


def judging_plan(run: ScoringRun) -> JudgingPlan:
    """Everything that counts and has no score of its newest revision."""
    rows = [row for row in counted_rows(run) if not row.scored]
    prompts = prompts_to_judge({row.prompt_pk for row in rows})
    accepted = accepted_verdicts(run)
    answers = []
    for row in rows:
        kept = accepted.get((row.answer_id, row.revision), {})
        left = tuple(position for position in prompts[row.prompt_pk].task.positions if position not in kept)
        before = row.judged_revision is not None
        answers.append(PendingAnswer(row.answer_id, row.prompt_pk, row.revision, before, kept, left))
    return JudgingPlan(prompts, answers)


@dataclass(frozen=True, slots=True)
class CountedRow:
    """One counted answer and what a run knows of it; the last three are None before it was judged."""

    answer_id: int
    prompt_pk: int
    revision: int
    judged_revision: int | None
    score: float | None
    unscored_reason: str | None

    @property
    def scored(self) -> bool:
        """Whether there is a score of the newest revision."""
        return self.score is not None and self.judged_revision == self.revision


def counted_rows(run: ScoringRun) -> Iterator[CountedRow]:
    relation = FilteredRelation("scores", condition=Q(scores__run=run))
    rows = (
        counted_answers(run.study)
        .annotate(of_run=relation)
        .values_list(
            "pk", "prompt__pk", "revision", "of_run__revision", "of_run__score", "of_run__unscored_reason"
        )
    )
    return (CountedRow(*row) for row in rows.iterator())


def prompts_to_judge(pks: set[int]) -> dict[int, PromptToJudge]:
    """The prompts with their criteria, by primary key."""
    prompts = Prompt.objects.in_bulk(pks)
    criteria: dict[int, list[Criterion]] = {pk: [] for pk in pks}
    for criterion in Criterion.objects.filter(prompt__in=pks).order_by("position"):
        criteria[criterion.prompt_id].append(criterion)
    return {pk: prompt_to_judge(prompt, criteria[pk]) for pk, prompt in prompts.items()}


def prompt_to_judge(prompt: Prompt, criteria: Sequence[Criterion]) -> PromptToJudge:
    task = JudgeTask(
        prompt_id=prompt.prompt_id,
        question=prompt.text,
        gold_answer=prompt.gold_answer,
        criteria=tuple(criterion_task(criterion) for criterion in criteria),
        answer="",
        task=prompt.task,
    )
    ids: dict[int | None, int | None] = {criterion.position: criterion.pk for criterion in criteria}
    return PromptToJudge(task, ids or {None: None})


def criterion_task(criterion: Criterion) -> CriterionTask:
    rule = criterion.check_rule
    check = _CHECK.validate_python(rule) if rule is not None else None
    return CriterionTask(criterion.position, criterion.text, check)


def accepted_verdicts(run: ScoringRun) -> dict[tuple[int, int], dict[int | None, CriterionVerdict]]:
    """Verdicts that stand, of answers that have no score yet, by answer, revision and position."""
    stored = CriterionScore.objects.filter(
        answer_score__run=run, answer_score__score__isnull=True, score__isnull=False
    ).select_related("answer_score", "criterion")
    found: dict[tuple[int, int], dict[int | None, CriterionVerdict]] = {}
    for row in stored:
        verdict = stored_verdict(row)
        key = (row.answer_score.answer_id, row.answer_score.revision)
        found.setdefault(key, {})[verdict.position] = verdict
    return found


def stored_verdict(row: CriterionScore) -> CriterionVerdict:
    """A stored verdict as judges give it, without its calls."""
    return CriterionVerdict(
        position=row.criterion.position if row.criterion else None,
        score=row.score,
        confidence=row.confidence,
        explanation=row.explanation,
        reason=UnscoredReason(row.unscored_reason) if row.unscored_reason else None,
    )


def tasks(plan: JudgingPlan) -> Iterator[tuple[PendingAnswer, JudgeTask]]:
    """The planned answers with their texts, read a few at a time; one that changed since is left out."""
    for start in range(0, len(plan.answers), TEXTS_AT_ONCE):
        some = plan.answers[start : start + TEXTS_AT_ONCE]
        rows = Answer.objects.filter(pk__in=[pending.answer_id for pending in some])
        texts = {(pk, revision): text for pk, revision, text in rows.values_list("pk", "revision", "text")}
        for pending in some:
            text = texts.get((pending.answer_id, pending.revision))
            if text is not None:
                yield pending, replace(plan.prompts[pending.prompt_pk].task, answer=text)


def judging_state(run: ScoringRun) -> JudgingState:
    """Count the answers that count by what became of them in this run."""
    scored, unscored = 0, Counter[str]()
    for row in counted_rows(run):
        if row.scored:
            scored += 1
        else:
            current = row.judged_revision == row.revision
            unscored[row.unscored_reason or NOT_JUDGED if current else NOT_JUDGED] += 1
    return JudgingState(answers=scored + unscored.total(), scored=scored, unscored=dict(unscored))
