"""Prompts, answers and scores as export rows, read a few at a time.

Prompts of a private split appear in none of them, and nothing a withdrawn or running session holds does.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from batches.models import Answer
from batches.rules.statuses import VOID, AnswerState, SessionStatus, answer_state, counts
from batches.selectors.answers import answers_to_score, study_answers
from judging.models import AnswerScore, CriterionScore, JudgeCall, RowState
from scoring.export.rows.answers import AnswerRow, CriterionRow, JudgeCallRow, PromptRow, ScoreRow
from scoring.selectors.export_columns import (
    OF_ANSWER,
    judging_run_numbers,
    named,
    run_numbers,
    stored_columns,
)
from scoring.selectors.scopes import study_prompts
from screening.selectors.participants import ENDED
from studies.models import Item, Study
from studies.selectors.categories import question_categories
from studies.selectors.private_questions import of_public

ANSWER_PATHS = {
    "participant": "session__participant__code",
    "batch": "session__batch__number",
    "prompt_id": "prompt__prompt_id",
    "label": "prompt__label",
    "status": "session__status",
    "voided_at": "session__voided_at",
    "rule": "session__overdue_rule",
    "asks_note": "session__asks_note",
    "has_text": "has_text",
}


def prompt_rows(study: Study) -> Iterator[PromptRow]:
    """The public prompts of the study's batches, in the bank's order."""
    items = Item.objects.filter(item_bank=study.item_bank_id) if study.item_bank_id else Item.objects.none()
    known = {prompt_id: (a, b) for prompt_id, a, b in items.values_list("prompt_id", "a", "b")}
    prompts = study_prompts(study).filter(of_public()).defer("text", "solution", "citations")
    held = question_categories(study, prompts)
    for prompt in prompts.annotate(number_of_criteria=Count("criteria")).order_by("position"):
        a, b = known.get(prompt.prompt_id, (None, None))
        yield PromptRow(
            **named(prompt, "prompt_id", "label", "category", "subcategory", "task", "modality", "labels"),
            criteria=prompt.number_of_criteria,
            a=a,
            b=b,
            result_category=held[prompt.prompt_id].category,
            result_subcategory=held[prompt.prompt_id].subcategory,
        )


def answer_rows(study: Study) -> Iterator[AnswerRow]:
    """Every place of every started session."""
    answers = study_answers(study).filter(of_public("prompt")).order_by("pk")
    for values in stored_columns(AnswerRow, answers, ANSWER_PATHS, computed=("state", "counts")):
        status, rule, voided_at = values.pop("status"), values.pop("rule"), values.pop("voided_at")
        state, values["counts"] = _state_and_counts(
            status,
            rule,
            seen=values["first_seen_at"] is not None,
            written=values["revision"] > 0,
            has_text=values.pop("has_text"),
        )
        values["state"] = VOID if voided_at else state
        if not values["revision"] or status not in ENDED:
            values["text"] = values["note"] = values["confidence"] = None
        if not values.pop("asks_note"):
            values["note"] = None
        yield AnswerRow.from_columns(values)


@cache
def _state_and_counts(
    status: str, rule: str, *, seen: bool, written: bool, has_text: bool
) -> tuple[AnswerState, bool]:
    """Of the few kinds of places that there are, each is looked at once."""
    state = answer_state(
        session_status=SessionStatus(status), first_seen=seen, revisions=int(written), has_text=has_text
    )
    return state, counts(state, rule)


def score_rows(study: Study) -> Iterator[ScoreRow]:
    """Scores of what counts as it is now, of every run."""
    numbers = run_numbers(study)
    # Without those of a text that was changed since it was judged.
    scores = AnswerScore.objects.filter(
        run__study=study, answer__in=_counting(study), revision=F("answer__revision")
    ).order_by("pk")
    for values in stored_columns(ScoreRow, scores, OF_ANSWER, empty_as_none=("unscored_reason",)):
        values["run"] = numbers[values["run"]]
        yield ScoreRow.from_columns(values)


def criterion_rows(study: Study) -> Iterator[CriterionRow]:
    """What those scores were computed from: on each criterion the verdict, or the newest reason for none."""
    same = {name: OuterRef(name) for name in ("run", "answer", "revision")}
    decided = CriterionScore.objects.exclude(state=RowState.OPEN)
    of_criterion = decided.filter(**same).filter(Q(criterion=OuterRef("criterion")) | Q(criterion=None))
    scored = of_criterion.filter(state=RowState.SCORED)
    newer = of_criterion.filter(pk__gt=OuterRef("pk"))
    verdicts = decided.filter(
        Exists(AnswerScore.objects.filter(**same)),
        run__study=study,
        answer__in=_counting(study),
        revision=F("answer__revision"),
    ).exclude(Q(state=RowState.UNSCORED) & (Exists(scored) | Exists(newer)))
    numbers = run_numbers(study)
    paths, texts = OF_ANSWER | {"criterion": "criterion__position"}, ("unscored_reason", "origin")
    for values in stored_columns(CriterionRow, verdicts.order_by("pk"), paths, empty_as_none=texts):
        values["run"] = numbers[values["run"]]
        yield CriterionRow.from_columns(values)


def call_rows(study: Study) -> Iterator[JudgeCallRow]:
    """Every request about a public answer of an ended session, without its reply."""
    numbers, judging_numbers = run_numbers(study), judging_run_numbers(study)
    calls = JudgeCall.objects.filter(
        of_public("answer__prompt"),
        run__study=study,
        answer__session__status__in=ENDED,
        answer__session__participant__is_test=False,
    )
    paths = OF_ANSWER | {"criterion": "criterion__position"}
    for values in stored_columns(JudgeCallRow, calls.order_by("pk"), paths):
        values["judging_run"] = judging_numbers[values["judging_run"]]
        values["run"] = numbers[values["run"]]
        yield JudgeCallRow.from_columns(values)


def _counting(study: Study) -> QuerySet[Answer, Any]:
    """The public answers that count."""
    return answers_to_score(study).filter(of_public("prompt")).order_by().values("pk")
