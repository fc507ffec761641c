"""What a person writes for one prompt, whether it counts or is practice."""

from django.db import models


class Draft(models.Model):
    """The newest accepted text for one prompt, with what stands beside it and what orders its saves.

    `note` is what the person says they used for this prompt, `confidence` how sure they are in percent; both
    are asked only where the study says so, and saved together with the text. `is_flagged` is the person's own
    mark to come back.
    """

    text = models.TextField(blank=True)
    note = models.TextField(blank=True)
    confidence = models.PositiveSmallIntegerField(null=True)
    is_flagged = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(default=0)
    tab = models.CharField(max_length=64, blank=True)
    sequence = models.PositiveBigIntegerField(default=0)
    first_seen_at = models.DateTimeField(null=True)
    saved_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
