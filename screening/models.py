"""Off-task flags and what staff decided about them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from batches.models import Answer
from studies.models import Participant


class Flag(models.Model):
    """What a rule found, and why. Flags never exclude by themselves."""

    rules_version = models.CharField(max_length=40)
    reason = models.CharField(max_length=40)
    evidence = models.TextField()
    flagged_at = models.DateTimeField()

    class Meta:
        abstract = True


class AnswerFlag(Flag):
    """A rule found an answer off-task."""

    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="flags")

    class Meta:
        db_table = "scoring_answerflag"
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "rules_version", "reason"],
                name="a_rule_set_flags_an_answer_once_per_reason",
            )
        ]

    def __str__(self) -> str:
        return f"{self.reason}: {self.answer}"


class ParticipantFlag(Flag):
    """The participant-level rule proposes an exclusion."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="flags")

    class Meta:
        db_table = "scoring_participantflag"
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "rules_version", "reason"],
                name="a_rule_set_flags_a_participant_once_per_reason",
            )
        ]

    def __str__(self) -> str:
        return f"{self.reason}: {self.participant}"


class VerdictDecision(models.TextChoices):
    """What a reviewer decided about a participant's flags."""

    CONFIRM = "confirm", _("Confirmed: the participant is excluded")
    OVERTURN = "overturn", _("Overturned: the participant is retained")


class Verdict(models.Model):
    """A reviewer's decision; the newest counts. Append-only."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="verdicts")
    rules_version = models.CharField(max_length=40)
    decision = models.CharField(max_length=10, choices=VerdictDecision)
    reason = models.TextField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    decided_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_verdict"
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="a_verdict_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.decision}: {self.participant}"
