"""A fitted bank as the content of a public item-parameter file."""

import math
from collections.abc import Sequence

from formats.item_parameters import ItemParameter, ItemParameters, ResponseModel
from psychometrics.calibration.model import Calibration
from psychometrics.irt.transform import Transform


def item_parameters_of(
    fit: Calibration,
    *,
    prompt_ids: Sequence[str],
    subcategories: Sequence[str] | None = None,
    transform: Transform,
    response_model: ResponseModel = ResponseModel.LOGIT_NORMAL,
) -> ItemParameters:
    """Columns in the order of `prompt_ids`; without sub-categories the file holds empty ones."""
    labels = [""] * len(prompt_ids) if subcategories is None else subcategories
    columns = zip(prompt_ids, fit.a.tolist(), fit.b.tolist(), labels, strict=True)
    return ItemParameters(
        items=tuple(ItemParameter(*column) for column in columns),
        squeeze_scale=transform.scale,
        squeeze_offset=transform.offset,
        sigma_hat=fit.sigma_hat,
        n_models=len(fit.theta),
        r_squared=None if math.isnan(fit.r_squared) else fit.r_squared,
        response_model=response_model,
    )
