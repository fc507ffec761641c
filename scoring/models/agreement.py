"""How far judges agree with each other."""

from django.db import models

from judging.models.runs import ScoringRun
from psychometrics.inference.measure import Scope


class Agreement(models.Model):
    """Agreement of two judges' scores as computed at a moment; `values` holds every statistic by name.

    Of a study with private prompts there are two of each: over all answers, and over those to public prompts.
    """

    first = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=10, default=Scope.ALL.value)
    level = models.CharField(max_length=10)
    values = models.JSONField()
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second", "scope", "level"],
                name="two_judges_have_one_agreement_per_scope_and_level",
            )
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id} by {self.level} ({self.scope})"
