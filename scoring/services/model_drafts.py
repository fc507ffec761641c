"""Models that nobody sees: what an import has not published yet, or what is being deleted."""

from collections.abc import Sequence
from datetime import datetime

from scoring.models import ModelConfiguration, ModelScore
from scoring.services.model_versions import UNPUBLISHED
from studies.services.database import one_of_many_writes

ROWS_PER_WRITE = 1000


def models_remove(configurations: Sequence[int]) -> None:
    """Delete configurations that nobody sees, with their scores."""
    scores = ModelScore.objects.filter(configuration__in=configurations)
    while ids := list(scores.values_list("pk", flat=True)[:ROWS_PER_WRITE]):
        with one_of_many_writes():
            ModelScore.objects.filter(pk__in=ids).delete()
    ModelConfiguration.objects.filter(pk__in=configurations).delete()


def model_drafts_clear(*, before: datetime) -> None:
    """Delete what imports left that were killed, begun before that moment."""
    drafts = ModelConfiguration.objects.filter(until=UNPUBLISHED, imported_at__lt=before)
    models_remove(list(drafts.values_list("pk", flat=True)))
