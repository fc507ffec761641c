"""Prompts, answers and scores as export rows, read a few at a time.

Prompts of a private split appear in none of them, and nothing a withdrawn or running session holds does.
"""

from collections.abc import Iterator, Mapping

from django.db.models import Count

from batches.models import BatchPrompt
from batches.rules.statuses import SessionStatus, answer_state, counts
from batches.selectors.answers import study_answers
from scoring.export.rows import AnswerRow, CriterionRow, PromptRow, ScoreRow
from scoring.models import AnswerScore, CriterionScore
from scoring.selectors.participants import ENDED
from scoring.selectors.runs import runs_of
from studies.models import Item, Prompt, Study

CHUNK = 1000
ANSWER_FACTS = (
    "session__participant__code",
    "session__batch__number",
    "position",
    "prompt__prompt_id",
    "session__status",
    "session__overdue_rule",
    "has_text",
    "text",
    "revision",
    "first_seen_at",
    "saved_at",
)
SCORE_FACTS = (
    "run__pk",
    "answer__session__participant__code",
    "answer__prompt__prompt_id",
    "score",
    "unscored_reason",
    "revision",
    "judged_at",
)
CRITERION_FACTS = (
    "answer_score__run__pk",
    "answer_score__answer__session__participant__code",
    "answer_score__answer__prompt__prompt_id",
    "criterion__position",
    "score",
    "confidence",
    "explanation",
    "unscored_reason",
)


def prompt_rows(study: Study) -> Iterator[PromptRow]:
    """The public prompts of the study's batches, in the bank's order."""
    items = Item.objects.filter(item_bank=study.item_bank_id) if study.item_bank_id else Item.objects.none()
    known = {prompt_id: (a, b) for prompt_id, a, b in items.values_list("prompt_id", "a", "b")}
    placed = BatchPrompt.objects.filter(batch__plan__study=study).values("prompt")
    prompts = Prompt.objects.filter(pk__in=placed, split="public").defer("text", "solution", "citations")
    for prompt in prompts.annotate(number_of_criteria=Count("criteria")).order_by("position"):
        a, b = known.get(prompt.prompt_id, (None, None))
        yield PromptRow(
            prompt_id=prompt.prompt_id,
            category=prompt.category,
            subcategory=prompt.subcategory,
            task=prompt.task,
            modality=prompt.modality,
            criteria=prompt.number_of_criteria,
            a=a,
            b=b,
        )


def answer_rows(study: Study) -> Iterator[AnswerRow]:
    """Every place of every started session."""
    answers = study_answers(study).filter(prompt__split="public").order_by("pk")
    for values in answers.values_list(*ANSWER_FACTS).iterator(CHUNK):
        code, batch, position, prompt_id, status, rule, has_text, text, revision, seen_at, saved_at = values
        state = answer_state(
            session_status=SessionStatus(status),
            first_seen=seen_at is not None,
            revisions=revision,
            has_text=has_text,
        )
        yield AnswerRow(
            participant=code,
            batch=batch,
            position=position,
            prompt_id=prompt_id,
            state=state,
            counts=counts(state, rule),
            text=text if revision and status in ENDED else None,
            revision=revision,
            first_seen_at=seen_at,
            saved_at=saved_at,
        )


def score_rows(study: Study) -> Iterator[ScoreRow]:
    """Scores of ended sessions, of every run."""
    numbers = run_numbers(study)
    scores = AnswerScore.objects.filter(
        run__study=study,
        answer__session__participant__is_test=False,
        answer__session__status__in=ENDED,
        answer__prompt__split="public",
    )
    for values in scores.order_by("pk").values_list(*SCORE_FACTS).iterator(CHUNK):
        run, code, prompt_id, score, reason, revision, judged_at = values
        yield ScoreRow(
            run=numbers[run],
            participant=code,
            prompt_id=prompt_id,
            score=score,
            unscored_reason=reason or None,
            revision=revision,
            judged_at=judged_at,
        )


def criterion_rows(study: Study) -> Iterator[CriterionRow]:
    """The verdicts behind those scores."""
    numbers = run_numbers(study)
    verdicts = CriterionScore.objects.filter(
        answer_score__run__study=study,
        answer_score__answer__session__participant__is_test=False,
        answer_score__answer__session__status__in=ENDED,
        answer_score__answer__prompt__split="public",
    )
    for values in verdicts.order_by("pk").values_list(*CRITERION_FACTS).iterator(CHUNK):
        run, code, prompt_id, position, score, confidence, explanation, reason = values
        yield CriterionRow(
            run=numbers[run],
            participant=code,
            prompt_id=prompt_id,
            criterion=position,
            score=score,
            confidence=confidence,
            explanation=explanation,
            unscored_reason=reason or None,
        )


def run_numbers(study: Study) -> Mapping[int, int]:
    """The number of each run in the export, from 1."""
    return {pk: number for number, pk in enumerate(runs_of(study).values_list("pk", flat=True), start=1)}


def private_answers(study: Study) -> int:
    """How many places of started sessions hold a private prompt."""
    return study_answers(study).filter(prompt__split="private").count()


def private_prompts(study: Study) -> int:
    """How many prompts of the study's batches are private."""
    return BatchPrompt.objects.filter(batch__plan__study=study, prompt__split="private").count()
