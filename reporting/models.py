"""What only the study lead can say about a study, for the report's human-baseline checklist."""

from django.conf import settings
from django.db import models

from studies.models import Study


class ChecklistAnswer(models.Model):
    """The lead's newest answer to one item; the trail of the study keeps the earlier ones."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="checklist_answers")
    item = models.CharField(max_length=10)
    text = models.TextField()
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    answered_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_checklistanswer"
        constraints = [
            models.UniqueConstraint(fields=["study", "item"], name="a_study_answers_a_checklist_item_once")
        ]

    def __str__(self) -> str:
        return f"{self.study} {self.item}"
