"""What a study mails to whom: what became of each mail, and which kinds are switched off."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models.accounts import User
from studies.models.people import Participant
from studies.models.sign_in import OutgoingMail
from studies.models.studies import Study


class MailKind(models.TextChoices):
    """The mails of a study. An invitation is what somebody asks for at that moment: it has no switch."""

    INVITATION = "invitation", _("Invitation")
    DECISION = "decision", _("Decision")
    REMINDER = "reminder", _("Reminder")
    RECEIPT = "receipt", _("Receipt")
    REPLY = "reply", _("Reply to a message")
    DIGEST = "digest", _("Daily digest for the team")


class MailOutcome(models.TextChoices):
    """What became of a mail."""

    WAITING = "waiting", _("waiting")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")
    TOO_OLD = "too_old", _("dropped: too old to be of use")
    CANCELLED = "cancelled", _("cancelled: it did not hold any more")


class MailRecord(models.Model):
    """One mail of a study, from when it is queued on; neither its text nor an address.

    A digest is of all studies of a member of the team: it has no study. `mail` is there until it is sent,
    cancelled or too old. `problem` is the kind of the last failure.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, related_name="mail_records")
    kind = models.CharField(max_length=20, choices=MailKind)
    participant = models.ForeignKey(
        Participant, on_delete=models.PROTECT, null=True, related_name="mail_records"
    )
    # Whoever of the team it goes to: a digest, or a test.
    member = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    is_test = models.BooleanField(default=False)
    mail = models.OneToOneField(OutgoingMail, on_delete=models.SET_NULL, null=True, related_name="record")
    outcome = models.CharField(max_length=20, choices=MailOutcome, default=MailOutcome.WAITING)
    problem = models.CharField(max_length=100, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    queued_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["study", "-queued_at"], name="mails_of_a_study_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class MailSwitch(models.Model):
    """A kind of mail that a study does not send. No row: it sends it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="mail_switches")
    kind = models.CharField(max_length=20, choices=MailKind)
    switched_off_at = models.DateTimeField()
    switched_off_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind"], name="a_kind_of_mail_is_switched_off_once_in_a_study"
            )
        ]

    def __str__(self) -> str:
        return f"{self.study} sends no {self.kind}"


class MailText(models.Model):
    """A study's own words for a mail in a language, with placeholders (`studies.services.mails.own_texts`).

    `template` names the mail as in `studies/mail/`. No row: Chiron's text.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="mail_texts")
    template = models.CharField(max_length=20)
    language = models.CharField(max_length=10)
    subject = models.CharField(max_length=200)
    body = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "template", "language"], name="a_study_has_one_text_of_a_mail_in_a_language"
            )
        ]

    def __str__(self) -> str:
        return f"{self.template} ({self.language}) of {self.study}"


class MailSender(models.Model):
    """Under which name a study's mails come, and where answers to them go. The address is the site's."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="mail_sender")
    name = models.CharField(max_length=80, blank=True)
    reply_to = models.EmailField(blank=True)

    def __str__(self) -> str:
        return f"sender of mails of {self.study}"


class DigestWish(models.Model):
    """Whether somebody of the study team wants the daily digest, and the last day it was made for."""

    member = models.OneToOneField(User, on_delete=models.CASCADE, related_name="digest_wish")
    is_wanted = models.BooleanField(default=True)
    made_on = models.DateField(null=True)

    def __str__(self) -> str:
        return f"digest of user {self.member_id}"
