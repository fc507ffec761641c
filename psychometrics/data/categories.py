"""Which category a prompt belongs to, where the prompt bank and the item bank both say something."""

from collections import Counter
from collections.abc import Iterable, Mapping


def category_of(item_subcategory: str, prompt_category: str) -> str:
    """The item bank's word counts: its scale is what categories are compared on ("LR-IF" is in "LR").

    Without one, the prompt bank's own category. Assembly and results both use this, so that batches are
    balanced on the categories that are reported.
    """
    return item_subcategory.split("-")[0] or prompt_category


def items_by_category(items: Iterable[tuple[str, str]], prompt_categories: Mapping[str, str]) -> Counter[str]:
    """How many items there are of each category; those of none are under "".

    `items` are (prompt id, sub-category); `prompt_categories` are the prompt bank's own.
    """
    return Counter(category_of(subcategory, prompt_categories.get(name, "")) for name, subcategory in items)
