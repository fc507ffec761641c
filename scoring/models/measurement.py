"""Every number as a row, as pages, reports and exports show it; and how the measurement of results ended."""

from typing import Any

from django.db import models
from django.db.models import Q

from psychometrics.inference.measure import Scope
from scoring.models.agreement import JudgeComparison
from scoring.models.results import ResultSet


class Measurement(models.Model):
    """One computation of all blocks. The same results, seed and resamples give the same numbers.

    `blocks` holds for each block its state (`computed`, `refused` or `failed`), the sentence that says why
    not (with its template and facts, to say it in another language), and the seconds it took; `public_blocks`
    the same for the answers to public prompts alone, and nothing where the study has no private prompts.
    `inputs_sha256` is of what was measured; "" in measurements by a version that kept none.
    """

    result_set = models.OneToOneField(ResultSet, on_delete=models.CASCADE, related_name="measurement")
    seed = models.PositiveBigIntegerField()
    resamples = models.PositiveIntegerField()
    inputs_sha256 = models.CharField(max_length=64, blank=True)
    blocks = models.JSONField(default=dict)
    public_blocks = models.JSONField(default=dict)
    computed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"measurement of {self.result_set}"

    def ended(self, scope: Scope) -> dict[str, Any]:
        """How each block ended that was computed from these answers."""
        return dict(self.blocks if scope == Scope.ALL else self.public_blocks)

    @property
    def has_public_scope(self) -> bool:
        """Whether there is a measurement of the public prompts alone."""
        return bool(self.public_blocks)


class MeasureRow(models.Model):
    """One number, or the reason why there is none: never zero (`psychometrics.inference.measure`).

    Its subject is either a set of results or judges who are compared. `may_leave`: whether it tells of no
    private prompt, and of nobody's answers to one, so that exports and reports may hold it.
    """

    results = models.ForeignKey(ResultSet, on_delete=models.CASCADE, null=True, related_name="measures")
    comparison = models.ForeignKey(
        JudgeComparison, on_delete=models.CASCADE, null=True, related_name="measures"
    )
    may_leave = models.BooleanField(default=False)
    scope = models.CharField(max_length=10, default=Scope.ALL.value)
    block = models.CharField(max_length=20)
    name = models.CharField(max_length=60)
    group = models.CharField(max_length=20, blank=True)
    subset = models.CharField(max_length=200, blank=True)
    participant = models.CharField(max_length=40, blank=True)
    prompt_id = models.CharField(max_length=200, blank=True)
    value = models.FloatField(null=True)
    se = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    reason = models.CharField(max_length=40, blank=True)
    n = models.PositiveIntegerField(null=True)
    people = models.PositiveIntegerField(null=True)
    prompts = models.PositiveIntegerField(null=True)
    clusters = models.PositiveIntegerField(null=True)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        constraints = [
            *(
                models.UniqueConstraint(
                    fields=[subject, "scope", "block", "name", "group", "subset", "participant", "prompt_id"],
                    condition=Q(**{f"{subject}__isnull": False}),
                    name=f"each_number_once_of_{subject}",
                )
                for subject in ("results", "comparison")
            ),
            models.CheckConstraint(
                condition=Q(results__isnull=True, comparison__isnull=False)
                | Q(results__isnull=False, comparison__isnull=True),
                name="a_measure_has_one_subject",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(reason=""), name="an_absent_number_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.group} {self.subset}: {self.value}"
