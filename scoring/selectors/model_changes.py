"""What the newest results of models on its item bank would change in a locked study."""

from dataclasses import dataclass

from scoring.models import ModelConfiguration
from studies.models import ItemBank, Study


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
    pinned, bank = study.models_version, study.item_bank_id
    if pinned is None or bank is None:
        return None
    rows = ModelConfiguration.objects.filter(item_bank=bank).order_by("name")
    new = list(rows.filter(until=None, since__gt=pinned).values_list("name", flat=True))
    if not new:
        return None
    kept = set(rows.filter(since__lte=pinned, until__gt=pinned).values_list("name", flat=True))
    slug, version = ItemBank.objects.values_list("slug", "models_version").get(pk=bank)
    return ModelChanges(
        slug, version, [name for name in new if name not in kept], [name for name in new if name in kept]
    )
