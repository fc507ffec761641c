"""What came of questions: mean scores of people and of models, time taken, messages about them."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Avg, Count, F, Subquery

from batches.selectors.answers import answers_to_score
from console.selectors.questions import Question
from judging.models import AnswerScore
from scoring.models import ModelScore, ResultSet
from scoring.selectors.leaderboards import models_of
from screening.selectors.participants import retained_participants
from studies.models import Message, Prompt, Study


@dataclass(frozen=True)
class QuestionResult:
    """Means of one question; None where there is nothing to take a mean of, never zero.

    `people` and `models` are scores in [0, 1], `scored` the answers that the first is of.
    """

    people: float | None = None
    scored: int = 0
    models: float | None = None
    messages: int = 0


class QuestionLine(NamedTuple):
    """A question with what came of it."""

    question: Question
    result: QuestionResult


def question_results(
    study: Study, questions: Collection[Question | Prompt], *, with_scores: bool
) -> Mapping[int, QuestionResult]:
    """Of these questions, by key: at most three queries for any number. Without scores those are None."""
    keys = [question.pk for question in questions]
    people = _people(study, keys) if with_scores else {}
    models: dict[str, float] = {}
    if with_scores and study.item_bank_id is not None:
        # Mean over models' scored responses; every response weighs alike.
        scores = ModelScore.objects.filter(
            configuration__in=models_of(study).values("pk"),
            prompt_id__in=[question.prompt_id for question in questions],
            score__isnull=False,
        )
        models = dict(scores.order_by().values_list("prompt_id").annotate(mean=Avg("score")))
    # Messages that people wrote from a question: the first sign of an unclear one.
    labels = [question.label for question in questions]
    written = Message.objects.filter(participant__study=study, is_from_team=False, prompt_label__in=labels)
    messages = Counter(dict(written.order_by().values_list("prompt_label").annotate(number=Count("pk"))))
    results = {}
    for question in questions:
        mean, scored = people.get(question.pk, (None, 0))
        of_models, of_messages = models.get(question.prompt_id), messages[question.label]
        results[question.pk] = QuestionResult(mean, scored, of_models, of_messages)
    return results


def _people(study: Study, keys: Collection[int]) -> dict[int, tuple[float, int]]:
    """Mean score and number of scored answers of everybody who counts, under the newest results' judge.

    A score of an earlier revision is no score of this answer.
    """
    newest = ResultSet.objects.filter(run__study=study).order_by("-pk").values("run")
    scores = AnswerScore.objects.filter(
        run=Subquery(newest[:1]), score__isnull=False, revision=F("answer__revision"),
        answer__prompt__in=keys, answer__in=answers_to_score(study),
        answer__session__participant__in=retained_participants(study).values("pk"),
    )  # fmt: skip
    rows = scores.order_by().values("answer__prompt").annotate(mean=Avg("score"), number=Count("pk"))
    return {row["answer__prompt"]: (row["mean"], row["number"]) for row in rows}
