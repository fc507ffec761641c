"""Pairs in the order of their people, and what is summed over each person's rows. NaN where undefined."""

from dataclasses import replace

import numpy as np

from psychometrics.data.cohort import Codes, Pairs
from psychometrics.fit.reference import Reference
from psychometrics.irt.transform import Array

MIN_SPREAD = 1e-9  # of sums of squares in logits^2: rounding errors of no variation at all


class Rows:
    """One pair or more of P people; `of` (n,) is each row's person among the P, `n` (P,) counts rows."""

    def __init__(self, pairs: Pairs) -> None:
        order = np.lexsort((pairs.prompt, pairs.person))
        self.pairs = Pairs(*(getattr(pairs, name)[order] for name in pairs.__dataclass_fields__))
        found = np.unique(self.pairs.person, return_index=True, return_inverse=True, return_counts=True)
        self.person: Codes = found[0]  # (P,): their positions in the cohort
        self.starts, self.of, self.n = (column.astype(np.int64) for column in found[1:])
        difficulty = -self.pairs.a * self.pairs.b
        self.x = difficulty - (self.sums(difficulty) / self.n)[self.of]
        self.spread_of_x = np.sqrt(self.sums(self.x**2))

    def sums(self, columns: Array) -> Array:
        """Sums (…, P) over the rows of each person of columns (…, n)."""
        summed: Array = np.add.reduceat(columns, self.starts, axis=-1)
        return summed

    def correlations(self, y: Array) -> Array:
        """Personal correlations (…, P) of answers y (…, n); NaN where x or y does not vary."""
        centred = y - (self.sums(y) / self.n)[..., self.of]
        spread = self.spread_of_x * np.sqrt(self.sums(centred**2))
        varies = spread > MIN_SPREAD
        return np.where(varies, self.sums(self.x * centred) / np.where(varies, spread, 1), np.nan)

    def outfits(self, y: Array, theta: Array, reference: Reference) -> Array:
        """Q^v (…, P) of answers y (…, n) at abilities theta (…, P)."""
        expected, variance = reference.at(theta[..., self.of], np.broadcast_to(self.pairs.prompt, y.shape))
        return self.sums((y - expected) ** 2 / variance)

    @property
    def compact(self) -> Pairs:
        """The same pairs with people numbered 0 .. P - 1."""
        return replace(self.pairs, person=self.of)
