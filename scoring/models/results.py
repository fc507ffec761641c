"""Sets of results: what was computed at once from the scores of one run."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from judging.models.runs import ScoringRun


class ResultGroup(models.TextChoices):
    """Whose ability is estimated."""

    AVERAGE = "average", _("Average Human + AI")
    TOP = "top", _("Top Human + AI (in-sample: selected on the outcome)")


class ResultSet(models.Model):
    """One computation, with what it was made from; its numbers are `measures`.

    Of a study with private prompts there are two of each: over all answers, and over those to public prompts.
    So are there two hashes; `inputs_sha256_public` is "" where no prompt is private.
    """

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="result_sets")
    inputs_sha256 = models.CharField(max_length=64)
    inputs_sha256_public = models.CharField(max_length=64, blank=True)
    flow = models.JSONField()
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"results of {self.run}"

    @property
    def sha256_to_leave(self) -> str:
        """The hash that may leave the site: from the whole one, private scores could be guessed."""
        return self.inputs_sha256_public or self.inputs_sha256
