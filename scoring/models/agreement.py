"""Judges whose scores of the same answers are compared."""

from functools import cached_property
from typing import Any

from django.db import models

from judging.models.runs import ScoringRun
from psychometrics.agreement.measures import OF_ALL, values_by_level
from psychometrics.inference.measure import Scope


class JudgeComparison(models.Model):
    """Two judges, x and y, on one kind of score (`level`), or the `runs` of a panel (level "panel").

    Its numbers are `measures`. Of a study with private prompts there are two of each: over all answers, and
    over those to public prompts.
    """

    first = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="+")
    runs = models.JSONField(default=list)
    scope = models.CharField(max_length=10, default=Scope.ALL.value)
    level = models.CharField(max_length=10)
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_agreement"
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second", "scope", "level"],
                name="two_judges_have_one_agreement_per_scope_and_level",
            )
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id} by {self.level} ({self.scope})"

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its numbers side by side, as tables and figures need them."""
        levels = values_by_level(self.measures.all())
        return {"runs": self.runs, "levels": levels} if self.level == OF_ALL else levels[self.level]
