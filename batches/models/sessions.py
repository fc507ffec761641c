"""What was answered, and when. Revisions and events are append-only; the server's clock stamps everything."""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from batches.models.batches import Batch
from batches.models.drafts import Draft
from batches.rules.deadlines import seconds_left, time_left_at_end
from batches.rules.statuses import AnswerState, SessionStatus, answer_state
from studies.models import Participant, Prompt


class Session(models.Model):
    """One person's one run against the clock.

    Deadline, overdue rule, tolerance, length limit and what is asked beside an answer are what was promised
    at the start: an amendment of the protocol does not reach into a running session. Only the study team
    moves a deadline, by extending or reopening; `extended_seconds` is how much later it has become in all.
    `arm` is that of the place the person got, empty where the study compares none.
    `resources` is empty both before the declaration and when nothing was used; `resources_recorded_at` tells
    these apart.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    participant = models.OneToOneField(Participant, on_delete=models.PROTECT, related_name="session")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="sessions")
    arm = models.CharField(max_length=50, blank=True)
    status = models.CharField(
        max_length=10,
        choices=[(status.value, _(status.sentence)) for status in SessionStatus],
        default="active",
    )
    started_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    overdue_rule = models.CharField(max_length=14)
    late_tolerance_seconds = models.PositiveIntegerField()
    answer_max_characters = models.PositiveIntegerField()
    asks_note = models.BooleanField(default=False)
    asks_confidence = models.BooleanField(default=False)
    extended_seconds = models.PositiveIntegerField(default=0)
    resources = models.JSONField(default=list)
    resources_note = models.TextField(blank=True)
    resources_recorded_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(deadline_at__gt=models.F("started_at")),
                name="the_deadline_is_after_the_start",
            ),
            models.CheckConstraint(
                condition=models.Q(status="active", ended_at=None)
                | ~models.Q(status="active") & ~models.Q(ended_at=None),
                name="a_session_has_an_end_exactly_when_it_is_not_active",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deadline_at"], condition=models.Q(status="active"), name="active_by_deadline"
            )
        ]

    def __str__(self) -> str:
        return f"session of {self.participant}"

    @property
    def reference(self) -> str:
        """The short number on the receipt."""
        return self.id.hex[:10].upper()

    @property
    def tolerance(self) -> timedelta:
        """How long after the deadline an answer that was on the wire is still taken."""
        return timedelta(seconds=self.late_tolerance_seconds)

    def seconds_left(self, now: datetime) -> int:
        """Whole seconds the participant may still write; 0 once the session has ended in whatever way."""
        return (
            seconds_left(now=now, deadline_at=self.deadline_at) if self.status == SessionStatus.ACTIVE else 0
        )

    @property
    def time_left_at_end(self) -> timedelta:
        """What was left when it ended; nothing where the time had run out, or has not ended yet."""
        return time_left_at_end(ended_at=self.ended_at or self.deadline_at, deadline_at=self.deadline_at)

    def is_running(self, now: datetime) -> bool:
        """Whether the participant may write now. The clock decides, not whether the sweep came by."""
        return self.status == SessionStatus.ACTIVE and now <= self.deadline_at

    def status_at(self, now: datetime) -> SessionStatus:
        """The status by the clock: a session past its deadline has expired before the sweep says so."""
        if self.status == SessionStatus.ACTIVE and now > self.deadline_at:
            return SessionStatus.EXPIRED
        return SessionStatus(self.status)


class Answer(Draft):
    """The draft for one prompt of a session; made for every prompt when the session starts.

    `has_text` is whether a reader could see anything in `text`. `is_open` ends with a submission or a
    withdrawal; it stands here so that a save has to lock nothing but its own row. `history_bytes` is what
    the answer's revisions weigh (see `batches.services.answers`).
    """

    # No index of its own: the unique constraints below begin with the session.
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="answers", db_index=False)
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="answers")
    position = models.PositiveIntegerField()
    has_text = models.BooleanField(default=False)
    is_open = models.BooleanField(default=True)
    history_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "position"], name="a_session_has_one_answer_per_place"
            ),
            models.UniqueConstraint(fields=["session", "prompt"], name="a_session_has_one_answer_per_prompt"),
            models.CheckConstraint(
                condition=models.Q(confidence=None) | models.Q(confidence__lte=100),
                name="a_confidence_is_a_percentage",
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.position} of {self.session_id}"

    @property
    def state(self) -> AnswerState:
        """Why there is an answer, or why there is none. Reads the session: select it along."""
        return answer_state(
            session_status=SessionStatus(self.session.status),
            first_seen=self.first_seen_at is not None,
            revisions=self.revision,
            has_text=self.has_text,
        )


class RevisionOutcome(models.TextChoices):
    """What became of a text that reached the server. Refused texts are kept too: nothing typed is lost."""

    ACCEPTED = "accepted", _("Accepted")
    ACCEPTED_LATE = "accepted_late", _("Accepted within the tolerance after the deadline")
    REFUSED_LATE = "refused_late", _("Refused: the session was over")
    REFUSED_STALE = "refused_stale", _("Refused: another tab had saved newer text")
    SUPERSEDED = "superseded", _("Overtaken by a newer save of the same tab")


class Revision(models.Model):
    """One text as it arrived. `number` is set for accepted ones only. Append-only."""

    # No index of its own: the unique constraint below begins with the answer.
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField(null=True)
    base_revision = models.PositiveIntegerField()
    outcome = models.CharField(max_length=15, choices=RevisionOutcome)
    text = models.TextField(blank=True)
    note = models.TextField(blank=True)
    confidence = models.PositiveSmallIntegerField(null=True)
    tab = models.CharField(max_length=64)
    sequence = models.PositiveBigIntegerField()
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "number"], name="revision_numbers_do_not_repeat_in_an_answer"
            ),
            models.CheckConstraint(
                condition=models.Q(outcome__startswith="accepted", number__isnull=False)
                | ~models.Q(outcome__startswith="accepted") & models.Q(number__isnull=True),
                name="exactly_accepted_revisions_are_numbered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} revision of {self.answer}"


class SessionEventKind(models.TextChoices):
    """What can happen to a session."""

    STARTED = "started", _("Started")
    RESOURCES_RECORDED = "resources_recorded", _("Declared which resources were used")
    SUBMITTED = "submitted", _("Submitted")
    EXPIRED = "expired", _("Ended at its deadline")
    WITHDRAWN = "withdrawn", _("Withdrawn by the participant")
    EXTENDED = "extended", _("Given extra time by the study team")
    REOPENED = "reopened", _("Reopened by the study team")
    REVIVED = "revived", _("Revived by the study team: a wrong clock had ended it")
    LATE_SAVE_ACCEPTED = "late_save_accepted", _("Saved within the tolerance after the deadline")
    LATE_SAVE_REFUSED = "late_save_refused", _("Refused a text that came after the end")
    HISTORY_FULL = "history_full", _("Stopped keeping earlier versions of answers")


class SessionEvent(models.Model):
    """The trail of a session. `happened_at` is the logical time, `recorded_at` when it was written.

    `actor` is set for what the study team did.
    """

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=40, choices=SessionEventKind)
    details = models.JSONField(default=dict)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)
    happened_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} in {self.session_id}"
