"""Prompts that a study asks, and items of its bank: how many, and those that everything public leaves out."""

from collections import Counter

from django.db.models import QuerySet

from batches.models import BatchPrompt
from psychometrics.data.categories import items_by_category
from psychometrics.irt.bank import ItemBank as ItemArrays
from studies.models import Item, Prompt, Study


def study_prompts(study: Study) -> QuerySet[Prompt]:
    """The prompts of the study's batches."""
    placed = BatchPrompt.objects.filter(batch__plan__study=study)
    return Prompt.objects.filter(pk__in=placed.values("prompt"))


def hidden_items(study: Study) -> QuerySet[Item]:
    """Items of prompts that any stored bank holds as private, unless this study's bank has them public."""
    private = Prompt.objects.filter(split="private").values("prompt_id")
    public = Prompt.objects.filter(version=study.bank_version, split="public").values("prompt_id")
    items = Item.objects.filter(item_bank=study.item_bank_id, prompt_id__in=private)
    return items.exclude(prompt_id__in=public)


def bank_sizes(study: Study) -> Counter[str]:
    """How many items the study's bank has of each category; none without a bank."""
    of_prompt = dict(study_prompts(study).values_list("prompt_id", "category"))
    items = Item.objects.filter(item_bank=study.item_bank_id).values_list("prompt_id", "subcategory")
    return items_by_category(items, of_prompt)


def public_arrays(study: Study, items: ItemArrays) -> ItemArrays:
    """The arrays of the study's bank without them."""
    hidden = set(hidden_items(study).values_list("prompt_id", flat=True))
    return items.subset(name for name in items.prompt_ids if name not in hidden) if hidden else items
