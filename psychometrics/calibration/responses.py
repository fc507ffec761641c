"""The observed logits of a response matrix, full or sparse, behind the few sums the solver needs.

Every item's logits are kept as differences from the item's mean, y_ij - ybar_j: then c_j = a_j m_j, where
m_j is the mean ability of those who answered item j, and no sum cancels. A missing cell is a 0 in `y` and
in `seen`. A full matrix takes 16 bytes a cell, a sparse one 20 bytes a response.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from psychometrics.calibration.model import NotCalibratable
from psychometrics.data.response_matrix import SparseScores, compressed
from psychometrics.irt.transform import Array

SparseLogits = SparseScores
Indices = NDArray[np.integer[Any]]
LogitMatrix = Array | SparseLogits
BLOCK, CELLS = 1024, 1 << 17  # columns and cells at once


class Responses(ABC):
    """I x J logits: `item_means`, `item_counts` and `squares` (J,), `person_counts` (I,), `total` = N.

    `squares` are the sums over an item's responses of (y_ij - ybar_j)^2.
    """

    shape: tuple[int, int]
    y: LogitMatrix
    item_means: Array
    item_counts: Array
    person_counts: Array
    squares: Array

    @property
    def total(self) -> float:
        return float(self.item_counts.sum())

    @property
    def spread(self) -> float:
        """Sum of squares around the grand mean."""
        grand_mean = self.item_counts @ self.item_means / self.total
        return float(self.squares.sum() + self.item_counts @ (self.item_means - grand_mean) ** 2)

    def start(self) -> Array:
        """Row means of the column-centred logits, themselves centred."""
        sums: Array = np.asarray(self.y @ np.ones(self.shape[1]))
        means = sums / self.person_counts
        means -= means.mean()
        return means

    @abstractmethod
    def item_sums(self, theta: Array) -> tuple[Array, Array, Array]:
        """Per item (J,): the sums of theta, of theta^2 and of theta times the centred logit."""

    @property
    @abstractmethod
    def seen(self) -> LogitMatrix:
        """1 where there is a response."""

    def person_sums(self, a: Array, c: Array) -> tuple[Array, Array]:
        """Per person (I,): the sums of a (y + c) and of a^2 over the items answered."""
        of_seen = self.seen @ np.column_stack([a * c, a**2])
        return self.y @ a + of_seen[:, 0], of_seen[:, 1]

    @abstractmethod
    def residual_squares(self, theta: Array, a: Array, c: Array) -> float:
        """Sum over the responses of (y - a theta + c)^2, from the residuals themselves."""

    @abstractmethod
    def seen_products(self, scale: Array) -> Array:
        """I x I: sum_j scale_j w_j w_j', w_j (I,) being 1 for those who answered item j; scale (J,) > 0."""

    @abstractmethod
    def slope_products(self, theta: Array, a: Array, m: Array, scale: Array) -> Array:
        """I x I: sum_j scale_j h_j h_j', where h_ij = w_ij (4 a_j^2 (theta_i - m_j) - 2 a_j y_ij)."""

    @abstractmethod
    def without(self, person: int) -> Self:
        """The responses of everybody else."""

    @abstractmethod
    def logits(self) -> SparseLogits:
        """The logits as they were given, an entry per response."""

    def row(self, person: int) -> tuple[Indices, Array]:
        """The items one person answered and the logits, each (n,)."""
        y = self.logits_of(person)
        return y.indices, y.data

    @abstractmethod
    def logits_of(self, person: int) -> SparseLogits:
        """The logits of one person, 1 x J."""


