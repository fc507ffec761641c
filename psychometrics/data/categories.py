"""Which category a prompt belongs to, where the prompt bank and the item bank both say something."""


def category_of(item_subcategory: str, prompt_category: str) -> str:
    """The item bank's word counts: its scale is what categories are compared on ("LR-IF" is in "LR").

    Without one, the prompt bank's own category. Assembly and results both use this, so that batches are
    balanced on the categories that are reported.
    """
    return item_subcategory.split("-")[0] or prompt_category
