"""What is written: answers with everything that reached the server, and practice, which never counts.

Revisions are append-only; the server's clock stamps everything.
"""

from django.db import models
from django.utils.translation import get_language, gettext_lazy as _

from batches.models.sessions import Session
from batches.rules.statuses import AnswerState, SessionStatus, answer_state
from formats.text_faults import is_blank
from studies.models import Participant, Prompt


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


class Answer(Draft):
    """The draft for one prompt of a session; made for every prompt when the session starts.

    `has_text` is whether a reader could see anything in `text`. `is_open` ends with a submission or a
    withdrawal; it stands here so that a save has to lock nothing but its own row. `history_bytes` is what
    the answer's revisions weigh (see `batches.services.answers`).
    """

    # No index of its own: the unique constraints below begin with the session.
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="answers", db_index=False)
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="answers")
    position = models.PositiveIntegerField()
    has_text = models.BooleanField(default=False)
    is_open = models.BooleanField(default=True)
    history_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "position"], name="a_session_has_one_answer_per_place"
            ),
            models.UniqueConstraint(fields=["session", "prompt"], name="a_session_has_one_answer_per_prompt"),
            models.CheckConstraint(
                condition=models.Q(confidence=None) | models.Q(confidence__lte=100),
                name="a_confidence_is_a_percentage",
            ),
        ]
        # Whether anything was written in a session, without a look at the answers themselves.
        indexes = [
            models.Index(fields=["session"], condition=models.Q(has_text=True), name="written_answers")
        ]

    def __str__(self) -> str:
        return f"answer {self.position} of {self.session_id}"

    @property
    def state(self) -> AnswerState:
        """Why there is an answer, or why there is none. Reads the session: select it along."""
        return answer_state(
            session_status=SessionStatus(self.session.status),
            first_seen=self.first_seen_at is not None,
            revisions=self.revision,
            has_text=self.has_text,
        )


class RevisionOutcome(models.TextChoices):
    """What became of a text that reached the server. Refused texts are kept too: nothing typed is lost."""

    ACCEPTED = "accepted", _("Accepted")
    ACCEPTED_LATE = "accepted_late", _("Accepted within the tolerance after the deadline")
    REFUSED_LATE = "refused_late", _("Refused: the session was over")
    REFUSED_STALE = "refused_stale", _("Refused: another tab had saved newer text")
    SUPERSEDED = "superseded", _("Overtaken by a newer save of the same tab")


class Revision(models.Model):
    """One text as it arrived. `number` is set for accepted ones only. Append-only."""

    # No index of its own: the unique constraint below begins with the answer.
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField(null=True)
    base_revision = models.PositiveIntegerField()
    outcome = models.CharField(max_length=15, choices=RevisionOutcome)
    text = models.TextField(blank=True)
    note = models.TextField(blank=True)
    confidence = models.PositiveSmallIntegerField(null=True)
    tab = models.CharField(max_length=64)
    sequence = models.PositiveBigIntegerField()
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "number"], name="revision_numbers_do_not_repeat_in_an_answer"
            ),
            models.CheckConstraint(
                condition=models.Q(outcome__startswith="accepted", number__isnull=False)
                | ~models.Q(outcome__startswith="accepted") & models.Q(number__isnull=True),
                name="exactly_accepted_revisions_are_numbered",
            ),
        ]
        # Few among very many: counted for each session on the live page.
        indexes = [
            models.Index(
                fields=["answer"],
                condition=models.Q(outcome=RevisionOutcome.REFUSED_STALE),
                name="conflicting_revisions",
            )
        ]

    def __str__(self) -> str:
        return f"{self.outcome} revision of {self.answer}"


class PracticeAnswer(Draft):
    """What a person wrote for one practice prompt, counted from 1. Nothing downstream reads it."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="practice_answers")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="a_person_practises_a_prompt_once")
        ]

    def __str__(self) -> str:
        return f"practice {self.number} of {self.participant}"

    @property
    def position(self) -> int:
        """Its place, as an answer has one."""
        return self.number

    @property
    def prompt(self) -> Prompt:
        """The made-up prompt, which is stored nowhere but in the protocol."""
        protocol = self.participant.study.protocol
        text = protocol.entries_in("practice_prompts", get_language() or "")[0][self.number - 1]
        return Prompt(text=text, text_format="markdown")

    @property
    def state(self) -> AnswerState:
        """The state that an answer would have in a running session."""
        return answer_state(
            session_status=SessionStatus.ACTIVE,
            first_seen=self.first_seen_at is not None,
            revisions=self.revision,
            has_text=not is_blank(self.text),
        )


class PracticeClock(models.Model):
    """When a person's practice clock started last."""

    participant = models.OneToOneField(Participant, on_delete=models.PROTECT, related_name="practice_clock")
    started_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"practice clock of {self.participant}"
