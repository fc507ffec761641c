"""What the newest results of models on its item bank would change in a locked study."""

from dataclasses import dataclass

from scoring.models import ModelConfiguration
from studies.models import Study


@dataclass(frozen=True)
class ModelChanges:
    """Of the bank's newest `version`: the names of models that are new to the study, and those of which there
    are other results than it has.
    """

    item_bank: str
    version: int
    added: list[str]
    replaced: list[str]


def model_changes(study: Study) -> ModelChanges | None:
    """None where the study has the newest already, as every draft does."""
    pinned, bank = study.models_version, study.item_bank
    if pinned is None or bank is None or pinned >= bank.models_version:
        return None
    rows = ModelConfiguration.objects.filter(item_bank=bank).order_by("name")
    new = list(rows.filter(until=None, since__gt=pinned).values_list("name", flat=True))
    if not new:
        return None
    kept = set(rows.filter(since__lte=pinned, until__gt=pinned).values_list("name", flat=True))
    return ModelChanges(
        item_bank=bank.slug,
        version=bank.models_version,
        added=[name for name in new if name not in kept],
        replaced=[name for name in new if name in kept],
    )
