"""Practice before the start: texts that never count and have no clock."""

from django.db import models

from studies.models import Participant


class PracticeAnswer(models.Model):
    """The newest text of a person for one practice prompt, counted from 1. Nothing downstream reads it."""

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="practice_answers")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    tab = models.CharField(max_length=64, blank=True)
    sequence = models.PositiveBigIntegerField(default=0)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="a_person_practises_a_prompt_once")
        ]

    def __str__(self) -> str:
        return f"practice {self.number} of {self.participant}"
