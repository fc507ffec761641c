"""Practice before the start: texts that never count, against a clock that ends nothing."""

from django.db import models

from batches.models.drafts import Draft
from batches.rules.statuses import AnswerState, SessionStatus, answer_state
from studies.models import Participant, Prompt
from studies.protocol.visible import is_blank


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
        text = self.participant.study.protocol.practice_prompts[self.number - 1]
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
