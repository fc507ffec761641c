"""Results: what was computed at once from the scores of one run, judges who are compared, every number as a
row, as pages, reports and exports show it; and the models a cohort is put beside.
"""

from functools import cached_property
from typing import Any
from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from judging.models.audits import AuditSample
from judging.models.runs import ScoringRun
from psychometrics.agreement.measures import OF_ALL, values_by_level
from psychometrics.inference.measure import Scope
from studies.models import ItemBank, Study, User


class ResultGroup(models.TextChoices):
    """Whose ability is estimated."""

    AVERAGE = "average", _("Average Human + AI")
    TOP = "top", _("Top Human + AI (in-sample: selected on the outcome)")


class ResultSet(models.Model):
    """One computation, with what it was made from; its numbers are `measures`.

    Of a study with private prompts there are two of each: over all answers, and over those to public prompts.
    So are there two hashes; `inputs_sha256_public` is "" where no prompt is private. `published` is the table
    of models by tasks that the results of a study without an item bank stand beside, as it was then.
    """

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="result_sets")
    inputs_sha256 = models.CharField(max_length=64)
    inputs_sha256_public = models.CharField(max_length=64, blank=True)
    flow = models.JSONField()
    published = models.JSONField(null=True)
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"results of {self.run}"

    @property
    def sha256_to_leave(self) -> str:
        """The hash that may leave the site: from the whole one, private scores could be guessed."""
        return self.inputs_sha256_public or self.inputs_sha256


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


class AuditComparison(models.Model):
    """What people say beside the judges of an audit sample, over all verdicts or those on public prompts.

    `judges`: by the key of each judge's run, as `psychometrics.agreement.audit_records` writes it. What is
    counted of a sample is read as it is and not stored.
    """

    sample = models.ForeignKey(AuditSample, on_delete=models.CASCADE, related_name="comparisons")
    scope = models.CharField(max_length=10)
    inputs_sha256 = models.CharField(max_length=64)
    judges = models.JSONField()
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "scope"], name="an_audit_sample_has_one_comparison_per_scope"
            )
        ]

    def __str__(self) -> str:
        return f"audit sample {self.sample_id} ({self.scope})"


class Measurement(models.Model):
    """One computation of all blocks. The same results, seed and resamples give the same numbers.

    `blocks` holds for each block its state (`computed`, `refused` or `failed`), the sentence that says why
    not (with its template and facts, to say it in another language), and the seconds it took; `public_blocks`
    the same for the answers to public prompts alone, and nothing where the study has no private prompts.
    `inputs_sha256` is of what was measured; "" in measurements by a version that kept none. `models_version`
    says which results of models are in it (`Study.models_version`); None: no models, or not known.
    """

    result_set = models.OneToOneField(ResultSet, on_delete=models.CASCADE, related_name="measurement")
    seed = models.PositiveBigIntegerField()
    resamples = models.PositiveIntegerField()
    inputs_sha256 = models.CharField(max_length=64, blank=True)
    models_version = models.PositiveIntegerField(null=True)
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


class ModelConfiguration(models.Model):
    """One test configuration of a model on an item bank's prompts.

    Either it has scores, then every number about it is computed here; or it has only what somebody published
    (`published_theta`, `published_se`), which is marked as such wherever it is shown. `epochs` is the number
    of responses per prompt that the published theta rests on. `judge` is the model that scored it, if known.

    A row is never changed: it is there from version `since` of what is known of models on the bank until the
    version `until`, which has another in its place; None: it is there still.
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
    since = models.PositiveIntegerField(default=0)
    until = models.PositiveIntegerField(null=True)
    imported_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["item_bank", "name"],
                condition=Q(until=None),
                name="an_item_bank_has_a_configuration_once",
            )
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


class ExportContents(models.TextChoices):
    """What a file to take away holds, and so for whom it is."""

    INTERNAL = "internal", _("Internal, with texts")
    PUBLIC = "public", _("Public, without texts")
    REPORT = "report", _("Report")


class ExportFile(models.Model):
    """A file that was made to be taken away; it lies in the data folder until it is deleted.

    `departures` is how many withdrawals and deletions of people's data the study had when the file was begun.
    Once there is another one, somebody in the file has left and nobody takes it: a number that is compared
    is decided by what is committed, whatever the clocks of web server and worker say.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="export_files")
    contents = models.CharField(max_length=10, choices=ExportContents.choices)
    rows = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()
    departures = models.PositiveIntegerField(default=0)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"{self.study} {self.contents} {self.made_at:%Y-%m-%d}"


class ExportTaking(models.Model):
    """Somebody took a file away. Append-only."""

    file = models.ForeignKey(ExportFile, on_delete=models.PROTECT, related_name="takings")
    taken_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    taken_at = models.DateTimeField()

    class Meta:
        ordering = ["-taken_at"]

    def __str__(self) -> str:
        return f"{self.file} by {self.taken_by}"


class PublicationSettings(models.Model):
    """What the study lead says about publishing the data; authors are a line each, and all may be empty."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="publication")
    title = models.CharField(max_length=300, blank=True)
    authors = models.TextField(blank=True)
    licence = models.CharField(max_length=20, blank=True)
    doi = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.study} {self.licence}"