class DenseResponses(Responses):
    """A full matrix with a mask."""

    y: Array

    def __init__(self, y: Array, seen: Array, offset: Array | float = 0.0) -> None:
        """Logits (I, J), 0 where missing: they are centred in place."""
        self.shape = (y.shape[0], y.shape[1])
        self._seen = seen
        self.item_counts, self.person_counts = seen.sum(axis=0), seen.sum(axis=1)
        _refuse_empty(self)
        means = y.sum(axis=0) / self.item_counts
        self.item_means = means + offset
        for part in self._blocks():
            y[:, part] -= seen[:, part] * means[part]
        self.y = y
        self.squares = np.einsum("ij,ij->j", self.y, self.y)

    @property
    def seen(self) -> Array:
        return self._seen

    def item_sums(self, theta: Array) -> tuple[Array, Array, Array]:
        sx, sxx = np.array([theta, theta**2]) @ self.seen
        return sx, sxx, theta @ self.y

    def residual_squares(self, theta: Array, a: Array, c: Array) -> float:
        squares = 0.0
        for part in self._blocks():
            residuals = np.outer(theta, a[part])
            residuals -= c[part]
            residuals *= self.seen[:, part]
            residuals -= self.y[:, part]
            squares += float(np.einsum("ij,ij->", residuals, residuals))
        return squares

    def seen_products(self, scale: Array) -> Array:
        root = np.sqrt(scale)
        products = np.zeros((self.shape[0], self.shape[0]))
        for part in self._blocks():
            scaled = self.seen[:, part] * root[part]
            products += scaled @ scaled.T
        return products

    def slope_products(self, theta: Array, a: Array, m: Array, scale: Array) -> Array:
        root = np.sqrt(scale)
        products = np.zeros((self.shape[0], self.shape[0]))
        for part in self._blocks():
            scaled = theta[:, np.newaxis] - m[part]
            scaled *= self.seen[:, part]
            scaled *= 4 * a[part] ** 2 * root[part]
            scaled -= self.y[:, part] * (2 * a[part] * root[part])
            products += scaled @ scaled.T
        return products

    def _blocks(self) -> Iterator[slice]:
        """Runs of columns that fit into a processor's cache."""
        width = max(1, min(BLOCK, CELLS // self.shape[0]))
        return (slice(first, first + width) for first in range(0, self.shape[1], width))

    def without(self, person: int) -> Self:
        kept = np.arange(self.shape[0]) != person
        return type(self)(self.y[kept], self.seen[kept], self.item_means)

    def logits(self) -> SparseLogits:
        return self._entries(slice(None))

    def logits_of(self, person: int) -> SparseLogits:
        return self._entries(slice(person, person + 1))

    def _entries(self, rows: slice) -> SparseLogits:
        seen = self.seen[rows] > 0
        return compressed(self.y[rows] + self.item_means, seen)


class SparseResponses(Responses):
    """Compressed rows; an entry of value 0 is a response, a missing entry is none."""

    y: SparseLogits

    def __init__(self, y: SparseLogits, offset: Array | float = 0.0) -> None:
        """Logits, an entry per response: they are centred in place."""
        self.shape = (y.shape[0], y.shape[1])
        self.columns = y.indices
        self.person_counts = np.diff(y.indptr).astype(np.float64)
        self.item_counts = np.bincount(self.columns, minlength=self.shape[1]).astype(np.float64)
        _refuse_empty(self)
        means = np.bincount(self.columns, weights=y.data, minlength=self.shape[1]) / self.item_counts
        self.item_means = means + offset
        self.y = y
        self.squares = np.zeros(self.shape[1])
        for first in range(0, len(y.data), CELLS):
            part = slice(first, first + CELLS)
            y.data[part] -= means[self.columns[part]]
            self.squares += np.bincount(self.columns[part], np.square(y.data[part]), self.shape[1])

    @cached_property
    def seen(self) -> SparseLogits:
        return self._cells(np.ones(len(self.y.data)), self.y.indptr)

    def item_sums(self, theta: Array) -> tuple[Array, Array, Array]:
        of_seen = self.seen.T @ np.column_stack([theta, theta**2])
        return of_seen[:, 0], of_seen[:, 1], np.asarray(self.y.T @ theta)

    def residual_squares(self, theta: Array, a: Array, c: Array) -> float:
        residuals = self._of_rows(theta)
        residuals *= a[self.columns]
        residuals -= c[self.columns]
        residuals -= self.y.data
        return float(residuals @ residuals)

    def seen_products(self, scale: Array) -> Array:
        return self._products(np.sqrt(scale)[self.columns])

    def slope_products(self, theta: Array, a: Array, m: Array, scale: Array) -> Array:
        a_here, centred = a[self.columns], self._of_rows(theta) - m[self.columns]
        slopes = 4 * a_here**2 * centred - 2 * a_here * self.y.data
        return self._products(slopes * np.sqrt(scale)[self.columns])

    def _products(self, data: Array) -> Array:
        cells = self._cells(data, self.y.indptr)
        products: Array = (cells @ cells.T).toarray()
        return products

    def without(self, person: int) -> Self:
        kept = np.flatnonzero(np.arange(self.shape[0]) != person)
        return type(self)(self.y[kept], self.item_means)

    def logits(self) -> SparseLogits:
        y = self.y.data.copy()
        for first in range(0, len(y), CELLS):
            y[first : first + CELLS] += self.item_means[self.columns[first : first + CELLS]]
        return self._cells(y, self.y.indptr)

    def logits_of(self, person: int) -> SparseLogits:
        y = self.y[[person]]
        return sp.csr_array((y.data + self.item_means[y.indices], y.indices, y.indptr), shape=y.shape)

    def _of_rows(self, values: Array) -> Array:
        return np.repeat(values, np.diff(self.y.indptr))

    def _cells(self, data: Array, indptr: Indices) -> SparseLogits:
        return sp.csr_array((data, self.columns, indptr), shape=self.shape)


def responses_of(y: LogitMatrix, *, overwrite: bool = False) -> Responses:
    """Logits (I x J): a full matrix with NaN where missing, or compressed rows without the missing ones.

    `overwrite` takes them as its own, so that there are not two of a large matrix.
    """
    if y.ndim != 2:
        raise NotCalibratable(EMPTY_PART)
    if not overwrite:
        y = y.copy()
    if isinstance(y, np.ndarray):
        seen = ~np.isnan(y)
        y[~seen] = 0
        return DenseResponses(y, seen.astype(np.float64))
    return SparseResponses(y)


EMPTY_PART = "every row and every column needs at least one score; leave empty ones out"


def _refuse_empty(data: Responses) -> None:
    if not (all(data.shape) and data.item_counts.all() and data.person_counts.all()):
        raise NotCalibratable(EMPTY_PART)
