"""What is kept of the site and of no study: what happened to it, and its clock as it was believed."""

from django.db import models

from studies.models.accounts import User


class SiteEvent(models.Model):
    """Who changed what of the site, when and why. Append-only.

    `about` names what it was about for people who read it later: a short name, an address of staff.
    """

    kind = models.CharField(max_length=50)
    about = models.CharField(max_length=300)
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    happened_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}"


class ClockWatch(models.Model):
    """The one row: the last reading that was believed (see `studies.clock`), kept about once a minute.

    `held_since` is set while the clock is not believed, and nothing ends; `held_seconds` is by how much it
    was ahead then, negative where it was behind.
    """

    at = models.DateTimeField()
    boot_id = models.CharField(max_length=36, blank=True)
    boot_seconds = models.FloatField(default=0)
    proven_at = models.DateTimeField()
    settling_since = models.DateTimeField(null=True)
    held_since = models.DateTimeField(null=True)
    held_seconds = models.IntegerField(default=0)

    class Meta:
        db_table = "batches_clockwatch"
        verbose_name_plural = "clock watch"
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_clock_is_watched")]

    def __str__(self) -> str:
        return f"clock at {self.at:%Y-%m-%d %H:%M:%S}"
