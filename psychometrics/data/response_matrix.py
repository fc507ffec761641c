"""A response matrix: scores of configurations (rows) on items (columns), with what is missing left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from psychometrics.irt.transform import Array, Transform, require_scores

SparseScores = sp.csr_array[np.float64, tuple[int, int]]
AT_ONCE = 1 << 16  # responses whose logits are taken together: no second matrix beside the first
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
        counts = np.zeros(len(self.items), dtype=np.int64)
        for first in range(0, self.responses, AT_ONCE):
            counts += np.bincount(self.p.indices[first : first + AT_ONCE], minlength=len(counts))
        return counts

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
        persons, items = self.p.shape
        if self.responses < WELL_FILLED * persons * items:
            return self.sparse_logits(transform)
        full = np.full((persons, items), np.nan)
        for row, (first, last) in enumerate(pairwise(self.p.indptr)):
            full[row, self.p.indices[first:last]] = transform.to_logit(self.p.data[first:last])
        return full

    def sparse_logits(self, transform: Transform) -> SparseScores:
        """Squeezed logits, an entry per response."""
        y = np.empty_like(self.p.data)
        for first in range(0, len(y), AT_ONCE):
            y[first : first + AT_ONCE] = transform.to_logit(self.p.data[first : first + AT_ONCE])
        return sp.csr_array((y, self.p.indices, self.p.indptr), shape=self.p.shape)


def response_matrix(
    configurations: Sequence[object], items: Sequence[object], p: ArrayLike
) -> ResponseMatrix:
    """From a full matrix of scores p (I, J) in [0, 1], NaN where missing: an array, lists or a frame.

    Raises ValueError for another shape, ScoreOutOfRange for a score outside [0, 1].
    """
    rows, columns = (tuple(map(str, names)) for names in (configurations, items))
    try:
        scores = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("p holds something that is no number, or rows of different lengths") from None
    if scores.shape != (len(rows), len(columns)):
        raise ValueError(
            f"p has shape {scores.shape}; expected {len(rows)} configurations x {len(columns)} items"
        )
    require_scores(scores)
    return ResponseMatrix(rows, columns, compressed(scores, ~np.isnan(scores)))


def compressed(values: Array, seen: NDArray[np.bool_]) -> SparseScores:
    """The rows of a full matrix with an entry where `seen`, also for a value of 0."""
    short: type[np.int32 | np.int64] = np.int32 if seen.size < np.iinfo(np.int32).max else np.int64
    places: NDArray[np.int32 | np.int64] = np.broadcast_to(np.arange(seen.shape[1]).astype(short), seen.shape)
    ends: NDArray[np.int32 | np.int64] = np.append(0, np.cumsum(seen.sum(axis=1))).astype(short)
    return sp.csr_array((values[seen], places[seen], ends), shape=(seen.shape[0], seen.shape[1]))
