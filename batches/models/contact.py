"""What the open pages of a session say about themselves."""

from django.db import models

from batches.models.sessions import Session


class SessionContact(models.Model):
    """The one row a session has of it (see `rules.contact`): a participant's claims, which decide nothing.

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
