"""Who takes part: invitations, people in studies, what they say about themselves, agree to and write."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from studies.models.accounts import User
from studies.models.studies import Study


class VettingStatus(models.TextChoices):
    """Whether a person may take part."""

    INVITED = "invited", _("Invited: has not sent the profile form yet")
    SUBMITTED = "submitted", _("Submitted: waiting for a decision")
    RESERVE = "reserve", _("On the reserve list: approved, and waiting for a place")
    APPROVED = "approved", _("Approved: may take part")
    REJECTED = "rejected", _("Rejected, with a reason")


class Participant(models.Model):
    """A person in a study. `code` is the pseudonym every export uses.

    `extra_minutes` are added to the time budget when the person starts. `check_attempts` is how often the
    person may take the comprehension check. `stored_bytes` is about what the person's files, messages, forms
    and earlier versions of answers take. `replaced_by` is who got this person's place, which they fill no
    more; what they did counts as before.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="participants")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="participations")
    code = models.CharField(max_length=20)
    profile = models.SlugField()
    vetting_status = models.CharField(max_length=10, choices=VettingStatus, default=VettingStatus.SUBMITTED)
    vetting_reason = models.TextField(blank=True)
    is_test = models.BooleanField(default=False)
    extra_minutes = models.PositiveIntegerField(default=0)
    check_attempts = models.PositiveIntegerField(default=2)
    stored_bytes = models.PositiveBigIntegerField(default=0)
    submitted_at = models.DateTimeField()
    replaced_by = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="replaces")

    class Meta:
        constraints = [
            UniqueConstraint(fields=["study", "user"], name="a_person_takes_part_once_in_a_study"),
            UniqueConstraint(fields=["study", "code"], name="participant_codes_do_not_repeat_in_a_study"),
            CheckConstraint(
                condition=~Q(vetting_status="rejected") | ~Q(vetting_reason=""),
                name="a_rejection_has_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["study", "vetting_status"], name="people_by_status")]

    def __str__(self) -> str:
        return self.code

    @property
    def approved(self) -> bool:
        return self.vetting_status == VettingStatus.APPROVED

    @property
    def budget_minutes(self) -> int:
        """How long the person may work: the study's time and what the study team gave them on top."""
        return self.study.protocol.time_budget_minutes + self.extra_minutes


class Invitation(models.Model):
    """A personal way into one study. The link's token is kept as its hash only; sending again replaces it.

    `send_problem` is why the newest mail did not go out, blank where it did. `language` is the mail's, blank
    for the site's. `name` is how the mail addresses the person and the team knows them, blank where it was
    not said; it is in no export and deleted with the person's data.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField()
    profile = models.SlugField()
    is_test = models.BooleanField(default=False)
    language = models.CharField(max_length=10, blank=True)
    name = models.CharField(max_length=100, blank=True)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    expires_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    send_problem = models.CharField(max_length=200, blank=True)
    revoked_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    participant = models.OneToOneField(
        Participant, on_delete=models.PROTECT, null=True, related_name="invitation"
    )

    class Meta:
        constraints = [
            UniqueConstraint(
                fields=["study", "email"],
                condition=Q(revoked_at=None),
                name="an_address_has_one_valid_invitation_to_a_study",
            ),
            CheckConstraint(
                condition=Q(accepted_at=None, participant=None) | ~Q(accepted_at=None) & ~Q(participant=None),
                name="an_invitation_is_accepted_exactly_when_it_has_a_participant",
            ),
            CheckConstraint(
                condition=Q(accepted_at=None) | Q(revoked_at=None),
                name="an_accepted_invitation_is_not_revoked",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.study}"

    def is_open(self, now: datetime) -> bool:
        """Whether its link can still be accepted."""
        return self.accepted_at is None and self.revoked_at is None and now < self.expires_at


class ProfileForm(models.Model):
    """What a person says about themselves; `answers` maps question to answer.

    Append-only, the newest counts.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="profile_forms")
    answers = models.JSONField()
    submitted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"profile form of {self.participant}"


class Credential(models.Model):
    """A file a person handed in to support their profile, served to staff only. The newest counts."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="credentials")
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    file = models.FileField(upload_to="credentials/")
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=100)
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    uploaded_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"credential of {self.participant}"


class Consent(models.Model):
    """A person accepted (or declined) exactly this text, and this list of what is recorded, at this time.

    `told` is what they were told beside it (`studies.selectors.told`), pairs of label and text in their
    language; none where they agreed before people were told. `sha256` covers all. Append-only.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="consents")
    accepted = models.BooleanField()
    text = models.TextField()
    recorded = models.JSONField(default=list)
    told = models.JSONField(default=list)
    sha256 = models.CharField(max_length=64)
    decided_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.participant} {'accepted' if self.accepted else 'declined'}"


class ComprehensionAttempt(models.Model):
    """One try at the comprehension check. Append-only.

    `choices` holds question, chosen answer and whether it was right, each as it was then.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="check_tries")
    choices = models.JSONField()
    correct = models.PositiveIntegerField()
    passed = models.BooleanField()
    attempted_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.participant} {'passed' if self.passed else 'failed'} the check"


class Audience(models.TextChoices):
    """Whom an announcement is for, by what they are when they look at a page."""

    IN_SESSION = "in_session", _("All active: in a session now, or as soon as they are in one")
    NOT_STARTED = "not_started", _("Not yet started: approved or still to be, and not withdrawn")
    APPROVED = "approved", _("Approved: started or not, and neither finished nor withdrawn")
    FINISHED = "finished", _("Finished: their session has ended, and they have not withdrawn")
    EVERYBODY = "everybody", _("Everybody in the study, also those who were rejected or have withdrawn")


class Announcement(models.Model):
    """A notice of the study team, on all pages of its audience until it is taken back.

    Of the audience it reaches those with the question set `batch_number` and with the question
    `prompt_label` in their set; everybody in it where they are None and blank.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="announcements")
    text = models.TextField()
    audience = models.CharField(max_length=20, choices=Audience)
    batch_number = models.PositiveIntegerField(null=True)
    prompt_label = models.CharField(max_length=20, blank=True)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [CheckConstraint(condition=Q(audience__in=Audience.values), name="audience_is_known")]

    def __str__(self) -> str:
        return f"announcement {self.pk} in {self.study}"


class Message(models.Model):
    """One message between a participant and the study team; together a participant's messages are a thread.

    `session_reference`, `page` and `prompt_label` say where the participant was. Append-only.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="messages")
    is_from_team = models.BooleanField()
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    session_reference = models.CharField(max_length=10, blank=True)
    page = models.CharField(max_length=200, blank=True)
    prompt_label = models.CharField(max_length=20, blank=True)
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"message {self.pk} of {self.participant_id}"
