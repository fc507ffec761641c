"""What happened to the site that is of no study, or outlives one."""

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
