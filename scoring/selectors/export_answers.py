"""Prompts, answers and scores as export rows, read a few at a time.

Prompts of a private split appear in none of them, and nothing a withdrawn or running session holds does.
"""

from collections.abc import Iterator, Mapping

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from batches.models import BatchPrompt
from batches.rules.statuses import SessionStatus, answer_state, counts
from batches.selectors.answers import answers_to_score, study_answers
from judging.models import AnswerScore, CriterionScore, JudgeCall, RowState
from psychometrics.data.categories import category_of
from scoring.export.rows.answers import AnswerRow, CriterionRow, JudgeCallRow, PromptRow, ScoreRow
from scoring.selectors.runs import runs_of
from screening.selectors.participants import ENDED
from studies.models import Item, Prompt, Study

CHUNK = 1000
ANSWER_FACTS = (
    "session__participant__code",
    "session__batch__number",
    "position",
    "prompt__prompt_id",
    "prompt__label",
    "session__status",
    "session__overdue_rule",
    "session__asks_note",
    "has_text",
    "text",
    "note",
    "confidence",
    "revision",
    "first_seen_at",
    "saved_at",
)
SCORE_FACTS = (
    "run__pk",
    "answer__session__participant__code",
    "answer__prompt__prompt_id",
    "answer__prompt__label",
    "score",
    "unscored_reason",
    "revision",
    "judged_at",
)
CRITERION_FACTS = (
    "run__pk",
    "answer__session__participant__code",
    "answer__prompt__prompt_id",
    "answer__prompt__label",
    "criterion__position",
    "score",
    "confidence",
    "explanation",
    "unscored_reason",
    "origin",
    "revision",
)
CALL_FACTS = (
    "answer__session__participant__code",
    "answer__prompt__prompt_id",
    "answer__prompt__label",
    "criterion__position",
    "request_sha256",
    "mark",
    "model",
    "outcome",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency_ms",
    "called_at",
)


def prompt_rows(study: Study) -> Iterator[PromptRow]:
    """The public prompts of the study's batches, in the bank's order."""
    items = Item.objects.filter(item_bank=study.item_bank_id) if study.item_bank_id else Item.objects.none()
    columns = items.values_list("prompt_id", "a", "b", "subcategory")
    known = {prompt_id: (a, b, subcategory) for prompt_id, a, b, subcategory in columns}
    placed = BatchPrompt.objects.filter(batch__plan__study=study).values("prompt")
    prompts = Prompt.objects.filter(pk__in=placed, split="public").defer("text", "solution", "citations")
    for prompt in prompts.annotate(number_of_criteria=Count("criteria")).order_by("position"):
        a, b, subcategory = known.get(prompt.prompt_id, (None, None, ""))
        yield PromptRow(
            prompt_id=prompt.prompt_id,
            label=prompt.label,
            category=prompt.category,
            subcategory=prompt.subcategory,
            task=prompt.task,
            modality=prompt.modality,
            criteria=prompt.number_of_criteria,
            a=a,
            b=b,
            result_category=category_of(subcategory, prompt.category),
            result_subcategory=subcategory or prompt.subcategory,
            labels=prompt.labels,
        )


def answer_rows(study: Study) -> Iterator[AnswerRow]:
    """Every place of every started session."""
    answers = study_answers(study).filter(prompt__split="public").order_by("pk")
    for values in answers.values_list(*ANSWER_FACTS).iterator(CHUNK):
        code, batch, position, prompt_id, label, *facts = values
        status, rule, asks_note, has_text, *draft, revision, seen, saved = facts
        text, note, confidence = draft if revision and status in ENDED else (None, None, None)
        state = answer_state(
            session_status=SessionStatus(status),
            first_seen=seen is not None,
            revisions=revision,
            has_text=has_text,
        )
        yield AnswerRow(
            participant=code,
            batch=batch,
            position=position,
            prompt_id=prompt_id,
            label=label,
            state=state,
            counts=counts(state, rule),
            text=text,
            note=note if asks_note else None,
            confidence=confidence,
            revision=revision,
            first_seen_at=seen,
            saved_at=saved,
        )


