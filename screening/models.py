"""Off-task flags and what staff decided about them."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from batches.models import Answer
from screening.offtask.readings import LeftOpen, Reading
from studies.models import Participant, Study


def _choices(values: type[StrEnum]) -> list[tuple[str, str]]:
    return [(member.value, member.value) for member in values]


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

    CONFIRM = "confirm", _("Off-task: not counted")
    OVERTURN = "overturn", _("On task: counted")
    UNSURE = "unsure", _("Not sure: another reviewer decides")


class Verdict(models.Model):
    """A reviewer's decision; the newest counts. Append-only.

    `reading` says whether it was given first, by a second reviewer who did not see the first verdict, to
    settle a disagreement, or later, after what others had decided; `leaves_open` what is still asked of
    others after it. `reason_code` is the short name of the reason in the protocol that was chosen, blank
    where the reason is in the reviewer's own words alone. Rows from before there were second reviewers are
    first readings that leave nothing open.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="verdicts")
    rules_version = models.CharField(max_length=40)
    decision = models.CharField(max_length=10, choices=VerdictDecision)
    reason = models.TextField()
    reason_code = models.CharField(max_length=50, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    decided_at = models.DateTimeField()
    reading = models.CharField(max_length=10, choices=_choices(Reading), default=Reading.FIRST.value)
    leaves_open = models.CharField(max_length=10, choices=_choices(LeftOpen), default=LeftOpen.NOTHING.value)

    class Meta:
        db_table = "scoring_verdict"
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="a_verdict_has_a_reason"),
            models.CheckConstraint(
                condition=~models.Q(decision="unsure") | ~models.Q(leaves_open="nothing"),
                name="whoever_is_not_sure_leaves_the_decision_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision}: {self.participant}"


class ScreeningRun(models.Model):
    """The rules went over everybody who had finished. Append-only.

    It tells "nobody is flagged" from "nobody was looked at".
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="screening_runs")
    rules_version = models.CharField(max_length=40)
    participants = models.PositiveIntegerField()
    flagged_answers = models.PositiveIntegerField()
    flagged_people = models.PositiveIntegerField()
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    ran_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.rules_version} over {self.participants} of {self.study}"


class ScreeningPlan(models.Model):
    """Which share of the flagged people two reviewers read, as a lead decided before the protocol said so."""

    study = models.OneToOneField(Study, on_delete=models.PROTECT, related_name="screening_plan")
    second_share = models.FloatField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(second_share__gte=0, second_share__lte=1),
                name="the_share_of_second_readings_is_a_share",
            )
        ]

    def __str__(self) -> str:
        return f"{self.second_share:.0%} of {self.study}"
