"""What was answered, and when. Revisions and events are append-only; the server's clock stamps everything."""

import uuid

from django.db import models

from batches.models.batches import Batch
from batches.rules.statuses import SessionStatus
from studies.models import Participant, Prompt


class Session(models.Model):
    """One person's one run against the clock. `deadline_at` is fixed at the start."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    participant = models.OneToOneField(Participant, on_delete=models.PROTECT, related_name="session")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="sessions")
    status = models.CharField(
        max_length=10, choices=[(status.value, status.sentence) for status in SessionStatus], default="active"
    )
    started_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    resources = models.JSONField(default=list)
    resources_note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(deadline_at__gt=models.F("started_at")), name="the_deadline_is_after_the_start"
            ),
            models.CheckConstraint(
                condition=models.Q(status="active", ended_at=None) | ~models.Q(status="active") & ~models.Q(ended_at=None),
                name="a_session_has_an_end_exactly_when_it_is_not_active",
            ),
        ]
        indexes = [
            models.Index(fields=["deadline_at"], condition=models.Q(status="active"), name="active_by_deadline")
        ]

    def __str__(self) -> str:
        return f"session of {self.participant}"

    @property
    def reference(self) -> str:
        """The short number on the receipt."""
        return self.id.hex[:10].upper()


class Answer(models.Model):
    """The newest accepted text for one prompt of a session; made for every prompt when the session starts."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="answers")
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="answers")
    position = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    tab = models.CharField(max_length=64, blank=True)
    sequence = models.PositiveBigIntegerField(default=0)
    first_seen_at = models.DateTimeField(null=True)
    saved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["session", "position"], name="a_session_has_one_answer_per_place"),
            models.UniqueConstraint(fields=["session", "prompt"], name="a_session_has_one_answer_per_prompt"),
        ]

    def __str__(self) -> str:
        return f"answer {self.position} of {self.session_id}"


class RevisionOutcome(models.TextChoices):
    """What became of a text that reached the server. Refused texts are kept as well: nothing typed is lost."""

    ACCEPTED = "accepted", "Accepted"
    ACCEPTED_LATE = "accepted_late", "Accepted within the tolerance after the deadline"
    REFUSED_LATE = "refused_late", "Refused: the session was over"
    REFUSED_STALE = "refused_stale", "Refused: another tab had saved newer text"
    SUPERSEDED = "superseded", "Overtaken by a newer save of the same tab"


class Revision(models.Model):
    """One text as it arrived. `number` is set for accepted ones only. Append-only."""

    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField(null=True)
    base_revision = models.PositiveIntegerField()
    outcome = models.CharField(max_length=15, choices=RevisionOutcome)
    text = models.TextField(blank=True)
    tab = models.CharField(max_length=64)
    sequence = models.PositiveBigIntegerField()
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["answer", "number"], name="revision_numbers_do_not_repeat_in_an_answer"),
            models.CheckConstraint(
                condition=models.Q(outcome__startswith="accepted", number__isnull=False)
                | ~models.Q(outcome__startswith="accepted") & models.Q(number__isnull=True),
                name="exactly_accepted_revisions_are_numbered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} revision of {self.answer}"


class SessionEvent(models.Model):
    """The trail of a session. `happened_at` is the logical time, `recorded_at` when it was written."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=40)
    details = models.JSONField(default=dict)
    happened_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} in {self.session_id}"
