"""What a study team and its participants say to each other while people work."""

from django.conf import settings
from django.db import models

from studies.models.people import Participant
from studies.models.studies import Study


class Announcement(models.Model):
    """A notice of the study team to everybody in the study, on all their pages until it is taken back."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="announcements")
    text = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"announcement {self.pk} in {self.study}"


class Message(models.Model):
    """One message between a participant and the study team; together a participant's messages are a thread.

    `session_reference` and `page` say where the participant was. Append-only.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="messages")
    is_from_team = models.BooleanField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    session_reference = models.CharField(max_length=10, blank=True)
    page = models.CharField(max_length=200, blank=True)
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"message {self.pk} of {self.participant_id}"
