"""What is assigned: batches of prompts and the plan they were built from."""

from django.db import models

from studies.models import BankVersion, ItemBank, Prompt, Study


class BatchPlan(models.Model):
    """How a study's batches were built, with the coverage report of the result.

    `item_bank` is where the difficulty of prompts was read, None where the study had none; `category_source`
    whose categories they are balanced on; `places` is what
    the slots of the batches were made from (see `plan_places`). Empty: there are no slots, and every batch
    takes as many people of each profile as the protocol asks for.
    """

    study = models.OneToOneField(Study, on_delete=models.PROTECT, related_name="batch_plan")
    bank_version = models.ForeignKey(BankVersion, on_delete=models.PROTECT, related_name="batch_plans")
    item_bank = models.ForeignKey(ItemBank, on_delete=models.PROTECT, null=True, related_name="batch_plans")
    category_source = models.CharField(max_length=20, default="item_bank")
    batch_size = models.PositiveIntegerField()
    assembly = models.CharField(max_length=10)
    seed = models.BigIntegerField()
    places = models.JSONField(default=dict)
    report = models.JSONField()
    built_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.study}: {self.assembly} batches, seed {self.seed}"


class Batch(models.Model):
    """The prompts one person answers in one session.

    `cut` is the cut of the bank that it is part of, from 1; every cut holds every prompt once.
    """

    plan = models.ForeignKey(BatchPlan, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    cut = models.PositiveIntegerField(default=1)
    prompts: "models.ManyToManyField[Prompt, BatchPrompt]" = models.ManyToManyField(
        Prompt, through="BatchPrompt", related_name="batches"
    )

    class Meta:
        verbose_name_plural = "batches"
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "number"], name="batch_numbers_do_not_repeat_in_a_plan")
        ]

    def __str__(self) -> str:
        return f"batch {self.number}"


class BatchPrompt(models.Model):
    """A prompt's place in a batch, counted from 1."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="places")
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="places")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "position"], name="a_place_in_a_batch_holds_one_prompt"),
            models.UniqueConstraint(fields=["batch", "prompt"], name="a_batch_holds_a_prompt_once"),
        ]

    def __str__(self) -> str:
        return f"{self.batch}, place {self.position}"


class BatchSlot(models.Model):
    """A place in a batch for one person of a profile, where places are laid down with the plan.

    Places of a profile in a batch are given away by their numbers, from 1. `arm` is empty where the study
    compares none.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="slots")
    profile = models.CharField(max_length=50)
    number = models.PositiveIntegerField()
    arm = models.CharField(max_length=50, blank=True)

    class Meta:
        ordering = ["batch", "profile", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "profile", "number"], name="slots_of_a_profile_in_a_batch_are_numbered"
            )
        ]

    def __str__(self) -> str:
        return f"{self.batch}, {self.profile} {self.number}"
