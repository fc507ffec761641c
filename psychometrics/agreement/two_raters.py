"""Two raters of the same things in plain Python, for pages: what counts as met, and Cohen's kappa.

`coefficients` has the same kappa for many samples at once, with the formula and where it is from.
"""

import math
from collections.abc import Iterable

DECIMALS = 9
MET = 0.5  # a score from here on counts as met where scores are taken as met or not
NEAR = 0.01  # differences below this are near-exact agreement (GIM paper, F.2)
MIN_PAIRS = 3  # any two points lie on a line


def kappa_of(x: Iterable[float], y: Iterable[float]) -> float:
    """Cohen's kappa of two raters' scores, met or not, without an interval.

    In counts, where nothing is rounded: 2 (n11 n00 - n10 n01) / (n1. n.0 + n0. n.1). A pair that lacks a
    score (NaN) takes no part. NaN below MIN_PAIRS pairs, and where both put everything on one side.
    """
    pairs = [
        (round(first, DECIMALS) >= MET, round(second, DECIMALS) >= MET)
        for first, second in zip(x, y, strict=True)
        if not (math.isnan(first) or math.isnan(second))
    ]
    n, both = len(pairs), sum(first and second for first, second in pairs)
    met_x, met_y = sum(first for first, _ in pairs), sum(second for _, second in pairs)
    below = met_x * (n - met_y) + (n - met_x) * met_y
    if n < MIN_PAIRS or not below:
        return math.nan
    neither = n - met_x - met_y + both
    return 2 * (both * neither - (met_x - both) * (met_y - both)) / below
