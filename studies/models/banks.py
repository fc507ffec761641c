"""What is asked: prompt banks, item parameters, judge texts. Rows of all of these are never changed."""

import uuid
from typing import TypeVar

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils.functional import cached_property

from formats.item_parameters import ResponseModel

StoredT = TypeVar("StoredT", bound="StoredInSlices")


class Published(models.Manager["StoredT"]):
    """Only what is stored whole."""

    def get_queryset(self) -> models.QuerySet["StoredT"]:
        return super().get_queryset().filter(is_published=True)


class StoredInSlices(models.Model):
    """What is too large to be stored in one transaction: nobody sees it before its last slice is there.

    What is not published is of an import that is under way, or was killed.
    """

    is_published = models.BooleanField(default=True)
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = Published()
    everything = models.Manager()

    class Meta:
        abstract = True


class Bank(models.Model):
    """A prompt bank through all its versions."""

    slug = models.SlugField(unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug


class BankVersion(StoredInSlices):
    """One import of a bank; a correction is the next number. `category_names` are what pages call its
    categories and sub-categories, by code: labels for people, the newest that a file of this content gave.
    """

    bank = models.ForeignKey(Bank, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    format = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    canaries = models.JSONField(default=list)
    category_names = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    imported_at = models.DateTimeField()

    class Meta:
        constraints = [
            UniqueConstraint(
                fields=["bank", "number"],
                condition=Q(is_published=True),
                name="numbers_of_published_versions_do_not_repeat",
            ),
            UniqueConstraint(
                fields=["bank", "digest"],
                condition=Q(is_published=True),
                name="a_bank_publishes_each_content_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bank} v{self.number}"

    @cached_property
    def number_of_prompts(self) -> int:
        """Counted once, as a version never changes: every mail of thousands says it."""
        return Prompt.objects.filter(version=self).count()


class Prompt(models.Model):
    """One prompt of one bank version. `label` is what people call it: equal in all versions of the bank."""

    version = models.ForeignKey(BankVersion, on_delete=models.CASCADE, related_name="prompts")
    prompt_id = models.CharField(max_length=200)
    label = models.CharField(max_length=20)
    position = models.PositiveIntegerField()
    text = models.TextField()
    text_format = models.CharField(max_length=10)
    gold_answer = models.TextField(null=True)  # noqa: DJ001  # absent is not the empty answer
    category = models.CharField(max_length=100, blank=True)
    subcategory = models.CharField(max_length=100, blank=True)
    task = models.CharField(max_length=100, blank=True)
    labels = models.JSONField(default=list)
    split = models.CharField(max_length=10)
    modality = models.CharField(max_length=10)
    solution = models.TextField(blank=True)
    citations = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            UniqueConstraint(fields=["version", "prompt_id"], name="prompt_ids_do_not_repeat_in_a_version"),
            UniqueConstraint(fields=["version", "label"], name="prompt_labels_do_not_repeat_in_a_version"),
        ]

    def __str__(self) -> str:
        return self.prompt_id


class Criterion(models.Model):
    """One rubric criterion; `check` is its machine check, if it has one."""

    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="criteria")
    position = models.PositiveIntegerField()
    text = models.TextField()
    check_rule = models.JSONField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            UniqueConstraint(fields=["prompt", "position"], name="criteria_have_distinct_positions")
        ]

    def __str__(self) -> str:
        return f"{self.prompt_id}/{self.position}"


class Attachment(models.Model):
    """A file shown with a prompt, served under an unguessable token to the person working on it."""

    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="attachments")
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=100)
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.FileField(max_length=200)

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return self.name


class ItemBank(StoredInSlices):
    """Item parameters calibrated on models: the scale a cohort is placed on.

    `models_version` numbers what is known of models on it: every import of their results makes the next.
    """

    slug = models.SlugField()
    digest = models.CharField(max_length=64)
    squeeze_scale = models.FloatField()
    squeeze_offset = models.FloatField()
    sigma_hat = models.FloatField()
    n_models = models.PositiveIntegerField(null=True)
    r_squared = models.FloatField(null=True)
    response_model = models.CharField(max_length=20, default=ResponseModel.LOGIT_NORMAL.value)
    models_version = models.PositiveIntegerField(default=0)
    imported_at = models.DateTimeField()

    class Meta:
        constraints = [
            UniqueConstraint(
                fields=["digest"], condition=Q(is_published=True), name="item_banks_differ_in_content"
            ),
            CheckConstraint(condition=Q(sigma_hat__gt=0), name="sigma_hat_is_positive"),
            CheckConstraint(
                condition=Q(response_model__in=[model.value for model in ResponseModel]),
                name="response_model_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:8]}"

    @property
    def is_logistic(self) -> bool:
        """Whether ability on it is theta_QL, and theta by logits of scores is not on its scale."""
        return self.response_model == ResponseModel.LOGISTIC


class Item(models.Model):
    """Discrimination a and difficulty b of one prompt."""

    item_bank = models.ForeignKey(ItemBank, on_delete=models.CASCADE, related_name="items")
    prompt_id = models.CharField(max_length=200)
    a = models.FloatField()
    b = models.FloatField()
    subcategory = models.CharField(max_length=100, blank=True)
    prompt_set = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["item_bank", "prompt_id"], name="an_item_bank_holds_a_prompt_once"),
            CheckConstraint(condition=Q(a__gt=0), name="discrimination_is_positive"),
        ]

    def __str__(self) -> str:
        return self.prompt_id


class JudgeProtocol(models.Model):
    """The judge's two prompt texts."""

    slug = models.SlugField()
    sha256 = models.CharField(max_length=64, unique=True)
    exact_text = models.TextField()
    rubric_text = models.TextField()
    source = models.CharField(max_length=300)
    imported_at = models.DateTimeField()
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    def __str__(self) -> str:
        return f"{self.slug} {self.sha256[:8]}"
