"""An item bank as arrays: what the estimators compute with."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from formats.item_parameters import ItemParameters, ResponseModel
from psychometrics.irt.transform import Array, Transform


@dataclass(frozen=True, eq=False)
class ItemBank:
    """J items in a fixed order: discrimination `a` > 0 and difficulty `b` (logits), each of shape (J,).

    `sigma_hat` is the residual standard deviation of the calibration in logits. On a bank of the logistic
    model ability is theta_QL, and theta by equation 2 of the GIM paper is NaN.
    """

    prompt_ids: tuple[str, ...]
    a: Array
    b: Array
    subcategories: tuple[str, ...]
    transform: Transform
    sigma_hat: float
    response_model: ResponseModel = ResponseModel.LOGIT_NORMAL

    @property
    def is_logistic(self) -> bool:
        return self.response_model is ResponseModel.LOGISTIC

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of each prompt id."""
        return {prompt_id: j for j, prompt_id in enumerate(self.prompt_ids)}

    def __len__(self) -> int:
        return len(self.prompt_ids)

    def __repr__(self) -> str:
        return f"ItemBank({len(self)} items, {self.response_model}, sigma_hat {self.sigma_hat:.4g})"

    def subset(self, prompt_ids: Iterable[str]) -> "ItemBank":
        """The items among `prompt_ids`, in bank order; coverage then refers to this part alone.

        Ids the bank does not hold are ignored.
        """
        wanted = set(prompt_ids)
        kept = [j for j, name in enumerate(self.prompt_ids) if name in wanted]
        return replace(
            self,
            prompt_ids=tuple(self.prompt_ids[j] for j in kept),
            a=self.a[kept],
            b=self.b[kept],
            subcategories=tuple(self.subcategories[j] for j in kept),
        )


def item_bank_from(parameters: ItemParameters) -> ItemBank:
    """The arrays of a validated item-parameter file, in the order of the file."""
    return ItemBank(
        prompt_ids=tuple(item.prompt_id for item in parameters.items),
        a=np.array([item.a for item in parameters.items], dtype=np.float64),
        b=np.array([item.b for item in parameters.items], dtype=np.float64),
        subcategories=tuple(item.subcategory for item in parameters.items),
        transform=Transform(scale=parameters.squeeze_scale, offset=parameters.squeeze_offset),
        sigma_hat=parameters.sigma_hat,
        response_model=parameters.response_model,
    )
