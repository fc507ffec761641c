"""Item parameters as arrays."""

import numpy as np
from django.db.models import Count

from formats.item_parameters import ResponseModel
from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.irt.transform import Transform
from studies.models import ItemBank


def item_banks_with_sizes() -> list[tuple[ItemBank, int]]:
    """All stored banks with the number of their items, by name, the newest of a name first."""
    banks = ItemBank.objects.annotate(size=Count("items")).order_by("slug", "-imported_at", "-pk")
    return [(bank, bank.size) for bank in banks]


def item_arrays(item_bank: ItemBank) -> ItemArrays:
    """All items of a stored bank, in the order of their import."""
    items = list(item_bank.items.order_by("pk").values_list("prompt_id", "a", "b", "subcategory"))
    return ItemArrays(
        prompt_ids=tuple(prompt_id for prompt_id, _, _, _ in items),
        a=np.array([a for _, a, _, _ in items], dtype=np.float64),
        b=np.array([b for _, _, b, _ in items], dtype=np.float64),
        subcategories=tuple(subcategory for _, _, _, subcategory in items),
        transform=Transform(scale=item_bank.squeeze_scale, offset=item_bank.squeeze_offset),
        sigma_hat=item_bank.sigma_hat,
        response_model=ResponseModel(item_bank.response_model),
    )
