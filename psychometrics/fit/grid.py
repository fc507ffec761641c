"""Person fit of everybody as counts on a grid: what a figure of many people needs, and nobody's own row.

Cells are CORRELATION_STEP wide and OUTFIT_STEP of a power of ten high. Each is named by its centre; what lies
beyond the ends counts in the outermost cells. People without a correlation or an outfit have no cell.
"""

from dataclasses import dataclass

import numpy as np

from psychometrics.fit.people import PersonFit
from psychometrics.irt.transform import Array

CORRELATION_STEP = 0.05
OUTFIT_STEP = 0.1  # of log10 of the outfit per pair
OUTFIT_END = 2.0  # log10: a hundredth or a hundred times of what is expected
MAX_PLACES = 4  # decimals of a centre


@dataclass(frozen=True)
class Cell:
    """People with about this correlation and this outfit per pair, by whether one of the two is flagged."""

    correlation: float
    outfit: float
    fitting: int
    flagged: int


def fit_grid(fit: PersonFit) -> list[Cell]:
    """The cells that somebody is in, by correlation, then outfit."""
    placed = np.isfinite(fit.correlation) & np.isfinite(fit.outfit)
    across = centres(fit.correlation[placed], CORRELATION_STEP, 1.0)
    per_pair = np.maximum(fit.outfit[placed] / fit.n[placed], 10**-OUTFIT_END)
    upwards = centres(np.log10(per_pair), OUTFIT_STEP, OUTFIT_END)
    flagged = (fit.low_correlation | fit.high_outfit)[placed]
    cells, of = np.unique(np.stack([across, upwards], axis=1), axis=0, return_inverse=True)
    people, found = (np.bincount(of.ravel(), weights, len(cells)) for weights in (None, flagged))
    return [
        Cell(float(r), round(float(10**log), MAX_PLACES), int(n - n_flagged), int(n_flagged))
        for (r, log), n, n_flagged in zip(cells, people, found, strict=True)
    ]


def centres(values: Array, step: float, end: float) -> Array:
    """The centre of each value's cell between -end and end."""
    last = round(2 * end / step) - 1
    place = np.clip(np.floor((values + end) / step), 0, last)
    rounded: Array = np.round((place + 0.5) * step - end, MAX_PLACES)
    return rounded
