"""From a score to the logit scale and back (GIM paper, section 4).

    y = ln(q / (1 - q)),   q = scale p + offset,   p in [0, 1]

The squeeze keeps scores of exactly 0 and 1 finite: with the published 0.998 and 0.001, y is within +-6.907.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ScoreOutOfRange(ValueError):
    """A score lies outside [0, 1]; the estimator has no meaning there."""


def require_scores(p: Array) -> None:
    """Raises ScoreOutOfRange for a score (any shape, NaN = missing) outside [0, 1]."""
    refused = (p < 0) | (p > 1)
    if refused.any():
        raise ScoreOutOfRange(f"a score is {p[refused][0]}; scores must be between 0 and 1")


@dataclass(frozen=True)
class Transform:
    """The squeeze constants of an item bank; scale > 0, offset > 0, scale + offset < 1."""

    scale: float
    offset: float

    def __post_init__(self) -> None:
        if not (self.scale > 0 and self.offset > 0 and self.scale + self.offset < 1):
            raise ValueError(
                f"q = {self.scale} p + {self.offset} must stay strictly between 0 and 1 for p in [0, 1]"
            )

    def to_logit(self, p: Array) -> Array:
        """Scores (any shape, NaN = missing stays NaN) to logits; raises ScoreOutOfRange."""
        require_scores(p)
        q = self.scale * p + self.offset
        return np.log(q / (1 - q))

    def to_score(self, y: Array) -> Array:
        """Logits (any shape) to scores; what lies beyond the logits of 0 and 1 is clipped to them."""
        with np.errstate(over="ignore"):  # exp overflows to inf for y < -709, and 1/inf = 0 is right
            q = 1 / (1 + np.exp(-y))
        return np.clip((q - self.offset) / self.scale, 0, 1)
