"""Who is studied, under which protocol."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from studies.models.accounts import User
from studies.models.banks import BankVersion, ItemBank, JudgeProtocol
from studies.protocol.fingerprint import CAME_LATER
from studies.protocol.settings import ProtocolSettings


class StudyStatus(models.TextChoices):
    """Draft settings may change; frozen ones only by recorded amendment."""

    DRAFT = "draft", _("Draft: the protocol may still change")
    FROZEN = ("frozen", _("Frozen: people may work; the protocol changes only by recorded amendment"))
    CLOSED = "closed", _("Closed: nobody may start")


class Study(models.Model):
    """One study on one bank version. `settings` holds a `ProtocolSettings`.

    `protocol_hash` is of everything that is declared, `design_hash` of all of it but the opening times and
    what is shown first, on which no score depends. `models_version` is the version of the item bank's results
    of models that a locked study compares with (`ItemBank.models_version`); None: the newest, as in a draft.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    bank_version = models.ForeignKey(BankVersion, on_delete=models.PROTECT, related_name="studies")
    item_bank = models.ForeignKey(ItemBank, on_delete=models.PROTECT, null=True, related_name="studies")
    models_version = models.PositiveIntegerField(null=True)
    judge_protocol = models.ForeignKey(
        JudgeProtocol, on_delete=models.PROTECT, null=True, related_name="studies"
    )
    settings = models.JSONField()
    status = models.CharField(max_length=10, choices=StudyStatus, default=StudyStatus.DRAFT)
    protocol_hash = models.CharField(max_length=64, blank=True)
    design_hash = models.CharField(max_length=64, blank=True)
    frozen_at = models.DateTimeField(null=True)
    opens_at = models.DateTimeField(null=True)
    closes_at = models.DateTimeField(null=True)
    # Since when nobody new may come in or start; sessions that run go on.
    recruiting_paused_at = models.DateTimeField(null=True)
    # Since when it is only read, and no longer listed among the studies.
    archived_at = models.DateTimeField(null=True)
    # A rehearsal: every person in it is simulated, and every page, table and export says so.
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            CheckConstraint(
                condition=Q(status="draft") | ~Q(protocol_hash=""),
                name="a_study_that_left_draft_has_a_protocol_hash",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def protocol(self) -> ProtocolSettings:
        """The settings, typed."""
        return ProtocolSettings.model_validate(self.all_settings)

    @property
    def all_settings(self) -> dict[str, object]:
        """Those stored, with what studies were made with before there were the others."""
        return {**CAME_LATER, **self.settings}


class Amendment(models.Model):
    """A recorded change to a frozen study: what, why, by whom. Append-only.

    `protocol_hash_before` is the hash until then, `protocol_hash` the one since.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="amendments")
    number = models.PositiveIntegerField()
    changes = models.JSONField()
    reason = models.TextField()
    protocol_hash_before = models.CharField(max_length=64)
    protocol_hash = models.CharField(max_length=64)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            UniqueConstraint(fields=["study", "number"], name="amendment_numbers_do_not_repeat_in_a_study")
        ]

    def __str__(self) -> str:
        return f"{self.study} amendment {self.number}"


class StudyEvent(models.Model):
    """The trail of everything that changed a study or its people. Append-only."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="events")
    participant = models.ForeignKey(
        "studies.Participant", on_delete=models.PROTECT, null=True, related_name="events"
    )
    kind = models.CharField(max_length=50)
    details = models.JSONField(default=dict)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True)
    happened_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]  # as written: several events of one operation share their time
        indexes = [
            # Every list of people asks it of each of them, and few withdraw.
            models.Index(
                fields=["participant"],
                condition=models.Q(kind="participant_withdrew"),
                name="withdrawals_of_people",
            )
        ]

    def __str__(self) -> str:
        return f"{self.study} {self.kind}"
