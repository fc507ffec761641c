"""What a lead does who wants a locked study compared with results of models that came after its lock."""

from datetime import datetime

from django.db.models import F

from scoring.services.model_versions import models_take
from studies.models import ItemBank, Study


def newest_models_taken(item_bank: ItemBank, now: datetime) -> None:
    """Every locked study on the bank takes the newest results of models over."""
    behind = Study.objects.filter(item_bank=item_bank, models_version__lt=F("item_bank__models_version"))
    for study in behind:
        models_take(study=study, seen=None, now=now)
