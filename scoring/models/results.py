"""What the answers are worth: estimates computed from one scoring run."""

from django.db import models

from scoring.models.judging import ScoringRun


class ResultGroup(models.TextChoices):
    """Whose ability is estimated."""

    AVERAGE = "average", "Average Human + AI"
    TOP = "top", "Top Human + AI (in-sample: selected on the outcome)"


class ResultSet(models.Model):
    """All estimates of one computation, with what they were computed from."""

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="result_sets")
    inputs_sha256 = models.CharField(max_length=64)
    flow = models.JSONField()
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"results of {self.run}"


class Estimate(models.Model):
    """Ability of one group over one category ("" = all). Null where nothing is scored, never zero."""

    result_set = models.ForeignKey(ResultSet, on_delete=models.CASCADE, related_name="estimates")
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
    pairs = models.PositiveIntegerField()
    prompts = models.PositiveIntegerField()
    responses_per_prompt = models.FloatField(null=True)
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
                fields=["result_set", "group", "category"],
                name="a_result_set_has_one_estimate_per_group_and_category",
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.category or 'all'}: {self.theta}"


class TaskAccuracy(models.Model):
    """Accuracy of one group on one task of a task benchmark; the metrics over tasks have their own names."""

    result_set = models.ForeignKey(ResultSet, on_delete=models.CASCADE, related_name="task_accuracies")
    group = models.CharField(max_length=20, choices=ResultGroup)
    task = models.CharField(max_length=100)
    responses = models.PositiveIntegerField()
    accuracy = models.FloatField(null=True)

    class Meta:
        verbose_name_plural = "task accuracies"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["result_set", "group", "task"], name="a_task_has_one_accuracy_per_group"
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.task}: {self.accuracy}"


class BenchmarkMetric(models.Model):
    """A summary over tasks: macro, micro or adjusted harmonic mean, in percent."""

    result_set = models.ForeignKey(ResultSet, on_delete=models.CASCADE, related_name="metrics")
    group = models.CharField(max_length=20, choices=ResultGroup)
    name = models.CharField(max_length=40)
    value = models.FloatField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["result_set", "group", "name"], name="a_metric_has_one_value_per_group"
            )
        ]

    def __str__(self) -> str:
        return f"{self.group} {self.name}: {self.value}"
