"""Long work as rows: what somebody asked for, how far it is, and how it ended."""

from uuid import uuid4

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from studies.models import Study, User


class JobState(models.TextChoices):
    """The life of a job. Waiting and running ones are open; the others ended."""

    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


OPEN = (JobState.WAITING, JobState.RUNNING)


class Job(models.Model):
    """One piece of long work. `arguments` name rows by their ids: no texts of people, no secrets.

    `lease` is who runs it, until `leased_until`; whoever holds another says nothing more about it. `phase`
    and the sentences of `result` and `error` are in English and translated where they are shown. `only_one`
    is the same for jobs of which one may be open at a time; "" for those that may run beside each other.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    kind = models.CharField(max_length=60)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, related_name="jobs")
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    arguments = models.JSONField(default=dict)
    only_one = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.WAITING)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    phase = models.CharField(max_length=200, blank=True)
    lease = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    starts = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    cancel_asked_at = models.DateTimeField(null=True)
    cancel_asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    moved_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["state", "created_at"], name="jobs_by_state")]
        constraints = [
            UniqueConstraint(
                fields=["only_one"],
                condition=Q(state__in=OPEN) & ~Q(only_one=""),
                name="one_open_job_of_a_kind_and_study",
            ),
            CheckConstraint(
                condition=Q(state=JobState.RUNNING, lease__isnull=False, leased_until__isnull=False)
                | (~Q(state=JobState.RUNNING) & Q(lease=None, leased_until=None)),
                name="a_job_that_runs_has_a_lease_and_no_other",
            ),
            CheckConstraint(
                condition=Q(state__in=OPEN, finished_at=None)
                | (Q(finished_at__isnull=False) & ~Q(state__in=OPEN)),
                name="a_job_that_ended_says_when",
            ),
            CheckConstraint(condition=~Q(state=JobState.FAILED) | ~Q(error=""), name="a_failed_job_says_why"),
            CheckConstraint(condition=Q(done__lte=F("total")), name="a_job_has_not_done_more_than_all"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in OPEN
