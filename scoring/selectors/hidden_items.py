"""Items of a study's bank that an export and everything public leave out: those of private prompts."""

from django.db.models import QuerySet

from psychometrics.irt.bank import ItemBank as ItemArrays
from studies.models import Item, Prompt, Study


def hidden_items(study: Study) -> QuerySet[Item]:
    """Items of prompts that any stored bank holds as private, unless this study's bank has them public."""
    private = Prompt.objects.filter(split="private").values("prompt_id")
    public = Prompt.objects.filter(version=study.bank_version, split="public").values("prompt_id")
    items = Item.objects.filter(item_bank=study.item_bank_id, prompt_id__in=private)
    return items.exclude(prompt_id__in=public)


def public_arrays(study: Study, items: ItemArrays) -> ItemArrays:
    """The arrays of the study's bank without them."""
    hidden = set(hidden_items(study).values_list("prompt_id", flat=True))
    return items.subset(name for name in items.prompt_ids if name not in hidden) if hidden else items
