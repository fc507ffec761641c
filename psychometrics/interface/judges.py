"""Agreement of two judges."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.agreement.pairs import Agreement, agreement_from_seed

SEED, RESAMPLES = 2026, 2000


def agreement_of(
    x: ArrayLike,
    y: ArrayLike,
    clusters: Sequence[object] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Agreement of scores x and y (n,) in [0, 1] that two judges gave the same responses, NaN = missing.

    `clusters` (n,) names what is resampled as a whole, such as the person or the prompt; None: the response.
    Offset and limits are y - x in score points; kappa, PABAK, AC1 and nominal alpha are of met (>= 0.5) or
    not. Raises ScoresRefused for other scores or shapes. Each formula has its source in its module
    (`psychometrics.agreement`).
    """
    labels = np.arange(np.size(x)) if clusters is None else np.asarray([str(name) for name in clusters])
    return agreement_from_seed(x, y, labels, seed=seed, resamples=resamples)
