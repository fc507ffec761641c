"""What a study team and its participants say to each other while people work."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.people import Participant
from studies.models.studies import Study


class Audience(models.TextChoices):
    """Whom an announcement is for, by what they are when they look at a page."""

    IN_SESSION = "in_session", _("All active: in a session now, or as soon as they are in one")
    NOT_STARTED = "not_started", _("Not yet started: approved or still to be, and not withdrawn")
    APPROVED = "approved", _("Approved: started or not, and neither finished nor withdrawn")
    FINISHED = "finished", _("Finished: their session has ended, and they have not withdrawn")
    EVERYBODY = "everybody", _("Everybody in the study, also those who were rejected or have withdrawn")


class Announcement(models.Model):
    """A notice of the study team, on all pages of its audience until it is taken back."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="announcements")
    text = models.TextField()
    audience = models.CharField(max_length=20, choices=Audience)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(audience__in=Audience.values), name="audience_is_known")
        ]

    def __str__(self) -> str:
        return f"announcement {self.pk} in {self.study}"


class Message(models.Model):
    """One message between a participant and the study team; together a participant's messages are a thread.

    `session_reference`, `page` and `prompt_label` say where the participant was. Append-only.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="messages")
    is_from_team = models.BooleanField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    session_reference = models.CharField(max_length=10, blank=True)
    page = models.CharField(max_length=200, blank=True)
    prompt_label = models.CharField(max_length=20, blank=True)
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"message {self.pk} of {self.participant_id}"
