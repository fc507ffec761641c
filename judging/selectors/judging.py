"""What goes to the judges: answers and prompts, and what a scoring run still has to judge."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import FilteredRelation, Q, QuerySet
from pydantic import TypeAdapter

from batches.models import Answer, Session
from batches.selectors.answers import answers_to_score
from batches.selectors.sums import sessions_to_score
from judging.judges.interface import CriterionTask, CriterionVerdict, JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, RowState, ScoringRun
from screening.selectors.participants import is_retained, retained_participants, screened_participants
from studies.bank.records import Check
from studies.models import Criterion, Participant, Prompt, Study

NOT_JUDGED = "not_judged"
_CHECK: TypeAdapter[Check | None] = TypeAdapter(Check | None)
Position = int | None


@dataclass(frozen=True)
class PromptToJudge:
    """The prompt's side of a task (its answer is empty), and the rows of its criteria by position."""

    task: JudgeTask
    criterion_ids: Mapping[Position, int | None]


@dataclass(frozen=True)
class JudgingState:
    """How far a run is: answers that count, those with a score, those without by reason."""

    answers: int
    scored: int
    unscored: Mapping[str, int]

    @property
    def left(self) -> int:
        return self.answers - self.scored


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


def answers_to_judge(study: Study) -> QuerySet[Answer]:
    """What goes to the judges: answers that count, those of excluded people, too, if the study says so."""
    people = screened_participants if study.protocol.judge_excluded else retained_participants
    return answers_of(study, people(study))


def sessions_to_judge(study: Study) -> QuerySet[Session]:
    """Whose written answers these are."""
    sessions = sessions_to_score(study)
    return sessions if study.protocol.judge_excluded else sessions.filter(is_retained(study))


def answers_of(study: Study, people: QuerySet[Participant]) -> QuerySet[Answer]:
    """Answers with text that count under their session's rule: of everybody the first, then the second ….

    So one person's answers, which may all be of a kind that a judge fails on, are never asked about in a row.
    """
    own = answers_to_score(study).filter(session__participant__in=people.values("pk"))
    return own.order_by("position", "pk")


def counted_rows(run: ScoringRun) -> Iterator[CountedRow]:
    relation = FilteredRelation("scores", condition=Q(scores__run=run))
    rows = (
        answers_to_judge(run.study)
        .annotate(of_run=relation)
        .values_list(
            "pk", "prompt__pk", "revision", "of_run__revision", "of_run__score", "of_run__unscored_reason"
        )
    )
    return (CountedRow(*row) for row in rows.iterator())


def prompts_to_judge(pks: Iterable[int]) -> dict[int, PromptToJudge]:
    """The prompts with their criteria, by primary key."""
    prompts = Prompt.objects.in_bulk(list(pks))
    criteria: dict[int, list[Criterion]] = {pk: [] for pk in prompts}
    for criterion in Criterion.objects.filter(prompt__in=list(prompts)).order_by("position"):
        criteria[criterion.prompt_id].append(criterion)
    to_judge = {}
    for pk, prompt in prompts.items():
        task = JudgeTask(
            prompt_id=prompt.prompt_id,
            question=prompt.text,
            gold_answer=prompt.gold_answer,
            criteria=tuple(
                CriterionTask(
                    criterion.position, criterion.text, _CHECK.validate_python(criterion.check_rule)
                )
                for criterion in criteria[pk]
            ),
            answer="",
            task=prompt.task,
        )
        ids: dict[Position, int | None] = {criterion.position: criterion.pk for criterion in criteria[pk]}
        to_judge[pk] = PromptToJudge(task, ids or {None: None})
    return to_judge


def has_judged_criteria(run: ScoringRun) -> bool:
    """Whether any criterion has a verdict."""
    return CriterionScore.objects.filter(run=run, state=RowState.SCORED).exists()


def judged_criteria(run: ScoringRun, answers: Sequence[int]) -> dict[tuple[int, int], set[int | None]]:
    """The criteria of these answers with a verdict, by answer and revision."""
    rows = CriterionScore.objects.filter(run=run, state=RowState.SCORED, answer__in=answers)
    judged: dict[tuple[int, int], set[int | None]] = {}
    for answer_id, revision, criterion in rows.values_list("answer", "revision", "criterion"):
        judged.setdefault((answer_id, revision), set()).add(criterion)
    return judged


def stored_verdict(row: CriterionScore) -> CriterionVerdict:
    """A decided row's verdict as judges give it."""
    return CriterionVerdict(
        position=row.criterion.position if row.criterion else None,
        score=row.score,
        confidence=row.confidence,
        explanation=row.explanation,
        reason=UnscoredReason(row.unscored_reason) if row.unscored_reason else None,
    )


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
