"""What is kept of the clock that was believed."""

from django.db import models


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
