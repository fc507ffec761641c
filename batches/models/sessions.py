"""When people worked, the clock that says so, and what their open pages say about themselves.

Events are append-only; the server's clock stamps everything.
"""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from batches.models.batches import Batch
from batches.rules.deadlines import seconds_left
from batches.rules.statuses import SessionStatus
from studies.models import Participant


class Session(models.Model):
    """One person's one run against the clock.

    Deadline, overdue rule, tolerance, length limit and what is asked beside an answer are what was promised
    at the start: an amendment of the protocol does not reach into a running session. Only the study team
    moves a deadline, by extending or reopening; `extended_seconds` is how much later it has become in all.
    `arm` is that of the place the person got, empty where the study compares none.
    `resources` is empty both before the declaration and when nothing was used; `resources_recorded_at` tells
    these apart. `voided_at` is when the study team voided it: like a withdrawn one it counts nowhere, but the
    person has not left. `answer_states` and `answer_seconds` are what its answers came to (`rules.sums`),
    `counted_at` some time after its end (`services.sums`): None until then, and when an answer changes.
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
    voided_at = models.DateTimeField(null=True)
    answer_states = models.TextField(blank=True, editable=False)
    answer_seconds = models.TextField(blank=True, editable=False)
    counted_at = models.DateTimeField(null=True, editable=False)

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
            models.CheckConstraint(
                condition=models.Q(voided_at=None) | models.Q(status="withdrawn"),
                name="a_voided_session_counts_nowhere",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deadline_at"], condition=models.Q(status="active"), name="active_by_deadline"
            ),
            models.Index(fields=["ended_at"], condition=models.Q(counted_at=None), name="sessions_to_count"),
            models.Index(fields=["ended_at"], name="sessions_by_end"),
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
        """What was left when it ended; nothing where the time had run out, or it has not ended yet."""
        return max(timedelta(0), self.deadline_at - (self.ended_at or self.deadline_at))

    def is_running(self, now: datetime) -> bool:
        """Whether the participant may write now. The clock decides, not whether the sweep came by."""
        return self.status == SessionStatus.ACTIVE and now <= self.deadline_at

    def status_at(self, now: datetime) -> SessionStatus:
        """The status by the clock: a session past its deadline has expired before the sweep says so."""
        if self.status == SessionStatus.ACTIVE and now > self.deadline_at:
            return SessionStatus.EXPIRED
        return SessionStatus(self.status)


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
    VOIDED = "voided", _("Voided by the study team: it counts nowhere")
    LATE_SAVE_ACCEPTED = "late_save_accepted", _("Saved within the tolerance after the deadline")
    LATE_SAVE_REFUSED = "late_save_refused", _("Refused a text that came after the end")
    HISTORY_FULL = "history_full", _("Stopped keeping earlier versions of answers")
    # What an open page said of itself (see `rules.contact`).
    SAVES_FAILED = "saves_failed", _("Saves failed, as the page reported")
    CONTACT_LOST = "contact_lost", _("The open page was not heard for a while")
    TWO_DEVICES = "two_devices", _("Open on two devices at once")
    CLOCK_OFF = "clock_off", _("The device's clock was off")
    SEEN_OFFLINE = "seen_offline", _("A question was first shown while offline, as the page reported")


PAGE_REPORTS = (
    SessionEventKind.SAVES_FAILED,
    SessionEventKind.CONTACT_LOST,
    SessionEventKind.TWO_DEVICES,
    SessionEventKind.CLOCK_OFF,
    SessionEventKind.SEEN_OFFLINE,
)
"""What is no more than a page's word: it proves nothing about when somebody worked."""


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
        indexes = [
            # Whether somebody worked on after the end is asked wherever flags and verdicts are counted.
            models.Index(
                fields=["session", "happened_at"],
                condition=models.Q(kind__in=["extended", "reopened", "revived"]),
                name="sessions_that_went_on",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.session_id}"


class SessionContact(models.Model):
    """What the open pages of a session say about themselves, in its one row (see `rules.contact`): a
    participant's claims, which decide nothing.

    `device` is a random number that the browser made for this session alone.
    """

    session = models.OneToOneField(
        Session, on_delete=models.PROTECT, primary_key=True, related_name="contact"
    )
    device = models.CharField(max_length=64)
    heard_at = models.DateTimeField()
    is_hidden = models.BooleanField(default=False)
    clock_off_seconds = models.IntegerField(null=True)
    failed_saves = models.PositiveSmallIntegerField(default=0)
    lost_seconds = models.PositiveIntegerField(default=0)
    trouble_since = models.DateTimeField(null=True)
    trouble_ended_at = models.DateTimeField(null=True)
    other_device_at = models.DateTimeField(null=True)
    noted = models.PositiveSmallIntegerField(default=0)
    noted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"contact with {self.session_id}"
