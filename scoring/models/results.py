"""What the answers are worth: estimates computed from one scoring run."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from judging.models.runs import ScoringRun
from psychometrics.inference.measure import Scope


class ResultGroup(models.TextChoices):
    """Whose ability is estimated."""

    AVERAGE = "average", _("Average Human + AI")
    TOP = "top", _("Top Human + AI (in-sample: selected on the outcome)")


class ResultSet(models.Model):
    """All estimates of one computation, with what they were computed from.

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


class Estimate(models.Model):
    """Ability of one group over one category ("" = all). Null where nothing is scored, never zero.

    Of a category `participants` are those who answered in it.
    Errors of `theta_pool` and `theta_ql` serve the design: `interval` names them, `clusters` are what they
    take as independent. `theta`, by prompt means, has the published analytic error. With two to seven batches
    that share no prompt `se_twoway` is a second error of `theta_pool`. `reason_pool` and `reason_ql` are a
    `Reason` why the estimate, or only its error and interval, is null.
    Of its `prompts` as many are `private_prompts`; `private_scored` are those with a score, in the item bank
    or not. Where either are few, it does not leave the site.
    """

    result_set = models.ForeignKey(ResultSet, on_delete=models.CASCADE, related_name="estimates")
    scope = models.CharField(max_length=10, default=Scope.ALL.value)
    group = models.CharField(max_length=20, choices=ResultGroup)
    category = models.CharField(max_length=100, blank=True)
    participants = models.PositiveIntegerField()
    theta = models.FloatField(null=True)
    se = models.FloatField(null=True)
    ci_low = models.FloatField(null=True)
    ci_high = models.FloatField(null=True)
    theta_pool = models.FloatField(null=True)
    se_pool = models.FloatField(null=True)
    ci_low_pool = models.FloatField(null=True)
    ci_high_pool = models.FloatField(null=True)
    reason_pool = models.CharField(max_length=20, blank=True)
    se_twoway = models.FloatField(null=True)
    ci_low_twoway = models.FloatField(null=True)
    ci_high_twoway = models.FloatField(null=True)
    theta_ql = models.FloatField(null=True)
    se_ql = models.FloatField(null=True)
    ci_low_ql = models.FloatField(null=True)
    ci_high_ql = models.FloatField(null=True)
    reason_ql = models.CharField(max_length=20, blank=True)
    interval = models.CharField(max_length=20, blank=True)
    clusters = models.PositiveIntegerField(null=True)
    batches = models.PositiveIntegerField(default=0)
    pairs = models.PositiveIntegerField()
    prompts = models.PositiveIntegerField()
    responses_per_prompt = models.FloatField(null=True)
    private_prompts = models.PositiveIntegerField(default=0)
    private_scored = models.PositiveIntegerField(default=0)
    raw_mean = models.FloatField(null=True)
    coverage = models.FloatField(null=True)
    expected = models.PositiveIntegerField()
    missing = models.PositiveIntegerField()
    unscored = models.PositiveIntegerField()
    unknown_items = models.PositiveIntegerField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["result_set", "scope", "group", "category"],
                name="a_result_set_has_one_estimate_per_scope_group_and_category",
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.category or 'all'}: {self.theta}"


class TaskAccuracy(models.Model):
    """Accuracy of one group on one task of a task benchmark; the metrics over tasks have their own names."""

    result_set = models.ForeignKey(ResultSet, on_delete=models.CASCADE, related_name="task_accuracies")
    scope = models.CharField(max_length=10, default=Scope.ALL.value)
    group = models.CharField(max_length=20, choices=ResultGroup)
    task = models.CharField(max_length=100)
    responses = models.PositiveIntegerField()
    accuracy = models.FloatField(null=True)

    class Meta:
        verbose_name_plural = "task accuracies"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["result_set", "scope", "group", "task"],
                name="a_task_has_one_accuracy_per_scope_and_group",
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.task}: {self.accuracy}"


class BenchmarkMetric(models.Model):
    """A summary over tasks: macro, micro or adjusted harmonic mean, in percent."""

    result_set = models.ForeignKey(ResultSet, on_delete=models.CASCADE, related_name="metrics")
    scope = models.CharField(max_length=10, default=Scope.ALL.value)
    group = models.CharField(max_length=20, choices=ResultGroup)
    name = models.CharField(max_length=40)
    value = models.FloatField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["result_set", "scope", "group", "name"],
                name="a_metric_has_one_value_per_scope_and_group",
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.name}: {self.value}"
