"""Which category a prompt belongs to, where the prompt bank and the item bank both say something."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

CategorySource = Literal["item_bank", "question_bank"]


class Categories(NamedTuple):
    """The category and the sub-category that a bank puts a prompt in; "" where it names none."""

    category: str
    subcategory: str


def item_categories(subcategory: str) -> Categories:
    """What an item bank says: "LR-IF" is in "LR"."""
    return Categories(subcategory.split("-")[0], subcategory)


def categories_of(items: Categories, questions: Categories, *, source: CategorySource) -> Categories:
    """What holds: the word of the `source`, and where it names none the other's.

    Assembly, pages, results and exports all use this, so that batches are balanced on the categories that are
    reported.
    """
    if source == "item_bank":
        return Categories(items.category or questions.category, items.subcategory or questions.subcategory)
    if not questions.category:
        return Categories(items.category, questions.subcategory or items.subcategory)
    finer = items.subcategory if items.category == questions.category else ""
    return Categories(questions.category, questions.subcategory or finer)


def disagree(items: Categories, questions: Categories) -> bool:
    """Whether the two banks name different categories, or within one category different sub-categories.

    A bank that names none, or no finer one than its category, disagrees with nobody.
    """
    if items.category != questions.category:
        return bool(items.category and questions.category)
    finer = [side.subcategory for side in (items, questions) if side.subcategory not in ("", side.category)]
    return len(set(finer)) > 1


def items_by_category(items: Iterable[tuple[str, str]], categories: Mapping[str, str]) -> Counter[str]:
    """How many items there are of each category; those of none are under "".

    `items` are (prompt id, sub-category); `categories` are those of the prompts that are asked, as they hold.
    """
    return Counter(categories.get(name) or item_categories(own).category for name, own in items)
