"""The models a cohort is put beside, as imported: their scores per prompt and epoch, or only their theta."""

from django.db import models
from django.db.models import Q

from studies.models import ItemBank


class ModelConfiguration(models.Model):
    """One test configuration of a model on an item bank's prompts.

    Either it has scores, then every number about it is computed here; or it has only what somebody published
    (`published_theta`, `published_se`), which is marked as such wherever it is shown. `epochs` is the number
    of responses per prompt that the published theta rests on. `judge` is the model that scored it, if known.
    """

    item_bank = models.ForeignKey(ItemBank, on_delete=models.PROTECT, related_name="model_configurations")
    name = models.CharField(max_length=200)
    family = models.CharField(max_length=100, blank=True)
    source = models.CharField(max_length=300)
    judge = models.CharField(max_length=200, blank=True)
    published_theta = models.FloatField(null=True)
    published_se = models.FloatField(null=True)
    epochs = models.PositiveIntegerField(null=True)
    sha256 = models.CharField(max_length=64)
    imported_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["item_bank", "name"], name="an_item_bank_knows_a_configuration_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ModelScore(models.Model):
    """The score of one response of a model to one prompt; null is missing, never zero."""

    configuration = models.ForeignKey(ModelConfiguration, on_delete=models.CASCADE, related_name="scores")
    prompt_id = models.CharField(max_length=200)
    epoch = models.PositiveIntegerField()
    score = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["configuration", "prompt_id", "epoch"], name="a_model_answers_a_prompt_once_an_epoch"
            ),
            models.CheckConstraint(
                condition=Q(score=None) | Q(score__gte=0, score__lte=1), name="a_model_score_is_from_0_to_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.configuration} {self.prompt_id} {self.epoch}: {self.score}"