def score_rows(study: Study) -> Iterator[ScoreRow]:
    """Scores of what counts as it is now, of every run."""
    numbers = run_numbers(study)
    scores = current_scores(study)
    for values in scores.order_by("pk").values_list(*SCORE_FACTS).iterator(CHUNK):
        run, code, prompt_id, label, score, reason, revision, judged_at = values
        yield ScoreRow(
            run=numbers[run],
            participant=code,
            prompt_id=prompt_id,
            label=label,
            score=score,
            unscored_reason=reason or None,
            revision=revision,
            judged_at=judged_at,
        )


def criterion_rows(study: Study) -> Iterator[CriterionRow]:
    """The verdicts behind those scores."""
    numbers = run_numbers(study)
    for values in current_verdicts(study).order_by("pk").values_list(*CRITERION_FACTS).iterator(CHUNK):
        run, code, prompt_id, label, *facts = values
        position, score, confidence, explanation, reason, origin, revision = facts
        yield CriterionRow(
            run=numbers[run],
            participant=code,
            prompt_id=prompt_id,
            label=label,
            criterion=position,
            score=score,
            confidence=confidence,
            explanation=explanation,
            unscored_reason=reason or None,
            origin=origin or None,
            revision=revision,
        )


def call_rows(study: Study) -> Iterator[JudgeCallRow]:
    """Every request about a public answer of an ended session, without its reply."""
    numbers, judging_numbers = run_numbers(study), judging_run_numbers(study)
    calls = JudgeCall.objects.filter(
        run__study=study,
        answer__session__status__in=ENDED,
        answer__session__participant__is_test=False,
        answer__prompt__split="public",
    )
    rows = calls.order_by("pk").values_list("judging_run", "run", *CALL_FACTS)
    columns = [name for name in JudgeCallRow.model_fields if name not in ("judging_run", "run")]
    for judging_run, run, *facts in rows.iterator(CHUNK):
        yield JudgeCallRow(
            judging_run=judging_numbers[judging_run],
            run=numbers[run],
            **dict(zip(columns, facts, strict=True)),
        )


def current_scores(study: Study) -> QuerySet[AnswerScore]:
    """Scores of public answers that count, without those of a text that was changed since it was judged."""
    counting = answers_to_score(study).filter(prompt__split="public").order_by()
    scores = AnswerScore.objects.filter(run__study=study, answer__in=counting.values("pk"))
    return scores.filter(revision=F("answer__revision"))


def current_verdicts(study: Study) -> QuerySet[CriterionScore]:
    """What those scores were computed from: on each criterion the verdict, or the newest reason for none."""
    same = {name: OuterRef(name) for name in ("run", "answer", "revision")}
    decided = CriterionScore.objects.exclude(state=RowState.OPEN)
    of_criterion = decided.filter(**same).filter(Q(criterion=OuterRef("criterion")) | Q(criterion=None))
    scored = of_criterion.filter(state=RowState.SCORED)
    newer = of_criterion.filter(pk__gt=OuterRef("pk"))
    current = AnswerScore.objects.filter(
        run=OuterRef("run"), answer=OuterRef("answer"), revision=OuterRef("revision")
    )
    counting = answers_to_score(study).filter(prompt__split="public").order_by()
    return decided.filter(
        Exists(current), run__study=study, answer__in=counting.values("pk"), revision=F("answer__revision")
    ).exclude(Q(state=RowState.UNSCORED) & (Exists(scored) | Exists(newer)))


def run_numbers(study: Study) -> Mapping[int, int]:
    """The number of each run in the export, from 1."""
    return {pk: number for number, pk in enumerate(runs_of(study).values_list("pk", flat=True), start=1)}


def judging_run_numbers(study: Study) -> Mapping[int, int]:
    """The number of each judging run in the export, from 1."""
    runs = study.judging_runs.order_by("pk").values_list("pk", flat=True)
    return {pk: number for number, pk in enumerate(runs, start=1)}


def public_labels(study: Study) -> dict[str, str]:
    """The label of every public prompt of the study's bank, by prompt id."""
    prompts = Prompt.objects.filter(version=study.bank_version_id, split="public")
    return dict(prompts.values_list("prompt_id", "label"))


def private_answers(study: Study) -> int:
    """How many places of started sessions hold a private prompt."""
    return study_answers(study).filter(prompt__split="private").count()


def private_prompts(study: Study) -> int:
    """How many prompts of the study's batches are private."""
    placed = BatchPrompt.objects.filter(batch__plan__study=study, prompt__split="private")
    return placed.values("prompt").distinct().count()
