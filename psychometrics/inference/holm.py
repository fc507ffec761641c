"""Holm's correction: p-values that can be held against 5 % although several hypotheses are tested."""

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.inference.clusters import Array


def holm(p: ArrayLike) -> Array:
    """Adjusted p-values (m,) in the given order; NaN (not tested) stays NaN and is not counted.

    p~_(k) = max_{l <= k} min(1, (m - l + 1) p_(l)), which bounds the chance of any false alarm whatever the
    dependence of the tests. Source: Holm (1979).
    """
    p = np.asarray(p, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.maximum.accumulate(np.minimum(1, factors * p[order]))
    return adjusted
