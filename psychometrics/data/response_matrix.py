"""A response matrix: scores of configurations (rows) on items (columns), with what is missing left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from psychometrics.irt.transform import Array, Transform

SparseScores = sp.csr_array[np.float64, tuple[int, int]]
WELL_FILLED = 0.25  # share of cells above which a full matrix is smaller and faster


@dataclass(frozen=True, eq=False)
class ResponseMatrix:
    """`p` (I x J) holds an entry per response, also for a score of 0; scores lie in [0, 1]."""

    configurations: tuple[str, ...]
    items: tuple[str, ...]
    p: SparseScores

    def __repr__(self) -> str:
        return (
            f"ResponseMatrix({len(self.configurations)} configurations, {len(self.items)} items, "
            f"{self.responses} responses)"
        )

    @property
    def responses(self) -> int:
        return len(self.p.data)

    @property
    def item_counts(self) -> NDArray[np.int64]:
        """Responses per item, (J,)."""
        return np.bincount(self.p.indices, minlength=len(self.items))

    def without_empty(self) -> tuple["ResponseMatrix", list[str]]:
        """The matrix of the configurations that have a score, and the names of the others."""
        filled = np.diff(self.p.indptr) > 0
        if filled.all():
            return self, []
        rows = np.flatnonzero(filled)
        kept = ResponseMatrix(tuple(self.configurations[i] for i in rows), self.items, self.p[rows])
        return kept, [self.configurations[i] for i in np.flatnonzero(~filled)]

    def logits(self, transform: Transform) -> Array | SparseScores:
        """Squeezed logits: a full matrix with NaN where well filled, else an entry per response."""
        y = sp.csr_array((transform.to_logit(self.p.data), self.p.indices, self.p.indptr), shape=self.p.shape)
        persons, items = self.p.shape
        if self.responses < WELL_FILLED * persons * items:
            return y
        full = np.full((persons, items), np.nan)
        full[np.repeat(np.arange(persons), np.diff(y.indptr)), y.indices] = y.data
        return full


def response_matrix(configurations: Sequence[str], items: Sequence[str], p: Array) -> ResponseMatrix:
    """From a full matrix of scores in [0, 1], NaN where missing."""
    return ResponseMatrix(tuple(configurations), tuple(items), compressed(p, ~np.isnan(p)))


def compressed(values: Array, seen: NDArray[np.bool_]) -> SparseScores:
    """The rows of a full matrix with an entry where `seen`, also for a value of 0."""
    rows, columns = np.nonzero(seen)
    ends = np.concatenate([[0], np.cumsum(seen.sum(axis=1))])
    return sp.csr_array((values[rows, columns], columns, ends), shape=(seen.shape[0], seen.shape[1]))
