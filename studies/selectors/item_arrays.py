"""Item parameters of a stored bank as arrays: for what computes with them, not for pages."""

import numpy as np

from formats.item_parameters import ResponseModel
from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.irt.transform import Transform
from studies.models import ItemBank


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
