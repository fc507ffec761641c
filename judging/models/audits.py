"""Verdicts that people judge again."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.runs import CriterionScore, JudgingRun


class AuditSample(models.Model):
    """Verdicts drawn for people to judge again; `strata` holds the numbers it was drawn from and by."""

    judging_run = models.ForeignKey(JudgingRun, on_delete=models.PROTECT, related_name="audit_samples")
    seed = models.PositiveBigIntegerField()
    strata = models.JSONField()
    drawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    drawn_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_auditsample"
        ordering = ["id"]

    def __str__(self) -> str:
        return f"audit sample {self.pk} of {self.judging_run}"


class AuditItem(models.Model):
    """One drawn verdict, and what a person says instead of the judge. Null is: not rated yet."""

    sample = models.ForeignKey(AuditSample, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    row = models.ForeignKey(CriterionScore, on_delete=models.PROTECT, related_name="audit_items")
    stratum = models.CharField(max_length=40)
    human_score = models.FloatField(null=True)
    comment = models.TextField(blank=True)
    rater = models.CharField(max_length=100, blank=True)
    rated_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "scoring_audititem"
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "number"], name="numbers_do_not_repeat_in_an_audit_sample"
            ),
            models.UniqueConstraint(fields=["sample", "row"], name="an_audit_sample_holds_a_verdict_once"),
            models.CheckConstraint(
                condition=Q(human_score=None, rated_at=None)
                | Q(human_score__gte=0, human_score__lte=1, rated_at__isnull=False),
                name="a_human_score_is_a_share_with_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} of {self.sample}"
