"""The judges a site may ask, and what they are doing at the moment."""

from decimal import Decimal

from django.conf import settings
from django.db import models

from llm.providers import Provider


class JudgeConfig(models.Model):
    """A language model as a judge. The key stays in the environment; only its variable's name is here.

    What decides scores (model, provider, reasoning effort, parameters, bound on output tokens) is fixed once
    a run has used the judge; address, key, prices and limits may change. `plain_json_at`: when the endpoint
    was found to refuse JSON schemas, which it is not asked for since. `lease`: the process that asks it, for
    all runs and studies, until `leased_until` (`jobs.leases`). `held_until`: nothing is sent before, as the
    endpoint has too much to do; then `pace` calls at a time, at most, until it is seen to take more.
    """

    slug = models.SlugField(unique=True)
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=200)
    key_variable = models.CharField(max_length=100, blank=True)
    provider = models.CharField(max_length=20, choices=[(kind.value, kind.value) for kind in Provider])
    reasoning_effort = models.CharField(max_length=20, blank=True)
    parameters = models.JSONField(default=dict)
    max_output_tokens = models.PositiveIntegerField(null=True)
    timeout_seconds = models.FloatField(default=120.0)
    input_price = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    output_price = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    requests_per_minute = models.PositiveIntegerField(null=True)
    tokens_per_minute = models.PositiveIntegerField(null=True)
    concurrency = models.PositiveIntegerField(default=16)
    plain_json_at = models.DateTimeField(null=True)
    lease = models.UUIDField(null=True, editable=False)
    leased_until = models.DateTimeField(null=True, editable=False)
    held_until = models.DateTimeField(null=True, editable=False)
    pace = models.PositiveSmallIntegerField(null=True, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_judgeconfig"
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(condition=models.Q(concurrency__gt=0), name="a_judge_takes_some_calls"),
            models.CheckConstraint(
                condition=models.Q(timeout_seconds__gt=0), name="a_judge_has_some_time_to_reply"
            ),
            models.CheckConstraint(
                condition=models.Q(input_price=None, output_price=None)
                | models.Q(input_price__gte=0, output_price__gte=0),
                name="a_judge_has_both_prices_or_none",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    def price_of(self, prompt_tokens: int | None, completion_tokens: int | None) -> Decimal | None:
        """What tokens cost at the present prices; None where either is not known."""
        if self.input_price is None or self.output_price is None:
            return None
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (self.input_price * prompt_tokens + self.output_price * completion_tokens) / 1_000_000


class JudgeChange(models.Model):
    """Who created or changed a judge, and what. Append-only."""

    judge = models.ForeignKey(JudgeConfig, on_delete=models.PROTECT, related_name="history")
    changes = models.JSONField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_judgechange"
        ordering = ["id"]

    def __str__(self) -> str:
        return f"change {self.pk} of {self.judge}"
