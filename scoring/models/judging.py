"""What the judge said. An answer without a score has a reason, and is never zero."""

from django.db import models

from batches.models import Answer
from studies.models import Criterion, Study


class ScoringRun(models.Model):
    """All scores of one study by one judge under one protocol; continued until nothing is left to judge."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="scoring_runs")
    judge_kind = models.CharField(max_length=10)
    judge = models.JSONField()
    judge_sha256 = models.CharField(max_length=64)
    protocol_hash = models.CharField(max_length=64)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "protocol_hash", "judge_sha256"], name="a_judge_has_one_run_per_protocol"
            )
        ]

    def __str__(self) -> str:
        return f"{self.study} by {self.judge_kind}"


class AnswerScore(models.Model):
    """The sample score of one answer, or why there is none yet."""

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="scores")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="scores")
    revision = models.PositiveIntegerField()
    score = models.FloatField(null=True)
    unscored_reason = models.CharField(max_length=40, blank=True)
    judged_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "answer"], name="a_run_scores_an_answer_once"),
            models.CheckConstraint(
                condition=models.Q(score__gte=0, score__lte=1, unscored_reason="")
                | models.Q(score__isnull=True) & ~models.Q(unscored_reason=""),
                name="an_answer_has_a_score_or_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.answer}: {self.score if self.score is not None else self.unscored_reason}"


class CriterionScore(models.Model):
    """The verdict on one criterion; `criterion` is null for an exact-answer prompt."""

    answer_score = models.ForeignKey(AnswerScore, on_delete=models.CASCADE, related_name="criteria")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, null=True, related_name="scores")
    score = models.FloatField(null=True)
    confidence = models.FloatField(null=True)
    explanation = models.TextField(blank=True)
    unscored_reason = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["answer_score", "criterion"], name="a_criterion_is_scored_once"),
            models.UniqueConstraint(
                fields=["answer_score"],
                condition=models.Q(criterion=None),
                name="an_exact_answer_is_scored_once",
            ),
            models.CheckConstraint(
                condition=models.Q(score__isnull=False, confidence__isnull=False, unscored_reason="")
                | models.Q(score__isnull=True) & ~models.Q(unscored_reason=""),
                name="a_criterion_has_a_score_or_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"criterion {self.criterion_id} of {self.answer_score_id}"


class JudgeCall(models.Model):
    """One request to a judge model as it happened, successful or not. Append-only."""

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="calls")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="judge_calls")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, null=True, related_name="judge_calls")
    request_sha256 = models.CharField(max_length=64)
    judge_protocol_sha256 = models.CharField(max_length=64)
    model = models.CharField(max_length=200)
    raw_reply = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.FloatField()
    outcome = models.CharField(max_length=40)
    called_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.outcome} call for {self.answer_id}"
